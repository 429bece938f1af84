package simulation

import (
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"
	"testing"
)

// perWorld is how many operations one world lives for.
const perWorld = 2500

func env(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q is not a number", name, s)
	}
	return n
}

// TestWorlds runs N operations from SEED, in worlds of perWorld each. Without
// SEED the seed is random and printed; a failing world prints its own.
func TestWorlds(t *testing.T) {
	var b [8]byte
	_, _ = rand.Read(b[:])
	seed := env(t, "SEED", binary.LittleEndian.Uint64(b[:])>>16)
	n := int(env(t, "N", 20_000))
	t.Logf("SEED=%d N=%d", seed, n)
	total := map[string]int{}
	for i := 0; i*perWorld < n; i++ {
		one(t, seed+uint64(i), min(perWorld, n-i*perWorld), total)
	}
	t.Logf("%d operations: %v", n, total)
}

func one(t *testing.T, seed uint64, n int, total map[string]int) {
	t.Helper()
	w, err := NewWorld(seed)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Run(n); err != nil {
		t.Errorf("SEED=%d N=%d: %v", seed, n, err)
		return
	}
	for _, f := range w.Check() {
		t.Errorf("SEED=%d N=%d: %s", seed, n, f)
	}
	for k, v := range w.counts {
		total[k] += v
	}
	total["messages"] += len(w.people.posted)
	total["answers"] += len(w.people.answers)
	for _, k := range w.agents.effects {
		total["effects"] += k
	}
}

// TestSeedReplays shows that one seed makes one world.
func TestSeedReplays(t *testing.T) {
	run := func() (map[string]int, int) {
		w, err := NewWorld(42)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := w.Run(1500); err != nil {
			t.Fatal(err)
		}
		return w.counts, w.ids
	}
	a, ida := run()
	b, idb := run()
	if ida != idb {
		t.Errorf("ids: %d and %d", ida, idb)
	}
	for k := range a {
		if a[k] != b[k] {
			t.Errorf("%s: %d and %d", k, a[k], b[k])
		}
	}
}
