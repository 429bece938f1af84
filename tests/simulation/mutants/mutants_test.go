package main

import (
	"os"
	"strings"
	"testing"
)

// The list names text that is there, so that it cannot rot unseen.
func TestListFits(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, m := range list {
		if names[m.name] {
			t.Errorf("%s stands twice in the list", m.name)
		}
		names[m.name] = true
		b, err := os.ReadFile("../../../" + m.file)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		if n := strings.Count(string(b), m.old); n != 1 {
			t.Errorf("%s: its text stands %d times in %s", m.name, n, m.file)
		}
		for _, x := range m.also {
			if !strings.Contains(string(b), x[0]) {
				t.Errorf("%s: %q does not stand in %s", m.name, x[0], m.file)
			}
		}
	}
}
