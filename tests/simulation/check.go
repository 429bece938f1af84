package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/wake"
	"github.com/postern-dev/postern/shared/store"
)

// check looks at everything once all is quiet and says what is wrong.
type check struct {
	w      *World
	ctx    context.Context
	faults []string
	items  map[string]inbox.Item
	order  []string // the items' ids, so that every run looks in the same order
	audit  map[string][]store.Audit
	heard  map[string]int // by a message's text: how often it stands in a transcript
	policy map[int64]policy.Policy
}

// Check returns what must never be, and is, or was for a moment.
func (w *World) Check() []string {
	c := &check{w: w, ctx: context.Background(), items: map[string]inbox.Item{}, audit: map[string][]store.Audit{}, heard: map[string]int{},
		policy: map[int64]policy.Policy{}}
	c.faults = slices.Clone(w.faults)
	c.must(len(w.queue.dead) == 0, "%d messages ended in a dead-letter queue", len(w.queue.dead))
	for _, b := range w.agents.bad {
		c.must(false, "a transcript that a provider refuses: %s (S7)", b)
	}
	c.load()
	c.sessions()
	c.messages()
	c.answers()
	c.opened()
	for _, id := range c.order {
		c.item(c.items[id])
		c.cards(c.items[id])
	}
	c.posts()
	c.elsewhere()
	c.outbox()
	c.attention()
	f, err := w.waker.Reconcile(c.ctx)
	c.no(err)
	c.must(f.Missed() == 0, "all is quiet and the reconciler finds %+v (W8)", f)
	left, err := w.clean.Overdue(c.ctx, "settled", w.now.Add(-wake.Late), 0)
	c.no(err)
	c.must(len(left) == 0, "%d settled items wait for nothing for ever, the first is %v", len(left), left)
	return c.faults
}

func (c *check) must(ok bool, format string, a ...any) {
	if !ok {
		c.faults = append(c.faults, fmt.Sprintf(format, a...))
	}
}

func (c *check) no(err error) {
	if err != nil {
		panic(err)
	}
}

func (c *check) load() {
	for cursor := ""; ; {
		items, next, err := c.w.clean.Items(c.ctx, cursor, 100)
		c.no(err)
		for _, x := range items {
			c.items[x.ID] = x
			c.order = append(c.order, x.ID)
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	rows, err := c.w.clean.AuditBetween(c.ctx, start, c.w.now, 0)
	c.no(err)
	for _, r := range rows {
		c.audit[r.Item] = append(c.audit[r.Item], r)
	}
	versions, err := c.w.clean.PolicyHistory(c.ctx, 0)
	c.no(err)
	for _, v := range versions {
		var p policy.Policy
		c.no(json.Unmarshal([]byte(v.Text), &p))
		c.policy[v.Version] = p
	}
}

// rows are the audit rows of one sort about an item.
func (c *check) rows(item, what string) []store.Audit {
	var out []store.Audit
	for _, r := range c.audit[item] {
		if r.What == what {
			out = append(out, r)
		}
	}
	return out
}

// messages: every message was judged once (G47, G50), and one that was accepted
// or delivered stands in exactly one transcript, once; who may start work and
// named the agent in any delivery of his message was heard (B05).
func (c *check) messages() {
	for _, m := range c.w.people.messages {
		j, err := c.w.clean.Judged(c.ctx, m.ID)
		c.no(err)
		if j == nil {
			c.must(false, "message %s was lost (G50)", m.ID)
			continue
		}
		want := 0
		if j.Session != "" {
			want = 1
		}
		c.must(c.heard[m.Text] == want, "message %s (%s) is in transcripts %d times, not %d (I7, G47)", m.ID, j.Strength, c.heard[m.Text], want)
		c.must(!m.bot || j.Session == "", "a bot's message %s started or resumed work (G22)", m.ID)
		named := m.Trigger
		src := c.source(named.Platform)
		listed := slices.Contains(src.Listed, m.Sender.Ref()) && m.Sender.Kind == actor.Human
		given := strings.Contains(j.Reason, "judging it failed") // three times: a stored state (D4)
		c.must(!listed || !m.mentions || j.Session != "" || given, "%s is listed, named the agent in %s, and nothing came of it: %s (B05, G18)", m.Sender.Ref(), m.ID, j.Reason)
		if id, ok := strings.CutPrefix(j.Ticket, "t-"); ok && j.Session == "s-"+id {
			c.said(m.Platform, "receipt-"+id)
		}
	}
}

func (c *check) source(platform string) policy.Source {
	for _, s := range thePolicy().Sources {
		if s.Platform == platform {
			return s
		}
	}
	panic(platform)
}

// said: what had to be said once at a place was, and once only, but for a
// crash between saying it and writing that down.
func (c *check) said(platform, key string) {
	n := 0
	for _, x := range c.w.places[platform].said[key] {
		if !x.excused {
			n++
		}
	}
	c.must(len(c.w.places[platform].said[key]) > 0, "%s was never said", key)
	c.must(n <= 1, "%s was said %d times", key, n)
}

func (c *check) sessions() {
	for cursor := ""; ; {
		list, next, err := c.w.clean.Sessions(c.ctx, cursor, 100)
		c.no(err)
		for _, s := range list {
			if !s.Elsewhere {
				c.session(s)
			}
		}
		if cursor = next; cursor == "" {
			return
		}
	}
}

func (c *check) outbox() {
	rows, err := c.w.clean.StuckOutbox(c.ctx, c.w.now, 1000)
	c.no(err)
	c.must(len(rows) == 0, "%d outbox rows are open for ever", len(rows))
}

// attention: the count is the number of pending items (I19).
func (c *check) attention() {
	a, err := c.w.clean.Attention(c.ctx)
	c.no(err)
	pending := 0
	for _, x := range c.items {
		if x.State == inbox.Pending {
			pending++
		}
	}
	c.must(a.Total == min(pending, store.AttentionLimit+1), "attention says %d, %d items are pending (I19)", a.Total, pending)
	c.must(pending == 0, "%d items are pending after their time (I10)", pending)
}

// where says what a session is doing, for a fault's text.
func where(l *session.Lease) string {
	if l == nil {
		return "nowhere"
	}
	return string(l.State)
}
