package simulation

import (
	"crypto/rand"
	"encoding/binary"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// perWorld is how many operations one world lives for.
const perWorld = 4000

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

func randomSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) >> 24
}

// TestWorlds runs N operations from SEED, in worlds of perWorld each, one in
// four of them in fair weather. Without SEED the seed is random and printed; a
// failing world prints its own.
func TestWorlds(t *testing.T) {
	seed := env(t, "SEED", randomSeed())
	n := int(env(t, "N", 20_000))
	t.Logf("SEED=%d N=%d", seed, n)
	total := map[string]int{}
	for i := 0; i*perWorld < n && !t.Failed(); i++ {
		weather := Storm
		if (seed+uint64(i))%4 == 1 {
			weather = Fair
		}
		one(t, seed+uint64(i), weather, min(perWorld, n-i*perWorld), total)
	}
	var out strings.Builder
	for _, k := range slices.Sorted(maps.Keys(total)) {
		out.WriteString(" " + k + ":" + strconv.Itoa(total[k]))
	}
	t.Logf("%d operations:%s", n, out.String())
}

func one(t *testing.T, seed uint64, weather Weather, n int, total map[string]int) *World {
	t.Helper()
	w, err := NewWorld(seed, weather)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Run(n); err != nil {
		t.Errorf("SEED=%d N=%d: %v", seed, n, err)
		return w
	}
	for _, f := range w.Check() {
		t.Errorf("SEED=%d N=%d: %s", seed, n, f)
	}
	for k, v := range w.counts {
		total[k] += v
	}
	total["messages"] += len(w.people.messages)
	for _, e := range w.agents.effects {
		total["effects"] += e.times
	}
	return w
}

// TestSeedReplays shows that one seed makes one world: the same commits, posts
// and endings, in the same order, at the same times.
func TestSeedReplays(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		weather := Weather(seed % 2)
		run := func() (uint64, int) {
			w, err := NewWorld(seed, weather)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := w.Run(1200); err != nil {
				t.Fatal(err)
			}
			return w.digest, w.ids
		}
		a, ida := run()
		b, idb := run()
		if a != b || ida != idb {
			t.Errorf("seed %d: digest %x and %x, %d and %d ids", seed, a, b, ida, idb)
		}
	}
}
