package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/permission"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store"
)

// own reports whether the engine itself carries out a tool: those that ask or
// sleep (S10, W1).
func (t *turn) own(tool string) bool { return tool == "ask_user" || tool == "sleep_for" }

// judgeOwn finds the fate of an own tool's call.
func (t *turn) judgeOwn(ctx context.Context, w session.Standing, j *judged) error {
	if j.raw.Tool != "ask_user" {
		j.fate = own
		return nil
	}
	q, err := question(j.call.Arguments)
	if err != nil {
		j.fate, j.text = answer, "The call was not run: "+err.Error()+"."
		return nil
	}
	j.decision = permission.Decision{Outcome: permission.Route, Reason: "the agent asks", By: permission.By{Kind: permission.ByCatalog}}
	if err := t.judgeAsked(ctx, w, j, inbox.ItemID(t.s.ID, w.Asked.N, j.pos, j.call.Digest)); err != nil {
		return err
	}
	j.ask.Kind, j.ask.Title, j.ask.Risk, j.ask.Body = inbox.Question, q.Text, "read", q
	return nil
}

// question reads ask_user's arguments.
func question(args json.RawMessage) (inbox.Body, error) {
	var a struct {
		Question  string   `json:"question"`
		Options   []string `json:"options"`
		AllowText *bool    `json:"allow_text"`
		Multi     bool     `json:"multi"`
	}
	if err := json.Unmarshal(args, &a); err != nil || strings.TrimSpace(a.Question) == "" {
		return inbox.Body{}, fmt.Errorf("ask_user takes a question")
	}
	if len(a.Options) > 20 {
		return inbox.Body{}, fmt.Errorf("ask_user takes at most 20 options")
	}
	b := inbox.Body{Text: a.Question, AllowText: a.AllowText == nil || *a.AllowText, Multi: a.Multi, Arguments: args, Why: "the agent asks"}
	for i, o := range a.Options {
		b.Options = append(b.Options, inbox.Option{Value: fmt.Sprintf("o%d", i+1), Label: o})
	}
	if len(b.Options) == 0 {
		b.AllowText = true
	}
	return b, nil
}

// runOwn carries out sleep_for: the wake, its result and its doorbell are one
// transaction, and the turn then rests (W2, W3).
func (t *turn) runOwn(ctx context.Context, w session.Standing, j *judged) error {
	var a struct {
		Seconds float64 `json:"seconds"`
		Note    string  `json:"note"`
	}
	if err := json.Unmarshal(j.call.Arguments, &a); err != nil {
		j.text = "The call was not run: sleep_for takes seconds, a number."
		return t.answer(ctx, w, j)
	}
	now := t.Now()
	if a.Seconds > wake.Longest.Seconds() { // before it is a Duration, which it would overflow
		j.text = "The call was not run: sleep_for takes at most 365 days."
		return t.answer(ctx, w, j)
	}
	at, err := wake.Due(now.Add(time.Duration(a.Seconds*float64(time.Second))), now)
	if err != nil {
		j.text = "The call was not run: " + err.Error() + "."
		return t.answer(ctx, w, j)
	}
	id := t.NewID()
	x := wake.Wake{ID: fmt.Sprintf("w-%d-%d", w.Asked.N, j.pos), Session: t.s.ID, Kind: wake.Timer, At: at, Note: a.Note,
		Generation: t.s.Generation, Created: now}
	step := t.result(w, j.pos, "Asleep until "+at.UTC().Format(time.RFC3339)+". You will be woken.", true)
	lost, err := t.commit(ctx, store.NewWake(x), store.AppendStep(step),
		store.NewAudit(store.Audit{ID: id, Chain: "session#" + t.s.ID, What: "sleeps", Actor: auditor(t.s), Reason: a.Note,
			Is: at.UTC().Format(time.RFC3339), At: now}),
		store.NewOutbox(store.Outbox{ID: id, Created: now, Correlation: t.s.Correlation,
			Bells: []store.Bell{{Ring: store.RingWake, Session: t.s.ID, Wake: x.ID, Generation: x.Generation, At: at}}}))
	if err != nil || t.done {
		return err
	}
	if lost != nil {
		return fmt.Errorf("wake %s was written by somebody else while the lease was held", x.ID)
	}
	t.appended(step)
	return nil
}
