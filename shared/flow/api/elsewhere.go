// Package api is the gate for agents that run elsewhere, over HTTP (S14): open
// a session, submit a tool call, ask again, spend the grant, tell the outcome;
// and for people who are signed in: read the Inbox and answer.
//
// No request is held open. A credential that submits calls never resolves an
// item (I13): the two kinds of caller have separate entrances here.
package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/permission"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// Gate is the gate for agents elsewhere. Safe for concurrent use.
type Gate struct {
	Store *store.Store
	Now   func() time.Time
	NewID func() string
	Log   *slog.Logger
	Count func(name, label string)
}

// Told is what an agent is told of a submitted call.
type Told struct {
	Call       string          `json:"call"`
	Decision   string          `json:"decision"` // allow, deny, waiting
	Outcome    string          `json:"outcome"`  // approved, denied, expired, cancelled, superseded; allowed or refused by a rule
	Reason     string          `json:"reason"`
	Item       string          `json:"item,omitempty"`
	Link       string          `json:"link,omitempty"`
	Grant      string          `json:"grant,omitempty"` // allow by a person: to be spent once
	Spent      bool            `json:"spent,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`   // what was approved, canonical
	RetryAfter int             `json:"retry_after,omitempty"` // seconds, 2 to 30
}

// Opening is what a session is opened with.
type Opening struct {
	Title string `json:"title"`
	Mode  string `json:"mode"`
	Queue string `json:"queue"`
	// Roots are the folders that the agent's tools may write in, absolute, the
	// first the one that relative paths are of. A write anywhere else is denied
	// (P13 step 2); inside, the mode decides as ever.
	Roots []string `json:"roots"`
}

// maxRoots is how many folders a session takes.
const maxRoots = 16

// roots cleans the folders of an opening. The whole file system is no root.
func roots(in []string) ([]string, error) {
	if len(in) > maxRoots {
		return nil, problem(400, "bad_root", fmt.Sprintf("a session takes at most %d roots", maxRoots))
	}
	var out []string
	for _, r := range in {
		c := path.Clean(strings.ReplaceAll(r, `\`, "/"))
		if len(r) > 1024 || strings.ContainsRune(r, 0) || c == "/" || (!strings.HasPrefix(c, "/") && !driveLetter(c)) {
			return nil, problem(400, "bad_root", fmt.Sprintf("%q is no folder that an agent may have; roots are absolute, and never the whole disk", r))
		}
		out = append(out, c)
	}
	return out, nil
}

func driveLetter(c string) bool {
	return len(c) > 3 && c[1] == ':' && c[2] == '/'
}

// state is what the permission function sees of a session elsewhere.
func (g *Gate) state(s session.Session) permission.State {
	st := permission.State{Session: s.ID, Mode: permission.Mode(s.Mode), Unattended: s.Unattended, Now: g.Now()}
	for _, r := range s.Roots {
		st.Roots = append(st.Roots, permission.Root{Path: r, Writable: true})
	}
	return st
}

// Open opens a session of an agent elsewhere, once per idempotency key. It is
// born unattended: making its key was the confirmation (I15). The mode is
// never above what the key allows.
func (g *Gate) Open(ctx context.Context, k store.APIKey, idem string, in Opening) (session.Session, error) {
	id := "s-" + digest(k.Hash, idem)[:26]
	if s, err := g.Store.Session(ctx, id); err != nil || s != nil {
		if s == nil {
			return session.Session{}, err
		}
		return *s, err
	}
	mode, err := within(in.Mode, k.Mode)
	if err != nil {
		return session.Session{}, err
	}
	folders, err := roots(in.Roots)
	if err != nil {
		return session.Session{}, err
	}
	now := g.Now()
	s := session.Session{ID: id, Roots: folders, Persona: or(k.Persona, "elsewhere"), PersonaVersion: "1", Title: or(in.Title, "Agent "+k.Name),
		Mode: mode, Unattended: true, Queue: or(in.Queue, or(k.Queue, "default")), Owner: "key:" + k.Name, Elsewhere: true,
		Asked:       actor.Actor{Provider: "key", ID: k.Name, Name: k.Name, Kind: actor.Key},
		Correlation: "api:" + id, Generation: 1, Created: now}
	if p, err := g.Store.Policy(ctx); err != nil {
		return s, err
	} else if _, ok := p.Queue(s.Queue); !ok {
		return s, problem(400, "unknown_queue", fmt.Sprintf("there is no queue %q; an owner makes one in the policy", s.Queue))
	}
	lost, err := g.Store.Do(ctx, g.NewID(), store.NewSession(s, 0)...)
	if err != nil {
		return s, err
	}
	if lost != nil { // the same request at the same time
		x, err := g.Store.Session(ctx, id)
		if err != nil || x == nil {
			return s, errors.Join(errors.New("open: another request opened it and it is not there"), err)
		}
		return *x, nil
	}
	g.Count("sessions_elsewhere", "")
	return s, nil
}

// within is the mode asked for, if the key allows it: a key's mode is the most
// it gives.
func within(asked, allowed string) (string, error) {
	most := or(allowed, string(permission.Interactive))
	if asked == "" {
		return most, nil
	}
	rank := map[string]int{"discuss": 0, "plan": 1, "interactive": 2, "custom": 3, "auto": 4}
	a, known := rank[asked]
	if !known {
		return "", problem(400, "unknown_mode", fmt.Sprintf("%q is no mode; use discuss, plan, interactive, custom or auto", asked))
	}
	if a > rank[most] {
		return "", problem(403, "mode_not_allowed", fmt.Sprintf("this key allows at most mode %s", most))
	}
	return asked, nil
}

// Submission is one tool call to be judged.
type Submission struct {
	Tool      string          `json:"tool"`
	Server    string          `json:"server"`
	Arguments json.RawMessage `json:"arguments"`
}

// Submit judges one tool call, once per idempotency key (S14): the same key
// again is told what became of it; another call under it is refused.
func (g *Gate) Submit(ctx context.Context, s session.Session, idem string, in Submission) (Told, error) {
	call, err := permission.NewCall(in.Server, in.Tool, in.Arguments)
	if err != nil {
		return Told{}, problem(400, "bad_call", err.Error())
	}
	id := digest(s.ID, idem)[:26]
	for range 8 {
		was, err := g.Store.Submitted(ctx, s.ID, id)
		if err != nil {
			return Told{}, err
		}
		if was != nil {
			if was.Digest != call.Digest || was.Tool != call.Name() {
				return Told{}, problem(422, "key_reused", "this idempotency key was used for another call")
			}
			return g.look(ctx, s, *was)
		}
		told, done, err := g.submit(ctx, s, id, idem, call)
		if err != nil || done {
			return told, err
		}
	}
	return Told{}, fmt.Errorf("submit: changed too often meanwhile")
}

func (g *Gate) submit(ctx context.Context, s session.Session, id, idem string, call permission.Call) (Told, bool, error) {
	d := permission.Evaluate(call, g.state(s))
	x := store.Submitted{ID: id, Session: s.ID, Tool: call.Name(), Digest: call.Digest, Arguments: call.Arguments,
		Outcome: string(d.Outcome), Reason: d.Reason, Rule: d.By.String(), At: g.Now()}
	g.Count("decisions", string(d.Outcome))
	if d.Outcome.Asks() {
		return g.ask(ctx, s, idem, call, d, x)
	}
	if !d.Consequential() && d.Outcome == permission.Allow {
		return allowed(x), true, nil // a read that needs nobody leaves no row
	}
	return g.record(ctx, x, call, d)
}

// record writes a decision that needs no person.
func (g *Gate) record(ctx context.Context, x store.Submitted, call permission.Call, d permission.Decision) (Told, bool, error) {
	what := "allowed"
	if d.Outcome != permission.Allow {
		what = "denied"
	}
	uid := g.NewID()
	lost, err := g.Store.Do(ctx, uid, store.NewSubmitted(x), store.NewAudit(store.Audit{
		ID: uid, Chain: "session#" + x.Session, What: what, Actor: actor.System("permission"), Via: "api", Tool: x.Tool,
		Digest: x.Digest, Rule: x.Rule, Reason: x.Reason, Arguments: raise.Redact(call.Arguments), At: x.At}))
	if err != nil || lost != nil {
		return Told{}, false, err
	}
	if what == "allowed" {
		return allowed(x), true, nil
	}
	return refused(x, x.Reason), true, nil
}

// ask joins what was asked before or raises an item (I3, P27).
func (g *Gate) ask(ctx context.Context, s session.Session, idem string, call permission.Call, d permission.Decision, x store.Submitted) (Told, bool, error) {
	p, err := g.Store.Policy(ctx)
	if err != nil {
		return Told{}, false, err
	}
	if why := raise.Nobody(p, s.Queue); why != "" {
		x.Reason = why
		return g.record(ctx, x, call, permission.Decision{Outcome: permission.Deny})
	}
	asks, err := g.Store.Asks(ctx, s.ID, s.ID, call.Digest+"|"+call.Name())
	if err != nil {
		return Told{}, false, err
	}
	joined, told, err := g.join(ctx, s, asks, &x)
	if err != nil || joined {
		return told, joined, err
	}
	x.Outcome, x.Item = "waiting", inbox.ItemIDElsewhere(s.ID, idem)
	title := call.Name()
	if call.Target != "" {
		title += " → " + call.Target
	}
	r := raise.New(s, raise.Ask{ID: x.Item, Kind: inbox.Approval, Title: title, Tool: call.Name(), Risk: string(d.Effective),
		Digest: call.Digest, Run: s.ID, Rule: x.Rule, Body: inbox.Body{Arguments: call.Arguments, Why: d.Reason,
			Text: fmt.Sprintf("Allow once: the agent %s may run %s with exactly these arguments, once. Deny: it is told no.", s.Asked.Name, call.Name())}},
		p, g.NewID(), x.At)
	asks.Entries = append(asks.Entries, store.Ask{Item: x.Item})
	actions := append([]table.Action{store.NewSubmitted(x), store.SaveAsks(asks)}, r.All()...)
	uid := g.NewID()
	lost, err := g.Store.Do(ctx, uid, actions...)
	if err != nil || lost != nil {
		return Told{}, false, err // lost: asked at the same time; look again
	}
	return waiting(x, r.Item, g.Now()), true, nil
}

// join finds the item of an earlier ask for the same call: pending, or
// approved and not yet spent, it is joined; denied, the call is refused without
// asking again.
func (g *Gate) join(ctx context.Context, s session.Session, asks store.Asks, x *store.Submitted) (bool, Told, error) {
	if len(asks.Entries) == 0 {
		return false, Told{}, nil
	}
	it, err := g.Store.Item(ctx, asks.Entries[len(asks.Entries)-1].Item)
	if err != nil || it == nil {
		return false, Told{}, err
	}
	switch it.State {
	case inbox.Denied:
		x.Outcome, x.Reason = "deny", "a person denied this very call before: "+inbox.Told(*it)
	case inbox.Pending:
		if !it.Expires.After(g.Now()) {
			return false, Told{}, nil // its time is over: a new ask
		}
		x.Outcome, x.Item = "waiting", it.ID
	case inbox.Approved:
		a, err := g.Store.Attempt(ctx, s.ID, it.ID, 0, 0)
		if err != nil || a != nil {
			return false, Told{}, err // spent: a new ask
		}
		x.Outcome, x.Item = "waiting", it.ID
	default:
		return false, Told{}, nil
	}
	lost, err := g.Store.Do(ctx, g.NewID(), store.NewSubmitted(*x))
	if err != nil || lost != nil {
		return false, Told{}, err
	}
	told, err := g.look(ctx, s, *x)
	return true, told, err
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
