package simulation

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store/table"
)

// leaseRow is what the guard reads of a lease's row.
type leaseRow struct {
	session, holder, item string
	state                 session.Liveness
	token                 int64
	until                 time.Time
}

func readLease(it table.Item) leaseRow {
	l := leaseRow{session: it["session"].Str, holder: it["holder"].Str, item: it["item"].Str, state: session.Liveness(it["state"].Str)}
	l.token, _ = strconv.ParseInt(it["token"].Str, 10, 64)
	l.until = stamp(it["until"])
	return l
}

func stamp(v table.Value) time.Time {
	t, err := time.Parse("2006-01-02T15:04:05.000Z", v.Str)
	if err != nil {
		panic(err)
	}
	return t
}

// lease: tokens only grow, nobody takes what is held, and who gave a lease
// back or lost it writes none (S3).
func (g *guard) lease(p *proc, a table.Action) {
	before := g.was[a.Key]
	if before == nil {
		return
	}
	if a.Verb == table.Update { // its ticket ended, or was taken up again: nobody holds it any more
		sid := before["session"].Str
		g.token[sid], g.holder[sid] = g.token[sid]+1, nil
		return
	}
	was, is := readLease(before), readLease(a.Item)
	if is.holder != "" && is.holder != was.holder {
		if is.token <= g.token[is.session] {
			g.w.wrong("lease of %s: token %d was given before (S3)", is.session, is.token)
		}
		if g.holder[is.session] != nil && !was.until.Before(g.w.now) {
			g.w.wrong("lease of %s was taken while it was held (S3)", is.session)
		}
		g.token[is.session], g.holder[is.session] = is.token, p
		return
	}
	if is.token > was.token { // broken by a restart: whoever held it lost it
		g.token[is.session], g.holder[is.session] = is.token, nil
		return
	}
	g.held(p, is.session, "lease")
	if is.holder != "" {
		return
	}
	g.holder[is.session] = nil
	switch is.state {
	case session.Parked:
		g.parked(is)
	case session.Idle, session.Sleeping:
		mail, err := g.w.clean.Mail(g.ctx, is.session)
		if err != nil {
			panic(err)
		}
		if len(mail) > 0 {
			g.w.wrong("session %s rests with %d mails waiting (S9)", is.session, len(mail))
		}
	}
}

// parked: only while the first waiting call's item is pending (S9), and with
// every item of the message raised (S6).
func (g *guard) parked(l leaseRow) {
	g.w.counts["parked_by"]++
	x, err := g.w.clean.Item(g.ctx, l.item)
	if err != nil {
		panic(err)
	}
	if x == nil || x.State != inbox.Pending {
		g.w.wrong("session %s parked on item %s, which does not wait (S9)", l.session, l.item)
	}
	steps, err := g.w.clean.Transcript(g.ctx, l.session)
	if err != nil {
		panic(err)
	}
	at := session.Where(steps)
	if at.Asked == nil {
		g.w.wrong("session %s parked and no call waits", l.session)
		return
	}
	s, err := g.w.clean.Session(g.ctx, l.session)
	if err != nil {
		panic(err)
	}
	for _, pos := range at.Open {
		c := at.Asked.Calls[pos]
		if !asksFor[c.Tool] || c.Bad != "" || s.Mode == "auto" && c.Tool != "ask_user" {
			continue
		}
		it, err := g.w.clean.Item(g.ctx, inbox.ItemID(l.session, at.Asked.N, pos, c.Digest))
		if err != nil {
			panic(err)
		}
		if it == nil && !g.refusedBefore(l.session, c, at.Asked.N) && !g.nobody(l.session) {
			g.w.wrong("session %s parked before the item of call %d was raised (S6)", l.session, pos)
		}
	}
}

// asksFor are the tools that ask a person in mode interactive.
var asksFor = map[string]bool{"github_comment": true, "slack_send_message": true, "ask_user": true}

// refusedBefore: a person denied this very call earlier in the session (P27).
func (g *guard) refusedBefore(sid string, c session.Call, step int64) bool {
	for _, x := range g.asked[askKey(sid, c.Tool, c.Digest)] {
		if x.Step < step && g.state(x.ID) == inbox.Denied {
			return true
		}
	}
	return false
}

// nobody: in some version of the policy nobody might answer for the session. A
// turn that read it raises nothing.
func (g *guard) nobody(sid string) bool {
	s, err := g.w.clean.Session(g.ctx, sid)
	if err != nil {
		panic(err)
	}
	versions, err := g.w.clean.PolicyHistory(g.ctx, 0)
	if err != nil {
		panic(err)
	}
	for _, v := range versions {
		var p policy.Policy
		if err := json.Unmarshal([]byte(v.Text), &p); err != nil {
			panic(err)
		}
		if refs, _ := p.Approvers(s.Queue); len(refs) == 0 {
			return true
		}
	}
	return false
}

func (g *guard) state(item string) inbox.State {
	x, err := g.w.clean.Item(g.ctx, item)
	if err != nil || x == nil {
		return ""
	}
	return x.State
}

func askKey(sid, tool, digest string) string { return sid + "|" + tool + "|" + digest }
