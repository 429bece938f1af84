package simulation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/catalog"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/permission"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/wake"
)

// session: it came to rest, with nothing waiting and its ticket ended.
func (c *check) session(s session.Session) {
	steps, err := c.w.clean.Transcript(c.ctx, s.ID)
	c.no(err)
	o, err := c.w.clean.Open(c.ctx, s.ID)
	c.no(err)
	mail, err := c.w.clean.Mail(c.ctx, s.ID)
	c.no(err)
	tk, err := c.w.clean.Ticket(c.ctx, s.Ticket)
	c.no(err)
	w := session.Where(steps)

	c.must(o.Lease.State == session.Idle, "session %s is %s for ever", s.ID, where(o.Lease))
	c.must(len(mail) == 0, "session %s rests with %d mails waiting", s.ID, len(mail))
	c.must(w.Asked == nil, "session %s rests with calls unanswered at step %d", s.ID, w.Next-1)
	c.must(!w.Thinks, "session %s rests and its model was not asked (S6)", s.ID)
	c.must(tk.State == ticket.Ended, "session %s rests and its ticket is %s", s.ID, tk.State)
	if w.Said != nil && s.Origin != nil {
		c.said(s.Origin.Surface, fmt.Sprintf("say-%s-%d", s.ID, w.Said.N))
	}
	c.transcript(s, tk, steps)
	c.wakes(s, steps)
	c.thread(s, tk)
}

// thread: its own Thread lists it, and no other as working there beside it
// (G3, G48, G49).
func (c *check) thread(s session.Session, tk *ticket.Ticket) {
	th, err := c.w.clean.Thread(c.ctx, tk.Thread)
	c.no(err)
	mine, live := false, 0
	for _, x := range th.Subscribers {
		mine = mine || x.Session == s.ID
		if x.Own && !x.Stopped {
			live++
		}
	}
	c.must(mine, "session %s works on thread %s, which does not list it (G48)", s.ID, th.Key)
	c.must(live <= 1, "thread %s has %d tickets at once (G49)", th.Key, live)
}

// transcript: each mail once and in the order it came, each call answered once
// and in order, no call run without what allowed it.
func (c *check) transcript(s session.Session, tk *ticket.Ticket, steps []session.Step) {
	mails, results := map[string]bool{}, map[string]session.Step{}
	pos, said := 0, []string(nil)
	for i, x := range steps {
		c.must(x.N == int64(i+1), "session %s: step %d is numbered %d (S7)", s.ID, i+1, x.N)
		switch x.Role {
		case session.User:
			c.must(!mails[x.Mail], "session %s: mail %s is in the transcript twice (I7)", s.ID, x.Mail)
			mails[x.Mail] = true
			if _, text, ok := strings.Cut(x.Text, "\n"); ok {
				c.heard[text]++
				said = append(said, text)
			}
		case session.Assistant:
			pos = 0
		case session.Result:
			k := fmt.Sprintf("%d.%d", x.Of, x.Pos)
			_, twice := results[k]
			c.must(!twice, "session %s: call %s has two results", s.ID, k)
			c.must(x.Pos == pos, "session %s: the result of call %s came out of order (S6)", s.ID, k)
			pos, results[k] = x.Pos+1, x
			c.must(tk.Ending == ticket.Stopped || !strings.Contains(x.Text, permission.TicketEnded.Words()),
				"session %s: call %s was refused since its ticket had ended, and nobody stopped it (G36)", s.ID, k)
		}
	}
	for _, x := range steps {
		for pos, call := range x.Calls {
			c.call(s, x.N, pos, call, results[fmt.Sprintf("%d.%d", x.N, pos)])
		}
	}
	c.inOrder(s, said)
	err := model.Check(model.FromTranscript(steps))
	c.must(err == nil, "session %s: a provider would refuse its transcript: %v (S7)", s.ID, err)
}

// inOrder: a session reads the messages of its Thread in the order they came
// (S3, G48), unless the weather broke the queue's own order.
func (c *check) inOrder(s session.Session, said []string) {
	if s.Origin == nil {
		return
	}
	at := map[string]int{}
	for _, m := range c.w.people.messages {
		if c.w.queue.mixed[group(m.Thread)] || c.w.guard.upgraded[m.ID] {
			continue
		}
		for i, id := range c.w.guard.arrived[m.Thread.Key()] {
			if id == m.ID {
				at[m.Text] = i + 1
			}
		}
	}
	last := 0
	for _, text := range said {
		if n := at[text]; n > 0 {
			c.must(n > last, "session %s read %q after a message that came later (S3)", s.ID, text)
			last = n
		}
	}
}

// call: a consequential call changed the world at most once, only after its
// item was approved, with exactly the arguments that were shown (P25, S8); its
// one outcome is its result, and the audit says so once.
func (c *check) call(s session.Session, step int64, pos int, call session.Call, result session.Step) {
	tool, _ := catalog.Lookup(call.Tool)
	if tool.Risk != catalog.External || call.Bad != "" {
		return
	}
	key := fmt.Sprintf("%s-%d-%d", s.ID, step, pos)
	item := ""
	if s.Mode != "auto" {
		item = inbox.ItemID(s.ID, step, pos, call.Digest)
	}
	a, err := c.w.clean.Attempt(c.ctx, s.ID, item, step, pos)
	c.no(err)
	e := c.w.agents.effects[key]
	if a == nil {
		c.must(e == nil, "call %s was tried and there is no intent (S8)", key)
		return
	}
	c.must(a.State != session.Intended, "call %s has no outcome for ever (S8)", key)
	c.must(a.Result == result.Text || strings.HasSuffix(result.Text, a.Result), "call %s: its outcome is %q and its result %q (S8)", key, a.Result, result.Text)
	if e != nil {
		c.must(e.times <= 1, "call %s ran %d times (S8)", key, e.times)
		c.must(tool.Idempotent || e.asked <= 1, "call %s was repeated (S8)", key)
		c.must(e.args == string(call.Arguments), "call %s ran with other arguments than were shown (P25)", key)
	}
	happened := e != nil && e.times == 1
	doubt := strings.Contains(a.Result, "A person says") || strings.Contains(a.Result, "not known")
	c.must(!happened || doubt || a.State == session.Ran, "call %s happened and its agent was told it failed: %s (S8)", key, a.Result)
	done := a.Result == "done by "+key
	c.must(!done || e != nil && e.times == 1, "call %s says it ran and did not", key)
	if item == "" {
		return
	}
	x := c.items[item]
	c.must(x.State == inbox.Approved && x.Digest == call.Digest, "call %s ran and its item is %s (P25)", key, x.State)
	ran := c.rows(item, "ran")
	c.must(len(ran) == 1 && ran[0].Is == string(a.State), "call %s is %s and in the audit it ran %d times (I28)", key, a.State, len(ran))
}

// wakes: each was fired, and is in the transcript exactly once (W2).
func (c *check) wakes(s session.Session, steps []session.Step) {
	ws, err := c.w.clean.Wakes(c.ctx, s.ID)
	c.no(err)
	woken := 0
	for _, x := range steps {
		if x.Role == session.User && strings.HasPrefix(x.Text, "[woken by timer]") {
			woken++
		}
	}
	for _, x := range ws {
		c.must(x.State == wake.Fired, "wake %s of session %s is %s for ever (W8)", x.ID, s.ID, x.State)
	}
	c.must(woken == len(ws), "session %s: %d wakes, %d wakings (W2)", s.ID, len(ws), woken)
	asleep := slices.DeleteFunc(slices.Clone(steps), func(x session.Step) bool {
		return x.Role != session.Result || !x.OK || x.From != "sleep_for"
	})
	c.must(len(asleep) == len(ws), "session %s: %d sleeps, %d wakes", s.ID, len(asleep), len(ws))
	c.w.counts["wakes"] += len(ws)
}
