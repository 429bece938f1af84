package wire

import (
	"fmt"

	"github.com/postern-dev/postern/shared/domain/persona"
)

// Persona finds a built-in persona; an empty id is the default one.
func Persona(id string) (persona.Persona, error) {
	if id == "" {
		id = "cowork"
	}
	p, ok := persona.Builtin(id)
	if !ok {
		return p, fmt.Errorf("there is no persona %q", id)
	}
	return p, nil
}
