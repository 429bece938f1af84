package races

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
)

// board is a place where cards are shown, that remembers each post.
type board struct {
	mu    sync.Mutex
	posts map[string]int
	shows map[string]inbox.Card
	said  map[string]int
}

func (b *board) Post(_ context.Context, _ trigger.Place, c inbox.Card, _ string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posts[c.Item]++
	id := fmt.Sprintf("%s-%d", c.Item, b.posts[c.Item])
	b.shows[id] = c
	return id, nil
}

func (b *board) Update(_ context.Context, r inbox.Reference, c inbox.Card) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shows[r.Message] = c
	return nil
}

func (b *board) Say(_ context.Context, _ trigger.Place, _, key string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said[key]++
	return key, nil
}

func (b *board) Tell(context.Context, trigger.Place, actor.Actor, string) error { return nil }

func who(ref string) actor.Actor {
	a, _ := actor.ParseRef(ref)
	a.Kind = actor.Human
	return a
}

// TestI23_ManyDeliverers: one place is rung for one item many times at once,
// while the item is answered. One card is posted, and in the end it shows the
// outcome.
func TestI23_ManyDeliverers(t *testing.T) {
	t.Parallel()
	h := open(t)
	b := &board{posts: map[string]int{}, shows: map[string]inbox.Card{}, said: map[string]int{}}
	h.Deliver.Surfaces["slack"] = b
	for n := range races(t) {
		x := h.item(h.session(fmt.Sprintf("s%d", n), nil))
		at := x.Places[0]
		if n%2 == 0 { // posted already, or posted in the race
			if err := h.Deliver.Show(t.Context(), x.ID, at); err != nil {
				t.Fatal(err)
			}
		}
		together(9, func(i int) {
			if i < 8 {
				_ = h.Deliver.Show(context.Background(), x.ID, at) // one that meets another is rung again
				return
			}
			out, err := h.Resolver.Resolve(context.Background(), inbox.Answer{Item: x.ID, Digest: x.Digest, Choice: inbox.Allow,
				Actor: who("panel:p0"), Via: "panel", Delivery: "d", ID: x.ID})
			if err != nil || out.Result != inbox.Won {
				t.Errorf("answer: %+v %v", out, err)
			}
		})
		for range 3 {
			if err := h.Deliver.Show(t.Context(), x.ID, at); err != nil {
				t.Fatal(err)
			}
		}
		h.shows(b, x)
	}
}

func (h *house) shows(b *board, x inbox.Item) {
	h.t.Helper()
	row, err := h.Store.Shown(h.t.Context(), x.ID, x.Places[0])
	if err != nil || row == nil {
		h.t.Fatal(row, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case row.State == store.Dropped && b.posts[x.ID] == 0: // answered before it was ever shown
	case row.State != store.Visible || b.posts[x.ID] != 1 || !b.shows[row.Message].Settled:
		h.t.Fatalf("item %s was posted %d times; its row %+v shows %+v", x.ID, b.posts[x.ID], row, b.shows[row.Message])
	}
}

// TestI23_SaidOnce: one thing to be said is rung many times at once.
func TestI23_SaidOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	b := &board{said: map[string]int{}}
	h.Deliver.Surfaces["slack"] = b
	for n := range races(t) {
		key := fmt.Sprintf("k%d", n)
		bell := store.Bell{Ring: store.RingSay, Place: trigger.Place{Surface: "slack", Account: team, Channel: "C0OPS"}, Text: "hello", Key: key}.Encode()
		together(10, func(int) { _ = h.Deliver.Hear(context.Background(), bell) })
		if err := h.Deliver.Hear(t.Context(), bell); err != nil || b.said[key] != 1 {
			t.Fatalf("said %d times: %v", b.said[key], err)
		}
	}
}
