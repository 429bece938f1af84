package wake

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/store"
)

// lost plays a platform with deliveries that it could not make.
type lost struct {
	ids   []int64
	err   error // of looking
	bad   int64 // cannot be asked for
	asked []int64
}

func (l *lost) Undelivered(context.Context) ([]int64, bool, error) { return l.ids, l.err == nil, l.err }

func (l *lost) Redeliver(_ context.Context, id int64) error {
	l.asked = append(l.asked, id)
	if id == l.bad {
		return errors.New("gone")
	}
	l.ids = slices.DeleteFunc(slices.Clone(l.ids), func(x int64) bool { return x == id })
	return nil
}

func (h *house) loses(l *lost) {
	h.GitHub = func(context.Context) (Redeliverer, error) { return l, nil }
}

// W8: what GitHub could not deliver is asked for, each once, so many a pass,
// and counted.
func TestW8_Deliveries(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	l := &lost{}
	for id := range int64(redeliveries + 3) {
		l.ids = append(l.ids, 100+id)
	}
	all := slices.Clone(l.ids)
	h.loses(l)
	for _, want := range []int{redeliveries, 3, 0} {
		if f := h.reconcile(); f.Deliveries != want || f != (Finds{Deliveries: want}) || f.Missed() != want {
			t.Errorf("%+v, want %d", f, want)
		}
	}
	if !slices.Equal(l.asked, all) {
		t.Errorf("asked for %v", l.asked)
	}
}

// W8: GitHub's failure is that kind's only, and one delivery's is its own.
func TestW8_DeliveriesFail(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.session("s1")
	h.wake("s1", h.now)
	h.closeAll()
	h.now = h.now.Add(2 * Late)
	for name, l := range map[string]*lost{
		"the key is missing": nil,
		"GitHub is down":     {err: errors.New("limited"), ids: []int64{1}},
		"one is gone":        {ids: []int64{1, 2, 3}, bad: 2},
	} {
		h.GitHub = func(context.Context) (Redeliverer, error) {
			if l == nil {
				return nil, errors.New("secret")
			}
			return l, nil
		}
		f, err := h.Reconcile(t.Context())
		if err == nil || !strings.Contains(err.Error(), "reconcile deliveries: ") || strings.Count(err.Error(), "reconcile") != 1 {
			t.Errorf("%s: %v", name, err)
		}
		if l != nil && l.bad == 2 && (f.Deliveries != 2 || len(l.asked) != 3) {
			t.Errorf("%s: %+v, asked for %v", name, f, l.asked)
		}
	}
	if h.rings(store.RingTurn) == 0 {
		t.Error("the wake was not fired")
	}
	h.GitHub = func(context.Context) (Redeliverer, error) { return nil, nil } // a plain token
	h.closeAll()
	if f := h.reconcile(); f != (Finds{}) {
		t.Errorf("%+v", f)
	}
}
