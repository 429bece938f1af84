package github

import (
	"testing"
	"time"
)

// W8: what came to nothing is asked for once, comes in, and is not asked for
// again; what never can be made is asked for ever less often and then no more.
func TestW8_Redelivery(t *testing.T) {
	t.Parallel()
	w := start(t, asApp)
	w.open(t)
	again, ok := w.client.Redelivery()
	if !ok {
		t.Fatal("no App")
	}
	pass := func() int {
		t.Helper()
		ids, whole, err := again.Undelivered(ctx)
		if err != nil || !whole {
			t.Fatal(whole, err)
		}
		for _, id := range ids {
			if err := again.Redeliver(ctx, id); err != nil {
				t.Fatal(err)
			}
		}
		return len(ids)
	}
	w.inbox.answer(500)
	_, lost, _ := w.Say(ctx, w.hook, "ada", "acme/shop", 1, "@postern-agent go")
	w.inbox.answer(0)
	if n := pass(); n != 0 {
		t.Errorf("asked for at once: %d", n)
	}
	w.clock.move(5 * time.Minute)
	if n := pass(); n != 1 || w.inbox.last(t).ID != lost.GUID {
		t.Errorf("asked for %d, came in: %+v", n, w.inbox.last(t))
	}
	w.clock.move(5 * time.Minute)
	if n := pass(); n != 0 {
		t.Errorf("asked for what came in: %d", n)
	}

	w.inbox.answer(401)
	if _, err := w.Ping(ctx, w.hook); err != nil {
		t.Fatal(err)
	}
	asked, last := 0, time.Duration(0)
	for at := time.Duration(0); at < 8*24*time.Hour; at += 5 * time.Minute {
		w.clock.move(5 * time.Minute)
		if n := pass(); n > 0 {
			asked, last = asked+n, at
		}
	}
	if asked < 8 || asked > 16 || last > 3*24*time.Hour {
		t.Errorf("asked for %d times, the last after %v", asked, last)
	}
}

// W8: a list without end is looked at so far and no further.
func TestW8_TooManyDeliveries(t *testing.T) {
	t.Parallel()
	w := start(t, asApp)
	w.mu.Lock()
	for range 3001 {
		w.deliveries = append(w.deliveries, &sent{id: w.id(), guid: "x", status: 200, at: w.now()})
	}
	w.mu.Unlock()
	again, _ := w.client.Redelivery()
	if _, whole, err := again.Undelivered(ctx); err != nil || whole || count(w, "list_deliveries") != 30 {
		t.Errorf("whole %v after %d pages, %v", whole, count(w, "list_deliveries"), err)
	}
}
