package simulation

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/flow/deliver"
	"github.com/postern-dev/postern/shared/flow/dispatch"
	"github.com/postern-dev/postern/shared/flow/gate"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/flow/wake"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
)

// World is one made world.
type World struct {
	seed uint64
	rng  *rand.Rand
	now  time.Time
	ids  int
	calm bool // no more faults: the world comes to rest

	db    *sqlite.DB
	table *chaos
	store *store.Store
	clean *store.Store // for the checks: no faults, no interleaving

	procs  []*proc
	queue  *queues
	feed   string
	people *people
	agents *agents
	places *surface

	gate     *gate.Gate
	turns    *turn.Engine
	waker    *wake.Waker
	resolver *resolve.Resolver
	deliver  *deliver.Deliverer
	dispatch *dispatch.Dispatcher

	trace  io.Writer
	counts map[string]int
}

// start is when every world begins.
var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// NewWorld makes the demo's world with its policy saved.
func NewWorld(seed uint64) (*World, error) {
	w := &World{seed: seed, rng: rand.New(rand.NewPCG(seed, 77)), now: start, counts: map[string]int{}}
	w.trace = io.Discard
	if os.Getenv("TRACE") != "" {
		w.trace = os.Stderr
	}
	db, err := sqlite.Open(":memory:", sqlite.WithClock(w.clock))
	if err != nil {
		return nil, err
	}
	w.db, w.table = db, &chaos{w: w, t: db}
	w.store, w.clean = store.New(w.table), store.New(db)
	w.queue, w.people, w.agents, w.places = newQueues(w), newPeople(w), newAgents(w), newSurface(w)
	w.wire()
	actions, err := store.SavePolicy(0, thePolicy(), "", "postern:test", w.now)
	if err != nil {
		return nil, err
	}
	_, err = w.clean.Do(context.Background(), "policy", actions...)
	return w, err
}

// wire gives the real handlers this world's clock, ids, table and edges.
func (w *World) wire() {
	log := slog.New(slog.DiscardHandler)
	if os.Getenv("TRACE") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	count := func(name, label string) { w.counts[name]++ }
	w.resolver = &resolve.Resolver{Store: w.store, Now: w.clock, NewID: w.id}
	w.gate = &gate.Gate{Store: w.store, Now: w.clock, NewID: w.id, Log: log, Count: count, Model: "sim",
		Persona: func(string) (gate.Persona, error) { return gate.Persona{ID: "cowork", Version: "1"}, nil }}
	w.turns = &turn.Engine{Store: w.store, Model: w.agents.model, Tools: w.agents.tools(), Limits: turn.DefaultLimits,
		Have: map[string]bool{"connector:github": true, "connector:slack": true},
		Persona: func(string, string) (turn.Persona, error) {
			return turn.Persona{Prompt: "You work.", Capabilities: []string{"github", "slack", "web"}}, nil
		}, Now: w.clock, NewID: w.id, Log: log, Count: count}
	w.waker = &wake.Waker{Store: w.store, Resolver: w.resolver, Now: w.clock, NewID: w.id, Log: log, Count: count}
	w.dispatch = &dispatch.Dispatcher{Store: w.store, Queue: w.queue, Timer: w.queue, Now: w.clock, NewID: w.id, Log: log}
	w.deliver = &deliver.Deliverer{Store: w.store, Surfaces: map[string]deliver.Surface{"slack": w.places}, ButtonKey: []byte("sim"),
		Link: func(item string) string { return "https://panel/" + item }, Now: w.clock, NewID: w.id, Log: log, Count: count}
}

func (w *World) clock() time.Time { return w.now }

func (w *World) id() string {
	w.ids++
	return fmt.Sprintf("%08d", w.ids)
}

func (w *World) chance(percent float64) bool { return w.rng.Float64()*100 < percent }

func (w *World) fault(percent float64) bool { return !w.calm && w.chance(percent) }

func (w *World) tracef(format string, a ...any) {
	if w.trace != io.Discard {
		fmt.Fprintf(w.trace, "%s %s\n", w.now.Format("15:04:05.000"), fmt.Sprintf(format, a...))
	}
}

func thePolicy() policy.Policy {
	approvers := []string{"slack:T1/U0", "slack:T1/U1", "panel:ada"}
	return policy.Policy{
		Owners: []string{"panel:ada"},
		Sources: []policy.Source{{
			Name: "slack", Platform: "slack", Accounts: []string{"T1"}, Listed: []string{"slack:T1/U0", "slack:T1/U1"},
			Scopes: []policy.Scope{{Name: "C1", Receive: "all"}, {Name: "direct"}}, Queue: "default", Mode: "interactive",
		}},
		Queues: []policy.Queue{{Name: "default", Approvers: &approvers, Expiry: "1h",
			Bindings: []policy.Binding{{Surface: "slack", Account: "T1", Channel: "CQ", Private: true}}}},
	}
}
