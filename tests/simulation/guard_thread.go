package simulation

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store/table"
)

// trigger: a message is judged against the subscriptions that are, and after
// those of its Thread that came before it (G48).
func (g *guard) trigger(a table.Action) {
	t := g.triggers[a.Item["id"].Str]
	t.Named = trigger.Named(a.Item["named"].Str)
	th, err := g.w.clean.Thread(g.ctx, t.Thread)
	if err != nil {
		panic(err)
	}
	sid := a.Item["session"].Str
	if strings.Contains(a.Item["reason"].Str, "judging it failed") {
		g.w.counts["unavailable"]++
		g.judged[t.ID] = true
		return // three times: a stored state (D4)
	}
	p, err := g.w.clean.Policy(g.ctx)
	if err != nil {
		panic(err)
	}
	adm := policy.Admit(p, t, policy.Facts{})
	switch {
	case sid == "" && adm.Received && t.Sender.Kind == actor.Human && listens(th, "") && a.Item["ticket"].Str == "":
		g.w.wrong("trigger %s reached nobody and its thread has a ticket (G3, G48)", t.ID)
	case sid != "" && !listens(th, sid):
		g.w.wrong("trigger %s reached session %s, which does not listen to its thread any more (G38, G48)", t.ID, sid)
	}
	if g.was[a.Key] != nil {
		g.upgraded[t.ID] = true // it came again as a mention, after others perhaps (B05)
		return
	}
	g.judged[t.ID] = true
	for _, id := range g.arrived[t.Thread.Key()] {
		if id == t.ID || g.w.queue.mixed[group(t.Thread)] {
			return
		}
		if !g.judged[id] {
			g.w.wrong("trigger %s was judged before %s, which came first (G48)", t.ID, id)
		}
	}
}

// group is the queue's name of a Thread.
func group(p trigger.Place) string {
	sum := sha256.Sum256([]byte(p.Key()))
	return hex.EncodeToString(sum[:])
}

// listens reports whether a session (or any) owns a Thread's messages.
func listens(th ticket.Thread, sid string) bool {
	for _, s := range th.Subscribers {
		if s.Own && !s.Stopped && (sid == "" || s.Session == sid) {
			return true
		}
	}
	return false
}
