package simulation

import (
	"strings"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// item: raised once and resolved once (I3, I4); not asked again after a denial,
// nor beside one that waits (P27).
func (g *guard) item(a table.Action) {
	if a.Verb == table.Update {
		return // its version
	}
	x, err := store.DecodeItem(a.Item)
	if err != nil {
		panic(err)
	}
	was := g.was[a.Key]
	switch {
	case was == nil:
		g.raised(*x)
	case inbox.State(was["state"].Str).Terminal():
		g.w.wrong("item %s was %s and was written again as %s (I4)", x.ID, was["state"].Str, x.State)
	case x.State == inbox.Pending:
		g.w.wrong("item %s was raised over itself (I3)", x.ID)
	case x.State == inbox.Expired && x.Expires.After(g.w.now):
		g.w.wrong("item %s expired before its time (I10)", x.ID)
	case x.State != inbox.Expired && !x.Resolved.Before(x.Expires):
		g.w.wrong("item %s was %s after its time (I10)", x.ID, x.State)
	}
}

func (g *guard) raised(x inbox.Item) {
	k := askKey(x.Session, x.Tool, x.Digest)
	for _, o := range g.asked[k] {
		was, err := g.w.clean.Item(g.ctx, o.ID)
		if err != nil || was == nil {
			panic(o.ID)
		}
		switch {
		case x.Elsewhere && was.State == inbox.Denied,
			!x.Elsewhere && was.State == inbox.Denied && was.Run == x.Run && was.Step < x.Step:
			g.w.wrong("item %s asks what item %s was denied (P27)", x.ID, was.ID)
		case x.Elsewhere && was.State == inbox.Pending && was.Expires.After(g.w.now):
			g.w.wrong("item %s asks what item %s is asking already (I3)", x.ID, was.ID)
		case x.Elsewhere && was.State == inbox.Approved && !g.spent(*was):
			g.w.wrong("item %s asks what item %s was allowed and has not spent (I3)", x.ID, was.ID)
		}
	}
	g.asked[k] = append(g.asked[k], x)
}

func (g *guard) spent(x inbox.Item) bool {
	a, err := g.w.clean.Attempt(g.ctx, x.Session, x.ID, x.Step, x.Pos)
	if err != nil {
		panic(err)
	}
	return a != nil
}

// call: an intent is the spending of one grant, once, under the session's open
// ticket (P25, S8); an outcome is the last word; nobody judges an intent before
// its deadline but its writer.
func (g *guard) call(p *proc, sid string, a table.Action) {
	was, is := g.was[a.Key], a.Item
	writer := is["writer"].Str
	switch {
	case was == nil:
		g.spends(p, sid, is)
	case was["state"].Str != string(session.Intended):
		g.w.wrong("the outcome of %s of session %s was written over (S8)", a.Key.SK, sid)
	case is["version"].Str == "1":
		g.w.wrong("%s of session %s was begun over itself (S8)", a.Key.SK, sid)
	case writer != was["writer"].Str:
		g.held(p, sid, "the taking over of "+a.Key.SK)
		g.w.counts["taken_over"]++
		if g.w.now.Before(stamp(was["deadline"])) {
			g.w.wrong("%s of session %s was judged before its deadline (S8)", a.Key.SK, sid)
		}
	}
}

func (g *guard) spends(p *proc, sid string, is table.Item) {
	s, err := g.w.clean.Session(g.ctx, sid)
	if err != nil || s == nil {
		panic(sid)
	}
	if !s.Elsewhere {
		g.held(p, sid, "intent")
	}
	if item := is["item"].Str; item != "" {
		x, err := g.w.clean.Item(g.ctx, item)
		if err != nil || x == nil {
			panic(item)
		}
		if x.State != inbox.Approved || x.Digest != is["digest"].Str || x.Tool != is["tool"].Str || x.Session != sid {
			g.w.wrong("session %s spent item %s, which is %s for %s (P25)", sid, item, x.State, x.Tool)
		}
	} else if s.Mode != "auto" {
		g.w.wrong("session %s in mode %s ran %s without an item", sid, s.Mode, is["tool"].Str)
	}
	if s.Ticket == "" {
		return
	}
	tk, err := g.w.clean.Ticket(g.ctx, s.Ticket)
	if err != nil || tk == nil {
		panic(s.Ticket)
	}
	if tk.State != ticket.Open || tk.Mandate.Withdrawn {
		g.w.wrong("session %s began a call and its ticket is %s %s (P25, G38)", sid, tk.State, tk.Ending)
	}
}

// posts: what was settled before it was ever shown is not posted (I23). One
// that settles while it is posted shows that with the next ring.
func (g *guard) posts(card inbox.Card, at trigger.Place) {
	row, err := g.w.clean.Shown(g.ctx, card.Item, at)
	if err != nil || row == nil {
		panic(card.Item)
	}
	if card.Settled && row.Attempts == 1 {
		g.w.wrong("item %s is settled, was never shown, and is posted at %s (I23)", card.Item, at.Key())
	}
}

// ticket: what a person stopped stays stopped (G38).
func (g *guard) ticket(a table.Action) {
	if was := g.was[a.Key]; was["ending"].Str == string(ticket.Stopped) {
		g.w.wrong("%s was stopped and was written again (G38)", strings.TrimPrefix(a.Key.PK, "ticket#"))
	}
}
