// Package replay feeds captured deliveries to the real entrances and the real
// gate, offline, one after another as one history (U13): to see what a policy
// makes of them before it is applied.
//
// Its table lives in memory and ends with it. Nothing is sent anywhere, no
// model is asked, no item is resolved.
package replay

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/postern-dev/postern/cmd/postern/internal/event"
	"github.com/postern-dev/postern/shared/domain/persona"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/flow/gate"
	"github.com/postern-dev/postern/shared/flow/ingest"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
)

// maxBody is what Lambda hands over at most.
const maxBody = 6 << 20

// Config is what a replay is made with.
type Config struct {
	Policy  policy.Policy
	Secrets event.Secrets
	Now     func() time.Time
	// Captured judges each file at the time the API got it, where it says so,
	// so that what was fresh then is not stale today.
	Captured bool
	// Unverified signs each file anew before it comes in, so that its own
	// signature and age do not count.
	Unverified bool
}

// Replay is one history.
type Replay struct {
	cfg   Config
	db    *sqlite.DB
	gate  *gate.Gate
	mux   *http.ServeMux
	taps  map[string]*tap
	now   time.Time         // of the file under way
	ids   int               // ids are numbers, so that the same history reads the same
	first map[string]string // deliveries and messages: the file each came in first
}

// Open begins a history under a policy, by the secrets given.
func Open(ctx context.Context, cfg Config) (*Replay, error) {
	r := &Replay{cfg: cfg, mux: http.NewServeMux(), taps: map[string]*tap{}, first: map[string]string{}}
	var err error
	if r.db, err = sqlite.Open(sqlite.Memory, sqlite.WithClock(r.clock)); err != nil {
		return nil, err
	}
	st := store.New(r.db)
	actions, err := store.SavePolicy(0, cfg.Policy, "", "postern:replay", cfg.Now())
	if err != nil {
		return nil, err
	}
	if _, err := st.Do(ctx, "policy", actions...); err != nil {
		return nil, err
	}
	r.gate = &gate.Gate{Store: st, Now: r.clock, NewID: r.newID, Log: slog.New(slog.DiscardHandler),
		Count: func(string, string) {}, Persona: personaOf}
	return r, r.entrances()
}

// Close ends it.
func (r *Replay) Close() error { return r.db.Close() }

func (r *Replay) clock() time.Time { return r.now }

func (r *Replay) newID() string {
	r.ids++
	return fmt.Sprintf("%06d", r.ids)
}

func personaOf(id string) (gate.Persona, error) {
	if id == "" {
		id = persona.Default
	}
	p, ok := persona.Builtin(id)
	if !ok {
		return gate.Persona{}, fmt.Errorf("there is no persona %q built in", id)
	}
	return gate.Persona{ID: p.ID, Version: p.Version}, nil
}

// entrances opens one for each platform with secrets, as a deployment does;
// the others answer 404 (G52).
func (r *Replay) entrances() error {
	s := r.cfg.Secrets
	open := map[string]func() (ingest.Receiver, error){}
	if s.Slack != nil {
		open[trigger.Slack] = func() (ingest.Receiver, error) { return slack.NewReceiver(*s.Slack, s.LinkKey, r.clock) }
	}
	if s.Feishu != nil {
		open[trigger.Feishu] = func() (ingest.Receiver, error) { return feishu.NewReceiver(*s.Feishu, s.LinkKey, r.clock) }
	}
	if s.GitHub != nil {
		open[trigger.GitHub] = func() (ingest.Receiver, error) { return github.NewReceiver(*s.GitHub, s.LinkKey, r.clock) }
	}
	for name, f := range open {
		rec, err := f()
		if err != nil {
			return err
		}
		t := &tap{Receiver: rec}
		r.taps[name] = t
		r.mux.Handle("POST /hooks/"+name, &ingest.Handler{Platform: name, Receiver: t, Queue: t, Resolver: t,
			Log: slog.New(slog.DiscardHandler), Count: func(string, string) {}, MaxBody: maxBody})
	}
	return nil
}
