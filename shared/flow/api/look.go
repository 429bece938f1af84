package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/permission"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// Look tells what became of a submitted call.
func (g *Gate) Look(ctx context.Context, s session.Session, call string) (Told, error) {
	x, err := g.Store.Submitted(ctx, s.ID, call)
	if err != nil {
		return Told{}, err
	}
	if x == nil {
		return Told{}, problem(404, "unknown", "this session submitted no such call")
	}
	return g.look(ctx, s, *x)
}

func (g *Gate) look(ctx context.Context, s session.Session, x store.Submitted) (Told, error) {
	switch x.Outcome {
	case "allow":
		return allowed(x), nil
	case "waiting":
	default:
		return refused(x, x.Reason), nil
	}
	w, err := g.Store.Whole(ctx, x.Item)
	it, b := w.Item, w.Body
	if err != nil || it == nil || b == nil {
		return Told{}, err
	}
	if it.State == inbox.Pending && !it.Expires.After(g.Now()) {
		it.State = inbox.Expired // its time is over; the reconciler writes it
		it.Resolved = it.Expires
	}
	switch it.State {
	case inbox.Pending:
		return waiting(x, *it, g.Now()), nil
	case inbox.Approved:
		return Told{Call: x.ID, Decision: "allow", Outcome: string(it.State), Reason: inbox.Told(*it), Item: it.ID,
			Grant: it.ID, Spent: w.Attempt != nil, Arguments: x.Arguments}, nil
	}
	return Told{Call: x.ID, Decision: "deny", Outcome: string(it.State), Reason: inbox.ForAgent(*it, *b), Item: it.ID}, nil
}

func allowed(x store.Submitted) Told {
	return Told{Call: x.ID, Decision: "allow", Outcome: "allowed", Reason: x.Reason}
}

func refused(x store.Submitted, reason string) Told {
	return Told{Call: x.ID, Decision: "deny", Outcome: "refused", Reason: reason}
}

func waiting(x store.Submitted, it inbox.Item, now time.Time) Told {
	return Told{Call: x.ID, Decision: "waiting", Outcome: "pending", Item: it.ID,
		Reason: "still waiting for a person; this is no denial", RetryAfter: retryAfter(now.Sub(it.Created))}
}

// retryAfter grows with how long an item waits: 2 to 30 seconds (S14).
func retryAfter(age time.Duration) int {
	switch {
	case age < 30*time.Second:
		return 2
	case age < 5*time.Minute:
		return 5
	case age < time.Hour:
		return 15
	}
	return 30
}

// Spend spends the grant of an approved call, once (P25): the call is judged
// again by today's state, and the write that records the intent is the one
// that spends. The same idempotency key again is the same spending.
func (g *Gate) Spend(ctx context.Context, s session.Session, call, idem string) (Told, error) {
	x, err := g.Store.Submitted(ctx, s.ID, call)
	if err != nil {
		return Told{}, err
	}
	if x == nil || x.Item == "" {
		return Told{}, problem(404, "unknown", "this session has no such call with a grant")
	}
	it, err := g.Store.Item(ctx, x.Item)
	if err != nil {
		return Told{}, err
	}
	if it == nil || it.State != inbox.Approved {
		return Told{}, problem(409, "not_approved", "the call is not approved")
	}
	server, tool := permission.SplitName(x.Tool)
	c, err := permission.NewCall(server, tool, x.Arguments)
	if err != nil {
		return Told{}, err
	}
	d := permission.Evaluate(c, g.state(s))
	grant := permission.GrantFor(it.ID, it.Session, it.Generation, c)
	grant.Digest = it.Digest
	if r := permission.MaySpend(grant, c, d, permission.Today{Session: s.ID, Generation: s.Generation}); r != "" {
		return Told{}, problem(409, string(r), r.Words())
	}
	return g.spend(ctx, s, *x, *it, idem)
}

func (g *Gate) spend(ctx context.Context, s session.Session, x store.Submitted, it inbox.Item, idem string) (Told, error) {
	now, uid := g.Now(), g.NewID()
	a := session.Attempt{Session: s.ID, Tool: x.Tool, Digest: x.Digest, Item: it.ID, Places: it.Places, Correlation: it.Correlation,
		Key: digest(s.ID, idem)[:26], Writer: s.Owner, Deadline: now.Add(time.Hour)}
	told := Told{Call: x.ID, Decision: "allow", Outcome: string(it.State), Reason: inbox.Told(it), Item: it.ID, Grant: it.ID,
		Spent: true, Arguments: x.Arguments}
	lost, err := g.Store.Do(ctx, uid, store.NewAttempt(a), store.NewAudit(store.Audit{ID: uid, Chain: "session#" + s.ID,
		What: "spent", Actor: actor.Actor{Provider: "key", ID: s.Owner, Kind: actor.Key}, Via: "api", Item: it.ID,
		Tool: x.Tool, Digest: x.Digest, At: now}))
	if err != nil {
		return Told{}, err
	}
	if lost == nil {
		return told, nil
	}
	was, err := g.Store.Attempt(ctx, s.ID, it.ID, 0, 0)
	if err != nil {
		return Told{}, err
	}
	if was != nil && was.Key == a.Key {
		return told, nil
	}
	return Told{}, problem(409, "spent", "the approval was already used; ask again")
}

// Ended is how a call went, as the agent elsewhere tells it.
type Ended struct {
	OK     bool   `json:"ok"`
	Result string `json:"result"`
}

// Outcome records how a call that spent its grant ended, once; the card then
// says so (I23).
func (g *Gate) Outcome(ctx context.Context, s session.Session, call string, in Ended) error {
	x, err := g.Store.Submitted(ctx, s.ID, call)
	if err != nil {
		return err
	}
	if x == nil || x.Item == "" {
		return problem(404, "unknown", "this session has no such call with a grant")
	}
	w, err := g.Store.Whole(ctx, x.Item)
	it, a := w.Item, w.Attempt
	if err != nil || it == nil {
		return err
	}
	if a == nil {
		return problem(409, "not_spent", "the grant was not spent, so the call cannot have run")
	}
	now, uid := g.Now(), g.NewID()
	done := *a
	done.State, done.Ended, done.Result = session.Ran, now, clip(in.Result)
	if !in.OK {
		done.State = session.Failed
	}
	actions := []table.Action{store.EndAttempt(done), store.NewAudit(store.Audit{ID: uid,
		Chain: "session#" + s.ID, What: "ran", Actor: actor.Actor{Provider: "key", ID: s.Owner, Kind: actor.Key}, Via: "api",
		Item: it.ID, Tool: x.Tool, Digest: x.Digest, Was: string(session.Intended), Is: string(done.State), At: now})}
	for _, p := range it.Places { // the item may be closed by now: its places wait by themselves
		actions = append(actions, store.DueShown(it.ID, p, now))
	}
	if _, err := g.Store.Do(ctx, uid, actions...); err != nil {
		return fmt.Errorf("outcome: %w", err)
	}
	return nil // lost: told before; once is enough
}

// clip keeps the first 4,000 bytes, and never half a letter: a row takes whole
// ones only.
func clip(s string) string {
	if len(s) > 4000 {
		s = s[:4000]
	}
	return strings.ToValidUTF8(s, "")
}
