package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/postern-dev/postern/cmd/postern/internal/event"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// File feeds the next file of the history. name is how its line calls it.
func (r *Replay) File(ctx context.Context, name string, raw []byte) Line {
	l := Line{File: name}
	f, err := event.Read(raw)
	r.now = r.cfg.Now()
	if r.cfg.Captured && !f.At.IsZero() {
		r.now = f.At
	}
	var no *event.NotAnEvent
	switch {
	case errors.As(err, &no):
		l.fail("not_an_event", err.Error())
		return l
	case err != nil: // as Lambda's adapter answers it
		l.Status = http.StatusBadRequest
		l.fail("unreadable", err.Error())
		return l
	}
	if r.cfg.Unverified && r.taps[f.Platform] != nil {
		if f, err = r.cfg.Secrets.Sign(f, r.now); err != nil {
			l.fail("not_an_event", err.Error())
			return l
		}
	}
	t := r.taps[f.Platform]
	d := r.enter(f, t, &l)
	if d == nil {
		return l
	}
	l.Event = d.Event
	again := r.again("delivery "+d.Platform+" "+d.ID, d.ID != "", name)
	switch {
	case d.Trigger != nil:
		r.judge(ctx, *d.Trigger, again, &l)
	case d.Answer != nil:
		l.Resolution = &Resolution{Item: d.Answer.Item, Digest: d.Answer.Digest, Choice: d.Answer.Choice, Actor: d.Answer.Actor.Ref()}
	case d.Drop == "unknown event":
		l.fail("unknown_event", "the event is not one that Postern reads; it is answered and counted")
	case d.Drop != "":
		l.fail("dropped", d.Drop)
	}
	if again != "" {
		l.fail("duplicate", fmt.Sprintf("delivery %s came before, in %s; it counts once (G47)", d.ID, again))
	}
	return l
}

// enter lets a request in at the entrance and gives what the receiver made of
// it, nil if it was refused.
func (r *Replay) enter(f event.File, t *tap, l *Line) *delivery.Delivery {
	if t == nil {
		l.Status = http.StatusNotFound
		l.fail("not_configured", or(f.Platform, "the platform of this path")+" is not configured here, so its entrance answers 404 (G52)")
		return nil
	}
	t.got, t.refused = nil, nil
	req, err := http.NewRequest(f.Method, "/hooks/"+f.Platform, bytes.NewReader(f.Body))
	if err != nil {
		l.fail("not_an_event", "the request cannot be made: "+err.Error())
		return nil
	}
	req.Header = f.Header
	w := &answer{header: http.Header{}, status: http.StatusOK}
	r.mux.ServeHTTP(w, req)
	l.Status = w.status
	var ref *delivery.Refusal
	switch {
	case w.status == http.StatusMethodNotAllowed:
		l.fail("wrong_method", "an entrance takes POST, not "+f.Method)
	case errors.As(t.refused, &ref):
		l.fail(ref.Code, ref.Detail)
	case t.got == nil: // refused before the receiver saw it; the answer is the code
		l.fail(strings.TrimSpace(w.body.String()), "the body is over the limit or could not be read")
	}
	return t.got
}

// again says in which file something came first, and remembers it if here.
func (r *Replay) again(key string, known bool, file string) string {
	if !known {
		return ""
	}
	if r.first[key] == "" {
		r.first[key] = file
		return ""
	}
	return r.first[key]
}

// judge lets the gate judge a Trigger, and writes down what it decided.
func (r *Replay) judge(ctx context.Context, t trigger.Trigger, again string, l *Line) {
	l.Trigger = &Trigger{Thread: t.Thread.Key(), Sender: Sender{ID: t.Sender.ID, Kind: string(t.Sender.Kind)},
		Named: string(t.Named), Text: t.Text, ID: t.ID}
	d, err := r.gate.Judge(ctx, t)
	if err != nil {
		l.fail("not_judged", err.Error())
		return
	}
	before := r.again("message "+t.ID, true, l.File)
	if d.Outcome == "duplicate" {
		why := "duplicate: this delivery came before, in " + again
		if again == "" {
			why = "duplicate: the same message came before by another delivery, in " + before
			l.fail("duplicate", "message "+t.ID+" came before by another delivery, in "+before+"; it counts once (G47)")
		}
		a := policy.Admit(r.cfg.Policy, t, policy.Facts{})
		l.Trigger.Source, l.Trigger.Scope = a.Source, a.Scope
		l.Admission = &Admission{Strength: policy.NotAdmitted, Reason: why}
		return
	}
	l.Trigger.Source, l.Trigger.Scope = d.Source, d.Scope
	l.Admission = &Admission{Strength: d.Strength, Reason: d.Reason, Cell: d.Cell}
	l.Outcome = outcome(d)
}

// outcome says what a decision led to.
func outcome(d ticket.Decision) string {
	switch d.Outcome {
	case "accepted":
		return "accepted as ticket " + d.Ticket + ", with an executor of its own"
	case "delivered":
		return "delivered to ticket " + d.Ticket
	}
	return "recorded; it starts nothing"
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// answer keeps what an entrance answered.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }
