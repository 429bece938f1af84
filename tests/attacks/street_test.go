package attacks

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/queue"
	"github.com/postern-dev/postern/shared/local/standin/feishu"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

const rules = `
owners: [panel:ada]
sources:
  - name: slack
    platform: slack
    accounts: [T0DEV]
    scopes: [{name: C0OPS, receive: all}]
    listed:
      - slack:T0DEV/U0ADA
  - name: feishu
    platform: feishu
    accounts: [cli_dev]
    scopes: [{name: oc_ops, receive: all}]
    listed:
      - feishu:cli_dev/ou_ada
  - name: github
    platform: github
    accounts: [acme/shop]
    scopes: [{name: issues, receive: all}, {name: comments, receive: all}]
    listed: ["github:11"]
queues:
  - name: default
    approvers:
      - slack:T0DEV/U0ADA
      - slack:T0DEV/U9EVE
      - feishu:cli_dev/ou_ada
    bindings:
      - {surface: slack, account: T0DEV, channel: C0APPROVALS}
`

// street is a whole deployment on the embedded engine and the three platforms
// in front of it, with people who mean no good: Mallory is in the channels and
// on no list, Eve clicks from a connected workspace.
type street struct {
	*testing.T
	ctx   context.Context
	clock *clock.Fake
	run   *local.Runtime
	world *local.World
	url   string
}

func open(t *testing.T) *street {
	t.Helper()
	s := &street{T: t, ctx: context.Background(), clock: clock.NewFake(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))}
	cfg := slack.DevConfig()
	cfg.People["U9EVE"] = slack.Person{Name: "eve", Team: "T9PARTNER"}
	s.world = &local.World{Slack: slack.New(cfg, s.clock.Now), Feishu: feishu.New(feishu.DevSecrets(), s.clock.Now), GitHub: github.New(github.DevConfig(), s.clock.Now)}
	mux := newMux(s.world)
	back := httptest.NewServer(mux)
	t.Cleanup(back.Close)
	p, err := policy.Parse("attacks.yaml", []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	c := local.Config{Clock: s.clock, Log: slog.New(slog.DiscardHandler), LinkKey: []byte("attacks-link-key-000000"), PublicURL: "http://127.0.0.1", Policy: p, Source: rules}
	s.world.Connect(&c, back.URL)
	if s.run, err = local.Open(c); err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(s.run.Handler)
	t.Cleanup(func() { front.Close(); _ = s.run.Close() })
	s.url = front.URL
	return s
}

func (s *street) slack() slack.Hook {
	return slack.Hook{URL: s.url + "/hooks/slack", Client: httpClient}
}
func (s *street) github() github.Hook {
	return github.Hook{URL: s.url + "/hooks/github", Client: httpClient}
}
func (s *street) feishu() feishu.Hook {
	return feishu.Hook{URL: s.url + "/hooks/feishu", Client: httpClient}
}

// judge lets the gate judge what waits, and gives all its decisions.
func (s *street) judge() []ticket.Decision {
	s.Helper()
	for {
		did, err := s.run.Queue.Step(s.ctx, map[string]queue.Handler{
			doorbell.Triggers: func(ctx context.Context, r queue.Received) error { return s.run.Gate.Hear(ctx, r.Body) }})
		if err != nil {
			s.Fatal(err)
		}
		if !did {
			break
		}
	}
	all, _, err := s.run.Store.Decisions(s.ctx, "", 100)
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// started are the decisions that began work.
func (s *street) started() (n int) {
	s.Helper()
	for _, d := range s.judge() {
		if d.Ticket != "" {
			n++
		}
	}
	return n
}

func (s *street) waiting() int {
	s.Helper()
	d, err := s.run.Queue.Depths(s.ctx)
	if err != nil {
		s.Fatal(err)
	}
	return d[doorbell.Triggers].Ready
}

// asked stores an item of a session and shows its card in the approvals
// channel; it gives the item and the card.
func (s *street) asked(title string) (inbox.Item, slack.Message) {
	s.Helper()
	sid := ulid.Make().String()
	at := trigger.Place{Surface: trigger.Slack, Account: "T0DEV", Channel: "C0APPROVALS"}
	x := inbox.Item{ID: inbox.ItemID(sid, 1, 0, "d"), Session: sid, Persona: "cowork", Kind: inbox.Approval, Title: title, Queue: "default", Tool: "github_comment",
		Risk: "external", Digest: "sha256:d", State: inbox.Pending, Places: []trigger.Place{at}, Generation: 1, Created: s.clock.Now(), Expires: s.clock.Now().Add(time.Hour), Version: 1}
	args, err := json.Marshal(map[string]string{"body": title})
	if err != nil {
		s.Fatal(err)
	}
	b := inbox.Body{Item: x.ID, Text: title, Arguments: args, Asked: actor.Actor{Provider: "slack", Workspace: "T0DEV", ID: "U0BOB", Kind: actor.Human}}
	actions := store.NewSession(session.Session{ID: sid, Persona: "cowork", PersonaVersion: "1", Mode: "interactive", Queue: "default", Generation: 1, Created: s.clock.Now(), Version: 1}, 0)
	s.write(append(append(actions, store.NewItem(x, b)...), store.NewShown(x.ID, at, true, s.clock.Now()))...)
	if err := s.run.Deliver.Show(s.ctx, x.ID, at); err != nil {
		s.Fatal(err)
	}
	cards := s.world.Slack.Posted("C0APPROVALS")
	if len(cards) == 0 || len(cards[len(cards)-1].Buttons()) != 3 {
		s.Fatalf("no card: %+v", cards)
	}
	return x, cards[len(cards)-1]
}

func (s *street) write(actions ...table.Action) {
	s.Helper()
	if lost, err := s.run.Store.Do(s.ctx, ulid.Make().String(), actions...); err != nil || lost != nil {
		s.Fatal(lost, err)
	}
}

func (s *street) item(id string) inbox.Item {
	s.Helper()
	x, err := s.run.Store.Item(s.ctx, id)
	if err != nil || x == nil {
		s.Fatal(x, err)
	}
	return *x
}
