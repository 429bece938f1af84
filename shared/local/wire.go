package local

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"

	"github.com/oklog/ulid/v2"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/persona"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/flow/api"
	"github.com/postern-dev/postern/shared/flow/deliver"
	"github.com/postern-dev/postern/shared/flow/dispatch"
	"github.com/postern-dev/postern/shared/flow/gate"
	"github.com/postern-dev/postern/shared/flow/ingest"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/flow/wake"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

func newID() string { return ulid.Make().String() }

func (r *Runtime) wire() error {
	var t table.Table = r.DB
	if r.Wrap != nil {
		t = r.Wrap(t)
	}
	r.Store = store.New(t)
	now, count := r.Clock.Now, func(string, string) {}
	r.Resolver = &resolve.Resolver{Store: r.Store, Now: now, NewID: newID}
	r.Gate = &gate.Gate{Store: r.Store, Now: now, NewID: newID, Log: r.Log.With("function", "gate"), Count: count,
		Persona: gatePersona, Model: r.ModelName}
	r.Dispatch = &dispatch.Dispatcher{Store: r.Store, Queue: r.Queue, Timer: r.Queue, Now: now, NewID: newID,
		Log: r.Log.With("function", "dispatch")}
	r.Waker = &wake.Waker{Store: r.Store, Resolver: r.Resolver, Now: now, NewID: newID, Log: r.Log.With("function", "wake"), Count: count}
	r.Deliver = &deliver.Deliverer{Store: r.Store, Surfaces: map[string]deliver.Surface{}, ButtonKey: r.LinkKey,
		Link: r.link, SignIn: r.signIn, Secret: rand.Text, Now: now, NewID: newID, Log: r.Log.With("function", "deliver"), Count: count}
	r.Turns = &turn.Engine{Store: r.Store, Model: r.Model, Tools: map[string]turn.Tool{}, Persona: turnPersona,
		Have: map[string]bool{}, Limits: turn.DefaultLimits, Now: now, NewID: newID, Log: r.Log.With("function", "turn"), Count: count}
	r.API = &api.Gate{Store: r.Store, Now: now, NewID: newID, Log: r.Log.With("function", "api"), Count: count}
	mux := http.NewServeMux()
	if err := r.connect(mux); err != nil {
		return err
	}
	return r.entrances(mux)
}

func (r *Runtime) signIn(key string) string { return r.PublicURL + "/login?key=" + key }

func (r *Runtime) link(item string) string { return r.PublicURL + "/inbox/" + item }

// connect wires each configured connector: entrance, surface, tools. An
// unconfigured one answers 404 and nothing else minds (G52).
func (r *Runtime) connect(mux *http.ServeMux) error {
	hc := &http.Client{Timeout: deliver.SendTime}
	for name, wire := range map[string]func(*http.Client) (ingest.Receiver, error){
		trigger.Slack: r.slack, trigger.Feishu: r.feishu, trigger.GitHub: r.github} {
		rec, err := wire(hc)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if rec == nil {
			mux.Handle("POST /hooks/"+name, ingest.NotConfigured())
			continue
		}
		mux.Handle("POST /hooks/"+name, &ingest.Handler{Platform: name, Receiver: rec, Queue: r.Queue, Resolver: r.Resolver,
			Card: r.cardFor(name), Log: r.Log.With("function", name), Count: func(string, string) {}, MaxBody: 6 << 20})
		r.Turns.Have["connector:"+name] = true
	}
	return r.web()
}

// cardFor is the settled card of a click's answer, where the platform shows it.
func (r *Runtime) cardFor(platform string) ingest.Carder {
	if platform != trigger.Feishu {
		return nil
	}
	return func(ctx context.Context, x inbox.Item, at trigger.Place) (*inbox.Card, error) {
		return r.Deliver.Card(ctx, x.ID, at)
	}
}

func (r *Runtime) slack(hc *http.Client) (ingest.Receiver, error) {
	if r.Slack == nil {
		return nil, nil
	}
	c, err := slack.NewClient(*r.Slack, r.SlackAPI, hc)
	if err != nil {
		return nil, err
	}
	r.Deliver.Surfaces[trigger.Slack] = c
	r.Turns.Tools["slack_send_message"] = c.SendMessage
	return slack.NewReceiver(*r.Slack, r.LinkKey, r.Clock.Now)
}

func (r *Runtime) feishu(hc *http.Client) (ingest.Receiver, error) {
	if r.Feishu == nil {
		return nil, nil
	}
	c, err := feishu.NewClient(*r.Feishu, r.FeishuAPI, hc, r.Clock.Now)
	if err != nil {
		return nil, err
	}
	r.Deliver.Surfaces[trigger.Feishu] = c
	r.Turns.Tools["feishu_send_message"] = c.SendMessage
	rec, err := feishu.NewReceiver(*r.Feishu, r.LinkKey, r.Clock.Now)
	if err != nil {
		return nil, err
	}
	return rec.WithBot(c.BotOpenID), nil
}

func (r *Runtime) github(hc *http.Client) (ingest.Receiver, error) {
	if r.GitHub == nil {
		return nil, nil
	}
	c, err := github.NewClient(*r.GitHub, r.GitHubAPI, hc, r.Clock.Now)
	if err != nil {
		return nil, err
	}
	r.Deliver.Surfaces[trigger.GitHub] = c
	r.Turns.Tools["github_comment"] = c.Comment
	r.Turns.Tools["github_read_issue"] = c.ReadIssue
	if again, ok := c.Redelivery(); ok {
		r.Waker.GitHub = func(context.Context) (wake.Redeliverer, error) { return again, nil }
	}
	return github.NewReceiver(*r.GitHub, r.LinkKey, r.Clock.Now)
}

func gatePersona(id string) (gate.Persona, error) {
	p, err := builtin(id)
	return gate.Persona{ID: p.ID, Version: p.Version}, err
}

func turnPersona(id, _ string) (turn.Persona, error) {
	p, err := builtin(id)
	return turn.Persona{Prompt: p.Prompt, Capabilities: p.Capabilities()}, err
}

func builtin(id string) (persona.Persona, error) {
	if id == "" {
		id = "cowork"
	}
	p, ok := persona.Builtin(id)
	if !ok {
		return p, fmt.Errorf("there is no persona %q", id)
	}
	return p, nil
}
