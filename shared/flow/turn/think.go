package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/catalog"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/permission"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
)

// ModelTime is how long one model call may take. The lease is renewed before
// it, and outlasts it.
const ModelTime = 75 * time.Second

// think makes one model call and keeps what it said, calls by their canonical
// arguments. It is written with what comes of it: the items it needs and the
// parking, an intent, the end of the turn (S7).
func (t *turn) think(ctx context.Context, w session.Standing) error {
	if over := t.over(); over != "" {
		return t.fail(ctx, w, over)
	}
	if err := t.reload(ctx); err != nil || t.done || len(t.mail) > 0 {
		return err // what came meanwhile is read first (steer, S3)
	}
	m, name, err := t.Model(t.s.Model)
	if err != nil {
		return t.fail(ctx, w, err.Error())
	}
	per, err := t.Persona(t.s.Persona, t.s.PersonaVersion)
	if err != nil {
		return t.fail(ctx, w, err.Error())
	}
	if enough, err := t.lasting(ctx); err != nil || !enough {
		return err
	}
	call, cancel := context.WithTimeout(ctx, ModelTime)
	defer cancel()
	reply, err := m.Complete(call, model.Request{
		Model: name, System: per.Prompt, Messages: model.FromTranscript(t.steps), Tools: t.offered(per)})
	if err != nil {
		return t.unanswered(ctx, w, err)
	}
	step := session.Step{Session: t.s.ID, N: w.Next, Role: session.Assistant, Text: cutTo(reply.Text, maxSaid), Model: reply.Model, Run: t.lease.Run,
		Calls: calls(reply.Calls), Used: session.Usage{Input: reply.Input, Output: reply.Output}, At: t.Now()}
	t.lease.Strikes = 0
	t.appended(step)
	t.said, t.fresh = &step, step.N
	return nil
}

// maxSaid and maxCalls are the most bytes of one message's words and of its
// calls' arguments together, so that its step fits its row (S7); mostCalls is
// how many of its calls are looked at, each of them again after each result.
const (
	maxSaid   = 80 << 10
	maxCalls  = permission.MaxArguments + 16<<10
	mostCalls = 64
)

// calls binds a model's calls to their canonical arguments and digest (P25).
// What cannot be read never runs, and is not kept.
func calls(in []model.Call) []session.Call {
	var out []session.Call
	room := maxCalls
	for i, c := range in {
		x := session.Call{ID: c.ID, Tool: c.Tool, Arguments: json.RawMessage(`{}`), Bad: c.Bad}
		if i >= mostCalls {
			x.Bad = fmt.Sprintf("a message takes at most %d calls", mostCalls)
		}
		if x.Bad == "" {
			p, err := permission.NewCall("", c.Tool, c.Arguments)
			switch {
			case err != nil:
				x.Bad = err.Error()
			case len(p.Arguments) > room:
				x.Bad = fmt.Sprintf("the calls of this message have more than %d bytes of arguments together", maxCalls)
			default:
				x.Arguments, x.Digest = p.Arguments, p.Digest
				room -= len(p.Arguments)
			}
		}
		out = append(out, x)
	}
	return out
}

// offered are the tools of this session that the hosted engine can run (P10).
func (t *turn) offered(per Persona) []model.Tool {
	tools, _ := catalog.Expand(per.Capabilities, t.Have)
	var out []model.Tool
	for _, x := range tools {
		if _, runs := t.Tools[x.Name]; runs || t.own(x.Name) {
			out = append(out, model.Tool{Name: x.Name, Description: x.Description, Schema: x.Schema})
		}
	}
	return out
}

// over says which limit of the run is used up (S6).
func (t *turn) over() string {
	u, l := session.Spent(t.steps), t.Limits
	switch {
	case u.Iterations >= l.Iterations:
		return fmt.Sprintf("the run reached its limit of %d model calls", l.Iterations)
	case u.Input+u.Output >= l.Tokens:
		return fmt.Sprintf("the run reached its limit of %d tokens", l.Tokens)
	}
	return ""
}

// lasting makes sure that lease and invocation outlast a model call: a lease
// too short is renewed; with too little invocation time left the turn gives
// the lease back and rings itself (S6).
func (t *turn) lasting(ctx context.Context) (bool, error) {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < ModelTime {
		return false, t.pause(ctx, 0, "too little time left in this invocation")
	}
	now := t.Now()
	if t.lease.Until.Sub(now) >= ModelTime+5*time.Second {
		return true, nil
	}
	renewed := t.lease
	lost, err := t.Store.Do(ctx, t.NewID(), store.RenewLease(&renewed, now))
	if err != nil {
		return false, err
	}
	if lost != nil {
		t.leave("the lease was lost")
		return false, nil
	}
	renewed.Version++
	t.lease = renewed
	return true, nil
}

// maxStrikes is how often in a row a session sleeps because its model cannot
// be reached, before its run fails and says so.
const maxStrikes = 8

// unanswered deals with a model call that failed: what may pass is tried again
// after a pause without holding anything (S11, O4); the rest fails the run.
func (t *turn) unanswered(ctx context.Context, w session.Standing, err error) error {
	t.Count("model_errors", string(model.KindOf(err)))
	t.log.Warn("model call failed", "kind", model.KindOf(err), "error", err)
	var me *model.Error
	if errors.As(err, &me) && !me.Transient() || t.lease.Strikes+1 >= maxStrikes {
		return t.fail(ctx, w, "the model could not be used: "+string(model.KindOf(err)))
	}
	wait := time.Duration(5<<t.lease.Strikes) * time.Second
	if me != nil && me.RetryAfter > wait {
		wait = min(me.RetryAfter, 10*time.Minute)
	}
	t.lease.Strikes++
	return t.pause(ctx, wait, "the model is not available")
}

// pause gives the lease back in the middle of a run and rings the session
// after a while.
func (t *turn) pause(ctx context.Context, wait time.Duration, why string) error {
	now, id := t.Now(), t.NewID()
	at := now.Add(wait)
	t.done = true
	t.log.Info("turn pauses", "why", why, "until", at)
	_, err := t.do(ctx, id, store.DeferLease(t.lease, at, now),
		store.NewOutbox(store.Outbox{ID: id, Created: now, Correlation: t.s.Correlation,
			Bells: []store.Bell{{Ring: store.RingWake, Session: t.s.ID, At: at.Add(time.Second), Key: id}}}))
	return err
}
