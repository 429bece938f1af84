package deliver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// board is a platform: it remembers what was posted, and fails when told to.
type board struct {
	posts   []inbox.Card
	updates []string // message ids
	cards   map[string]inbox.Card
	said    []string
	told    []string
	fail    error  // the next call fails with it
	during  func() // once, while a call is under way
}

func (b *board) call() error {
	if f := b.during; f != nil {
		b.during = nil
		f()
	}
	err := b.fail
	b.fail = nil
	return err
}

func (b *board) Post(_ context.Context, _ trigger.Place, c inbox.Card, _ string) (string, error) {
	if err := b.call(); err != nil {
		return "", err
	}
	b.posts = append(b.posts, c)
	id := fmt.Sprint("m", len(b.posts))
	b.cards[id] = c
	return id, nil
}

func (b *board) Update(_ context.Context, r inbox.Reference, c inbox.Card) error {
	if err := b.call(); err != nil {
		return err
	}
	b.updates = append(b.updates, r.Message)
	b.cards[r.Message] = c
	return nil
}

func (b *board) Say(_ context.Context, _ trigger.Place, text, _ string) (string, error) {
	if err := b.call(); err != nil {
		return "", err
	}
	b.said = append(b.said, text)
	return "s", nil
}

func (b *board) Tell(_ context.Context, _ trigger.Place, who actor.Actor, text string) error {
	if err := b.call(); err != nil {
		return err
	}
	b.told = append(b.told, who.Ref()+": "+text)
	return nil
}

// house is a deliverer with one item that is to be shown in Slack.
type house struct {
	*Deliverer
	t     *testing.T
	now   time.Time
	ids   int
	board *board
	x     inbox.Item
	at    trigger.Place
}

var ada = actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Name: "Ada", Kind: actor.Human}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), board: &board{cards: map[string]inbox.Card{}},
		at: trigger.Place{Surface: "slack", Account: "T1", Channel: "CQ"}}
	db, err := sqlite.Open(sqlite.Memory, sqlite.WithClock(func() time.Time { return h.now }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h.Deliverer = &Deliverer{Store: store.New(db), Surfaces: map[string]Surface{"slack": h.board}, ButtonKey: []byte("key"),
		Link: func(item string) string { return "https://panel/" + item }, SignIn: func(key string) string { return "https://panel/login?key=" + key },
		Secret: func() string { h.ids++; return fmt.Sprint("key", h.ids) }, Now: func() time.Time { return h.now },
		NewID: func() string { h.ids++; return fmt.Sprintf("%06d", h.ids) }, Log: slog.New(slog.DiscardHandler), Count: func(string, string) {}}
	p := policy.Policy{Queues: []policy.Queue{{Name: "default", Approvers: &[]string{ada.Ref(), "panel:bob"}, Expiry: "1h",
		Bindings: []policy.Binding{{Surface: "slack", Account: "T1", Channel: "CQ", Private: true}}}}}
	actions, err := store.SavePolicy(0, p, "", "", h.now)
	if err != nil {
		t.Fatal(err)
	}
	h.do(actions...)
	s := session.Session{ID: "s1", Queue: "default", Generation: 1, Created: h.now}
	r := raise.New(s, raise.Ask{ID: "item1", Kind: inbox.Approval, Title: "deploy", Tool: "deploy", Digest: "d", Step: 2,
		Body: inbox.Body{Arguments: json.RawMessage(`{"a":1}`)}}, p, "audit", h.now)
	h.x = r.Item
	h.do(append(store.NewSession(s, 0), r.All()...)...)
	return h
}

func (h *house) do(actions ...table.Action) {
	h.t.Helper()
	if lost, err := h.Store.Do(context.Background(), h.NewID(), actions...); err != nil || lost != nil {
		h.t.Fatal(lost, err)
	}
}

// show delivers what one ring rings for, without failure.
func (h *house) show() {
	h.t.Helper()
	if err := h.Hear(h.t.Context(), store.Bell{Ring: store.RingShow, Item: h.x.ID, Place: h.at}.Encode()); err != nil {
		h.t.Fatal(err)
	}
}

// allow is a person's answer, by a click on a message or in the panel.
func (h *house) allow(message string) {
	h.t.Helper()
	r := &resolve.Resolver{Store: h.Store, Now: h.Now, NewID: h.NewID}
	a := inbox.Answer{Item: h.x.ID, Digest: "d", Choice: inbox.Allow, Actor: ada, Via: "slack", Delivery: "d", ID: "a" + message}
	if message != "" {
		a.Shown = inbox.Reference{Place: h.at, Message: message}
	}
	if out, err := r.Resolve(context.Background(), a); err != nil || out.Result != inbox.Won && out.Result != inbox.Late {
		h.t.Fatal(out, err)
	}
}

func (h *house) row() store.Shown {
	h.t.Helper()
	row, err := h.Store.Shown(h.t.Context(), h.x.ID, h.at)
	if err != nil || row == nil {
		h.t.Fatal(row, err)
	}
	return *row
}

var (
	busy = &delivery.SendError{Code: "ratelimited", RetryAfter: time.Second}
	gone = &delivery.SendError{Code: "message_not_found", Final: true}
)
