package races

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/flow/api"
	"github.com/postern-dev/postern/shared/store"
)

// TestS14_OneSession: one opening key, used many times at once, opens one
// session; one call submitted under many keys at once waits for one item (I3).
func TestS14_OneSession(t *testing.T) {
	t.Parallel()
	h := open(t)
	key := store.APIKey{Hash: "k", Name: "laptop", Mode: "interactive"}
	for n := range races(t) {
		var mu sync.Mutex
		sessions, items := map[string]bool{}, map[string]bool{}
		together(20, func(i int) {
			s, err := h.API.Open(context.Background(), key, fmt.Sprintf("open-%d", n), api.Opening{})
			if err != nil {
				t.Error(err)
				return
			}
			told, err := h.API.Submit(context.Background(), s, fmt.Sprintf("call-%d", i/2), api.Submission{Tool: "deploy", Arguments: []byte(`{}`)})
			for err != nil && !errors.As(err, new(*api.Problem)) { // met too many others: its client asks again
				told, err = h.API.Submit(context.Background(), s, fmt.Sprintf("call-%d", i/2), api.Submission{Tool: "deploy", Arguments: []byte(`{}`)})
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil || told.Decision != "waiting" {
				t.Errorf("%+v %v", told, err)
			}
			sessions[s.ID], items[told.Item] = true, true
		})
		if len(sessions) != 1 || len(items) != 1 {
			t.Fatalf("%d sessions, %d items", len(sessions), len(items))
		}
	}
}

// TestP25_FiftySpenders: an approved call's grant is spent by 50 at once, each
// with a key of his own and some of them twice: one key has it.
func TestP25_FiftySpenders(t *testing.T) {
	t.Parallel()
	h := open(t)
	for n := range races(t) {
		s, err := h.API.Open(t.Context(), store.APIKey{Hash: "k", Name: "laptop"}, fmt.Sprint(n), api.Opening{})
		if err != nil {
			t.Fatal(err)
		}
		told, err := h.API.Submit(t.Context(), s, "c", api.Submission{Tool: "deploy", Arguments: []byte(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		x, err := h.Store.Item(t.Context(), told.Item)
		if err != nil {
			t.Fatal(err)
		}
		out, err := h.Resolver.Resolve(t.Context(), inbox.Answer{Item: x.ID, Digest: x.Digest, Choice: inbox.Allow, Actor: who("panel:p0"), Via: "api", ID: "a"})
		if err != nil || out.Result != inbox.Won {
			t.Fatal(out, err)
		}
		h.oneSpends(s.ID, x.ID, func(key string) error {
			_, err := h.API.Spend(context.Background(), s, told.Call, key)
			return err
		})
	}
}

func (h *house) oneSpends(sid, item string, spend func(key string) error) {
	h.t.Helper()
	var mu sync.Mutex
	won := map[string]int{}
	together(atOnce, func(i int) {
		key := fmt.Sprint("k", i/2)
		err := spend(key)
		var refusal *api.Problem
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			won[key]++
		case !errors.As(err, &refusal) || refusal.Code != "spent" || refusal.Status != 409:
			h.t.Errorf("a loser was told %v", err)
		}
	})
	rows, err := h.Store.AuditOf(h.t.Context(), "session#"+sid, h.Clock.Now().Add(-time.Hour), h.Clock.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	spent := 0
	for _, r := range rows {
		if r.What == "spent" && r.Item == item {
			spent++
		}
	}
	if len(won) != 1 || spent != 1 {
		h.t.Errorf("keys that have the grant: %v; spent in the audit %d times", won, spent)
	}
	for key, n := range won {
		if n != 2 {
			h.t.Errorf("key %s was told so %d times, not both", key, n)
		}
	}
}
