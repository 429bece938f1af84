package template

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// D5: the stream's filter lets through every change that rings, and of the
// others only those that are rare.
func TestD5_FilterAndRings(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	db, err := sqlite.Open(sqlite.Memory, sqlite.WithClock(func() time.Time { return now }))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	st := store.New(db)
	x := inbox.Item{ID: "i1", Session: "s1", Kind: inbox.Approval, Created: now, Expires: now.Add(time.Hour), Places: []trigger.Place{{Surface: "slack", Channel: "C"}}}
	is := func(s inbox.State) inbox.Item { x := x; x.State, x.Resolved, x.Version = s, now, 1; return x }
	settled := func() inbox.Item { x := is(inbox.Approved); x.Version = 2; return x }
	call := session.Attempt{Session: "s1", Item: "i1", Writer: "w", Places: x.Places}
	ended := func(a session.Attempt) session.Attempt { a.State, a.Version = session.Failed, 1; return a }
	auto := session.Attempt{Session: "s1", Step: 4, Writer: "w"}
	outbox := store.Outbox{ID: "o", Created: now, Bells: []store.Bell{{Ring: store.RingTurn}}}
	rare := map[string]bool{"the agent reads it": true}
	cursor := ""
	for i, c := range []struct {
		what    string
		actions []table.Action
	}{
		{"a session", store.NewSession(session.Session{ID: "s1"}, 0)},
		{"an outbox row", []table.Action{store.NewOutbox(outbox)}},
		{"swapped", store.ReopenOutbox(outbox)},
		{"raised", append(store.NewItem(x, inbox.Body{Item: "i1"}), store.NewShown("i1", x.Places[0], true, now), store.NewAudit(store.Audit{ID: "a", At: now}))},
		{"due again", []table.Action{store.DueShown("i1", x.Places[0], now)}},
		{"resolved", []table.Action{store.ResolveItem(is(inbox.Approved), now)}},
		{"a call begins", []table.Action{store.NewAttempt(call)}},
		{"a call ends", []table.Action{store.EndAttempt(ended(call))}},
		{"a call without an item begins", []table.Action{store.NewAttempt(auto)}},
		{"a call without an item ends", []table.Action{store.EndAttempt(ended(auto))}},
		{"the agent reads it", []table.Action{store.TellItem(is(inbox.Approved))}},
		{"closed", []table.Action{store.CloseItem(settled())}},
	} {
		if lost, err := st.Do(t.Context(), fmt.Sprint("t", i), c.actions...); err != nil || lost != nil {
			t.Fatal(c.what, lost, err)
		}
		changes, next, err := db.Changes(t.Context(), cursor, 100)
		if err != nil {
			t.Fatal(err)
		}
		cursor = next
		for _, change := range changes {
			r, err := store.Rings(change.Old, change.New)
			if err != nil {
				t.Fatal(err)
			}
			if passes := passesAny(t, change); passes != (r != nil) && !(passes && rare[c.what]) {
				t.Errorf("%s: %s/%s rings: %t, and the filter lets it through: %t", c.what, change.Key.PK, change.Key.SK, r != nil, passes)
			}
		}
	}
}

// passesAny reports whether a change passes one of the filters.
func passesAny(t *testing.T, c table.Change) bool {
	t.Helper()
	name := "MODIFY"
	switch {
	case c.Old == nil:
		name = "INSERT"
	case c.New == nil:
		name = "REMOVE"
	}
	for _, text := range ringing {
		var p struct {
			EventName []string `json:"eventName"`
			Dynamodb  struct {
				NewImage map[string]map[string][]any
			}
		}
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		ok := false
		for _, n := range p.EventName {
			ok = ok || n == name
		}
		for attr, of := range p.Dynamodb.NewImage {
			ok = ok && matches(c.New[attr], of["S"])
		}
		if ok {
			return true
		}
	}
	return false
}

// matches is Lambda's reading of a leaf: one of the values, or that there is one.
func matches(v table.Value, values []any) bool {
	for _, a := range values {
		if s, ok := a.(string); ok && s == v.Str && v.Str != "" {
			return true
		}
		if m, ok := a.(map[string]any); ok && m["exists"] == true && v.Str != "" {
			return true
		}
	}
	return false
}
