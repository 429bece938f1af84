package simulation

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/postern-dev/postern/shared/flow/api"
	"github.com/postern-dev/postern/shared/flow/deliver"
	"github.com/postern-dev/postern/shared/flow/dispatch"
	"github.com/postern-dev/postern/shared/flow/gate"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/flow/wake"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/tests/simulation/memory"
)

// Weather is what a world is like.
type Weather int

const (
	// Storm: everything that may go wrong does, often.
	Storm Weather = iota
	// Fair: nothing goes wrong; invocations still go in any order.
	Fair
)

// World is one made world.
type World struct {
	weather Weather
	rng     *rand.Rand
	now     time.Time
	ids     int
	calm    bool // no more faults: the world comes to rest

	db    engine
	table *chaos
	store *store.Store
	clean *store.Store // for the checks: no faults, no interleaving
	guard *guard

	procs  []*proc
	queue  *queues
	feed   string
	people *people
	agents *agents
	others *others
	places map[string]*surface

	gate     *gate.Gate
	turns    *turn.Engine
	waker    *wake.Waker
	resolver *resolve.Resolver
	deliver  *deliver.Deliverer
	dispatch *dispatch.Dispatcher
	api      *api.Gate
	hooks    map[string]http.Handler // by platform

	trace  io.Writer
	counts map[string]int
	digest uint64   // of everything that happened, in order
	faults []string // what must never be, seen while it happened
}

// engine is the table under a world.
type engine interface {
	table.Table
	table.Feed
	io.Closer
}

// start is when every world begins.
var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// NewWorld makes a world with its policy saved. One in eight keeps its rows in
// SQLite, the others in maps.
func NewWorld(seed uint64, weather Weather) (*World, error) {
	w := &World{weather: weather, rng: rand.New(rand.NewPCG(seed, 77)), now: start, counts: map[string]int{}}
	w.trace = io.Discard
	if os.Getenv("TRACE") != "" {
		w.trace = os.Stderr
	}
	if seed%8 == 0 {
		db, err := sqlite.Open(sqlite.Memory, sqlite.WithClock(w.clock))
		if err != nil {
			return nil, err
		}
		w.db = db
	} else {
		w.db = memory.New(w.clock, w.lag)
	}
	w.table = &chaos{w: w, t: w.db}
	w.store, w.clean, w.guard = store.New(w.table), store.New(w.db), newGuard(w)
	w.queue, w.people, w.agents, w.others = newQueues(w), newPeople(w), newAgents(w), newOthers(w)
	w.places = map[string]*surface{"slack": newSurface(w, "s"), "feishu": newSurface(w, "f"), "github": newSurface(w, "g")}
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
	count := func(name, label string) {
		w.counts[name]++
		if name == "decisions" || name == "answers" || name == "calls" {
			w.counts[name+"_"+label]++
		}
	}
	w.resolver = &resolve.Resolver{Store: w.store, Now: w.clock, NewID: w.id}
	w.gate = &gate.Gate{Store: w.store, Now: w.clock, NewID: w.id, Log: log, Count: count, Model: "sim",
		Persona: func(string) (gate.Persona, error) { return gate.Persona{ID: "cowork", Version: "1"}, nil }}
	w.turns = &turn.Engine{Store: w.store, Model: w.agents.model, Tools: w.agents.tools(), Limits: turn.Limits{Iterations: 12, Tokens: 1 << 40},
		Have: map[string]bool{"connector:github": true, "connector:slack": true},
		Persona: func(string, string) (turn.Persona, error) {
			return turn.Persona{Prompt: "You work.", Capabilities: []string{"session", "github", "slack", "web"}}, nil
		}, Now: w.clock, NewID: w.id, Log: log, Count: count}
	w.waker = &wake.Waker{Store: w.store, Resolver: w.resolver, Now: w.clock, NewID: w.id, Log: log, Count: count}
	w.dispatch = &dispatch.Dispatcher{Store: w.store, Queue: w.queue, Timer: w.queue, Now: w.clock, NewID: w.id, Log: log}
	w.deliver = &deliver.Deliverer{Store: w.store, Surfaces: map[string]deliver.Surface{}, ButtonKey: []byte("sim"),
		Link:   func(item string) string { return "https://panel/" + item },
		SignIn: func(key string) string { return signIn + key }, Secret: func() string { return "key" + w.id() }, Now: w.clock, NewID: w.id, Log: log, Count: count}
	w.api = &api.Gate{Store: w.store, Now: w.clock, NewID: w.id, Log: log, Count: count}
	w.hooks = map[string]http.Handler{}
	for name, s := range w.places {
		w.deliver.Surfaces[name] = s
		w.hooks[name] = w.hook(name, log, count)
	}
}

func (w *World) clock() time.Time { return w.now }

func (w *World) id() string {
	w.ids++
	return fmt.Sprintf("%08d", w.ids)
}

func (w *World) chance(percent float64) bool { return w.rng.Float64()*100 < percent }

// fault decides whether something goes wrong.
func (w *World) fault(percent float64) bool {
	return w.weather == Storm && !w.calm && w.chance(percent)
}

// lag is how many of the newest changes an index does not show.
func (w *World) lag(n int) int {
	if n == 0 || !w.fault(30) {
		return 0
	}
	return w.rng.IntN(min(n, 20) + 1)
}

// wrong records what must never be, at the moment it is.
func (w *World) wrong(format string, a ...any) {
	s := fmt.Sprintf(format, a...)
	w.tracef("WRONG: %s", s)
	w.faults = append(w.faults, s)
}

// happened makes an event part of the world's digest, by which two runs of one
// seed are compared.
func (w *World) happened(what string) {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d|%d|%s", w.digest, w.now.UnixMilli(), what)
	w.digest = h.Sum64()
}

func (w *World) tracef(format string, a ...any) {
	if w.trace != io.Discard {
		fmt.Fprintf(w.trace, "%s %s\n", w.now.Format("15:04:05.000"), fmt.Sprintf(format, a...))
	}
}

// Close lets go of what the world holds.
func (w *World) Close() error { return w.db.Close() }
