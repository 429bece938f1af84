package turn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// goOn deals with a call that was begun before (S8): an outcome is appended;
// an intent before its deadline is left alone until then; past it, a tool that
// declared itself idempotent runs again with the same key, any other becomes a
// question to a person.
func (t *turn) goOn(ctx context.Context, w session.Standing, j *judged, a session.Attempt) error {
	if a.State != session.Intended {
		step := t.result(w, j.pos, a.Result, a.State == session.Ran)
		return t.settled(ctx, j, []table.Action{store.AppendStep(step)}, step)
	}
	if a.Deadline.After(t.Now()) {
		return t.later(ctx, a)
	}
	if j.tool.Idempotent && a.Version <= maxAgain {
		return t.again(ctx, w, j, a)
	}
	return t.unsure(ctx, w, j, a)
}

// maxAgain is how often an idempotent call that never ends is taken up again
// before a person is asked.
const maxAgain = 4

// doubtful reports whether a call that failed may have happened all the same:
// no answer came, or one that says nothing. Where no connection was made, or
// the platform said no, it did not.
func doubtful(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	var dial *net.OpError
	var send *delivery.SendError
	switch {
	case !errors.As(err, &send):
		return false
	case errors.As(err, &dial) && dial.Op == "dial":
		return false
	}
	return send.Code == "network" || send.Code == "canceled" || send.Code == "unreadable" || strings.HasPrefix(send.Code, "http_5")
}

// later leaves a call that may still be running, and rings the session when
// its deadline has passed.
func (t *turn) later(ctx context.Context, a session.Attempt) error {
	return t.pause(ctx, max(0, a.Deadline.Sub(t.Now())), "a call may still be running")
}

// again takes over an intent and runs an idempotent call once more, with the
// same key.
func (t *turn) again(ctx context.Context, w session.Standing, j *judged, a session.Attempt) error {
	if enough, err := t.enoughFor(ctx, j); err != nil || !enough {
		return err
	}
	a.Writer, a.Deadline = t.lease.Holder, t.Now().Add(timeout(j)+5*time.Second)
	lost, err := t.commit(ctx, store.TakeOverAttempt(a))
	if err != nil || t.done || lost != nil {
		return err
	}
	a.Version++
	return t.run(ctx, w, j, a)
}

// happened and skipped are the answers to the question below.
const (
	happened = "o1"
	skipped  = "o2"
)

// unsure asks a person whether a call happened, and ends the attempt with what
// he says.
func (t *turn) unsure(ctx context.Context, w session.Standing, j *judged, a session.Attempt) error {
	id := inbox.ItemID(t.s.ID, w.Asked.N, j.pos, a.Digest+"|unsure")
	x, b, err := t.Store.ItemAndBody(ctx, id)
	if err != nil {
		return err
	}
	if x == nil || b == nil {
		rules, err := t.policy(ctx)
		if err != nil {
			return err
		}
		if why := raise.Nobody(rules, t.s.Queue); why != "" {
			a.State, a.Result = session.Unknown, "It is not known whether this call ran, and it is not repeated: "+why+"."
			return t.conclude(ctx, w, j, a, j.item)
		}
		return t.askUnsure(ctx, w, j, id, a)
	}
	if !x.State.Terminal() {
		return t.park(ctx, id, store.SameAttempt(a)) // its writer may have told the outcome just now
	}
	a.State, a.Result = session.Unknown, "It is not known whether this call ran. "+inbox.ForAgent(*x, *b)
	switch x.Choice {
	case happened:
		a.State, a.Result = session.Ran, "A person says that this call did happen. "+x.Reason
	case skipped:
		a.State, a.Result = session.Failed, "A person says that this call did not happen. It was not repeated. "+x.Reason
	}
	return t.conclude(ctx, w, j, a, x)
}

// conclude ends an attempt whose outcome nobody wrote, with its result, and
// consumes the resolution of the item that said so.
func (t *turn) conclude(ctx context.Context, w session.Standing, j *judged, a session.Attempt, by *inbox.Item) error {
	a.Ended, a.Writer = t.Now(), t.lease.Holder
	step := t.result(w, j.pos, a.Result, a.State == session.Ran)
	row, err := t.ran(ctx, j, a)
	if err != nil {
		return err
	}
	asked := *j
	asked.item = by
	return t.settled(ctx, &asked, []table.Action{store.TakeOverAttempt(a), store.AppendStep(step), row}, step)
}

func (t *turn) askUnsure(ctx context.Context, w session.Standing, j *judged, id string, a session.Attempt) error {
	q := *j
	q.fate, q.item, q.begun = ask, nil, &a
	q.ask = raise.Ask{ID: id, Kind: inbox.Question, Title: "Did this happen? " + title(j), Tool: j.raw.Tool,
		Risk: string(j.decision.Effective), Digest: j.call.Digest + "|unsure", Run: t.lease.Run, Step: w.Asked.N, Pos: j.pos,
		Rule: "unsure outcome (S8)", Body: inbox.Body{
			Text:      fmt.Sprintf("The agent began %s and the reply was lost. It may or may not have happened, and it is not repeated by itself. Please look there and say which.", title(j)),
			Arguments: j.call.Arguments, AllowText: true,
			Options: []inbox.Option{{Value: happened, Label: "It happened"}, {Value: skipped, Label: "It did not happen"}},
			Why:     "the intent is past its deadline without an outcome"}}
	_, err := t.raise(ctx, []judged{q})
	return err
}
