// Package secret reads the deployment's secrets: JSON objects of strings, from
// AWS Secrets Manager, from a file only its owner can read, or given (C4, D3).
//
// A value goes to the caller and nowhere else: never into an error, a log or a
// listing. Nothing here writes to a table.
package secret

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"
)

// RejectedEvery is how often one secret is read again because a provider
// rejected what it held (C4).
const RejectedEvery = time.Minute

// Source reads one secret by its name. Its errors hold no value.
type Source interface {
	Read(ctx context.Context, name string) (map[string]string, error)
}

// Store keeps secrets in memory: each is read once per instance. Safe for
// concurrent use; two callers who ask at once wait for one reading.
type Store struct {
	source Source
	now    func() time.Time

	mu   sync.Mutex
	kept map[string]*kept
}

// kept is one secret; its lock is held while it is read.
type kept struct {
	mu     sync.Mutex
	values map[string]string
	again  time.Time // when it was last read again
}

// New makes a Store. now is a clock.
func New(source Source, now func() time.Time) *Store {
	return &Store{source: source, now: now, kept: map[string]*kept{}}
}

// Load reads secrets side by side, so that a start costs one round trip (D3).
// It gives all errors.
func (s *Store) Load(ctx context.Context, names ...string) error {
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { _, errs[i] = s.all(ctx, name) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// Values gives the named keys of a secret, or all it holds where none is named.
// A named key that is missing or empty is an error that says which key of which
// secret to set (Q8).
func (s *Store) Values(ctx context.Context, name string, keys ...string) (map[string]string, error) {
	values, err := s.all(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return maps.Clone(values), nil
	}
	out, missing := map[string]string{}, []string{}
	for _, key := range keys {
		if values[key] == "" {
			missing = append(missing, key)
		}
		out[key] = values[key]
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("secret %s: set %s", name, strings.Join(missing, ", "))
	}
	return out, nil
}

// Value gives one key of a secret.
func (s *Store) Value(ctx context.Context, name, key string) (string, error) {
	values, err := s.Values(ctx, name, key)
	return values[key], err
}

// Optional gives one key of a secret, empty if it is not set: a second signing
// secret during rotation, for instance (D3).
func (s *Store) Optional(ctx context.Context, name, key string) (string, error) {
	values, err := s.all(ctx, name)
	return values[key], err
}

// Rejected says that a provider refused what a secret holds. The secret is read
// again, at most once every RejectedEvery; changed says that it now holds
// something else, so that trying again makes sense.
func (s *Store) Rejected(ctx context.Context, name string) (changed bool, err error) {
	k := s.entry(name)
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := s.now(); !k.again.IsZero() && now.Sub(k.again) < RejectedEvery {
		return false, nil
	} else {
		k.again = now
	}
	values, err := s.source.Read(ctx, name)
	if err != nil {
		return false, err // what is known stays
	}
	changed = !same(k.values, values)
	k.values = values
	return changed, nil
}

func (s *Store) all(ctx context.Context, name string) (map[string]string, error) {
	k := s.entry(name)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.values == nil {
		values, err := s.source.Read(ctx, name)
		if err != nil {
			return nil, err // asked again next time
		}
		k.values = values
	}
	return k.values, nil
}

func (s *Store) entry(name string) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[name] == nil {
		s.kept[name] = &kept{}
	}
	return s.kept[name]
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for key := range a {
		if v, has := b[key]; !has || v != a[key] {
			return false
		}
	}
	return true
}
