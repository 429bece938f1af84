package store

import (
	"testing"
	"time"
)

// must2 is must for a call's two results.
func must2[T any](v *T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		return must(t, v, err)
	}
}

func int64ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }
