package local

import (
	"slices"
	"sync"
	"testing"
)

// O1: work that shares a lane is done in the order it was given, all other
// work beside it.
func TestLanes(t *testing.T) {
	t.Parallel()
	var l lanes
	var mu sync.Mutex
	var did []string
	do := func(name string, first, then chan struct{}) func() {
		return func() {
			if first != nil {
				<-first
			}
			mu.Lock()
			did = append(did, name)
			mu.Unlock()
			if then != nil {
				close(then)
			}
		}
	}
	// b waits for c, which was given later and shares no lane with it: they do
	// not wait for each other by themselves. d and e follow in their lanes.
	c := make(chan struct{})
	l.run([]string{"x"}, do("b", c, nil))
	l.run([]string{"y", "y"}, do("c", nil, c))
	l.run([]string{"y", "x"}, do("d", nil, nil))
	l.run([]string{"x"}, do("e", nil, nil))
	l.run(nil, func() {})
	l.wait()
	if !slices.Equal(did, []string{"c", "b", "d", "e"}) {
		t.Errorf("done in the order %v", did)
	}
}

// Each lane keeps its order however much runs beside it.
func TestLanesKeepOrder(t *testing.T) {
	t.Parallel()
	var l lanes
	last := make([]int, 5) // by lane: guarded by the lanes themselves, which -race looks at
	for i := range 2000 {
		one, other := i%5, i%3
		name := func(n int) string { return string(rune('a' + n)) }
		l.run([]string{name(one), name(other)}, func() {
			for _, n := range []int{one, other} {
				if last[n] > i {
					t.Errorf("%d after %d", i, last[n])
				}
				last[n] = i
			}
		})
	}
	l.wait()
}
