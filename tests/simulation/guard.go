package simulation

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store/table"
)

// guard looks at every commit the moment it was made, and says what no commit
// may do whatever came before. What the reconciler would mend later is seen
// here.
type guard struct {
	w      *World
	ctx    context.Context
	was    map[table.Key]table.Item // the rows of the commit under way, before it
	token  map[string]int64         // by session: the highest lease token
	holder map[string]*proc         // by session: who holds its lease
	asked  map[string][]inbox.Item  // by session, tool and digest, in the order they were raised

	triggers map[string]trigger.Trigger
	arrived  map[string][]string // by thread: triggers in the order they came
	judged   map[string]bool
	upgraded map[string]bool
}

func newGuard(w *World) *guard {
	return &guard{w: w, ctx: context.Background(), token: map[string]int64{}, holder: map[string]*proc{}, asked: map[string][]inbox.Item{},
		arrived: map[string][]string{}, judged: map[string]bool{}, upgraded: map[string]bool{}, triggers: map[string]trigger.Trigger{}}
}

// before keeps the rows that a commit is about to change.
func (g *guard) before(tx table.Tx) {
	g.was = map[table.Key]table.Item{}
	for _, a := range tx.Actions {
		if a.Verb == table.Check {
			continue
		}
		it, err := g.w.db.Get(g.ctx, a.Key)
		if err != nil {
			panic(err)
		}
		g.was[a.Key] = it
	}
}

// committed looks at a commit that was just made by p.
func (g *guard) committed(p *proc, tx table.Tx) {
	var leases []table.Action
	for _, a := range tx.Actions {
		if a.Verb == table.Check || a.Verb == table.Delete {
			continue
		}
		sid, ours := strings.CutPrefix(a.Key.PK, "session#")
		switch {
		case ours && a.Key.SK == "lease":
			leases = append(leases, a)
		case ours && strings.HasPrefix(a.Key.SK, "step#"):
			if !ends(tx, a) {
				g.held(p, sid, "step "+a.Key.SK)
			}
		case a.Item["kind"].Str == "call":
			g.call(p, a.Item["session"].Str, a)
		case ours && strings.HasPrefix(a.Key.SK, "wake#"):
			g.once(a, "fired", "cancelled")
		case a.Key.SK == "item":
			g.item(a)
		case a.Key.SK == "ticket":
			g.ticket(a)
		case a.Key.SK == "trigger":
			g.trigger(a)
		}
	}
	for _, a := range leases {
		g.lease(p, a)
	}
}

// ends reports whether a step is the result of a call whose outcome the same
// commit writes by its intent's writer, lease or not (S8).
func ends(tx table.Tx, step table.Action) bool {
	for _, a := range tx.Actions {
		if a.Item["kind"].Str == "call" && a.Item["step"].Str == step.Item["of"].Str && a.Item["pos"].Str == step.Item["pos"].Str && len(a.If) == 3 {
			return step.Item["role"].Str == string(session.Result)
		}
	}
	return false
}

// held: nothing but an outcome is written by a turn that lost its lease (S3).
func (g *guard) held(p *proc, sid, what string) {
	if g.holder[sid] != p {
		g.w.wrong("%s of session %s was written without its lease (S3)", what, sid)
	}
}

// once: a row that came to one of these states never changes again.
func (g *guard) once(a table.Action, states ...string) {
	for _, s := range states {
		if g.was[a.Key]["state"].Str == s {
			g.w.wrong("%s/%s was %s and was written again", a.Key.PK, a.Key.SK, s)
		}
	}
}

// arrive notes the order in which Triggers of one Thread came (G48).
func (g *guard) arrive(m doorbell.Message) {
	if m.Queue != doorbell.Triggers {
		return
	}
	var t trigger.Trigger
	if err := json.Unmarshal([]byte(m.Body), &t); err != nil {
		panic(err)
	}
	if _, known := g.triggers[t.ID]; !known {
		g.arrived[t.Thread.Key()] = append(g.arrived[t.Thread.Key()], t.ID)
	}
	g.triggers[t.ID] = t
}

// complaint: what an invocation must never have to say.
func (g *guard) complaint(p *proc) {
	s := p.err.Error()
	if strings.Contains(s, "while the lease was held") && !strings.Contains(s, "the result of a call") {
		g.w.wrong("%s: %s (S3)", p.name, s)
	}
}
