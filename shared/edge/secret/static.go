package secret

import (
	"context"
	"fmt"
	"maps"
)

// Static holds secrets that are given: for tests and development.
type Static map[string]map[string]string

// Read gives a copy of one secret.
func (s Static) Read(_ context.Context, name string) (map[string]string, error) {
	values, has := s[name]
	if !has {
		return nil, fmt.Errorf("secret %s: not given", name)
	}
	return maps.Clone(values), nil
}
