package simulation

import (
	"context"
	"fmt"
	"strings"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store"
)

// check looks at everything once all is quiet and says what is wrong.
type check struct {
	w      *World
	ctx    context.Context
	faults []string
	items  map[string]inbox.Item
}

// Check returns what must never be, and is.
func (w *World) Check() []string {
	c := &check{w: w, ctx: context.Background(), items: map[string]inbox.Item{}}
	c.must(len(w.queue.dead) == 0, "%d messages ended in a dead-letter queue", len(w.queue.dead))
	for _, b := range w.agents.bad {
		c.must(false, "a transcript that a provider refuses: %s (S7)", b)
	}
	c.loadItems()
	c.triggers()
	c.sessions()
	c.answers()
	c.cards()
	c.outbox()
	c.attention()
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

func (c *check) loadItems() {
	for cursor := ""; ; {
		items, next, err := c.w.clean.Items(c.ctx, cursor, 100)
		c.no(err)
		for _, x := range items {
			c.items[x.ID] = x
		}
		if cursor = next; cursor == "" {
			return
		}
	}
}

// triggers: every message was judged once (G47, G50), and one that was
// accepted or delivered stands in exactly one transcript, once.
func (c *check) triggers() {
	for _, t := range c.w.people.posted {
		j, err := c.w.clean.Judged(c.ctx, t.ID)
		c.no(err)
		c.must(j != nil, "trigger %s was lost (G50)", t.ID)
	}
}

func (c *check) sessions() {
	heard := map[string]int{}
	for cursor := ""; ; {
		list, next, err := c.w.clean.Sessions(c.ctx, cursor, 100)
		c.no(err)
		for _, s := range list {
			c.session(s, heard)
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	for _, t := range c.w.people.posted {
		j, _ := c.w.clean.Judged(c.ctx, t.ID)
		if j == nil {
			continue
		}
		want := 0
		if j.Session != "" {
			want = 1
		}
		c.must(heard[t.Text+t.Sender.Name] >= want, "message %s (%s) reached session %s and no transcript", t.ID, j.Strength, j.Session)
	}
}

func (c *check) session(s session.Session, heard map[string]int) {
	steps, err := c.w.clean.Transcript(c.ctx, s.ID)
	c.no(err)
	o, err := c.w.clean.Open(c.ctx, s.ID)
	c.no(err)
	mail, err := c.w.clean.Mail(c.ctx, s.ID)
	c.no(err)
	w := session.Where(steps)
	parked := o.Lease.State == session.Parked

	c.must(o.Lease.State != session.Working, "session %s is still working: it never came to rest", s.ID)
	c.must(parked || len(mail) == 0, "session %s sleeps with %d mails waiting", s.ID, len(mail))
	if parked {
		x := c.items[o.Lease.Item]
		c.must(x.State == inbox.Pending, "session %s is parked on item %s, which is %s", s.ID, x.ID, x.State)
		c.must(w.Asked != nil, "session %s is parked and no call waits", s.ID)
	} else {
		c.must(w.Asked == nil, "session %s rests with calls unanswered at step %d", s.ID, w.Next-1)
	}
	c.transcript(s, steps, heard)
	c.wakes(s, steps)
	c.audit(s)
}

// transcript: each mail once, each call answered once and in a valid order, no
// call run without what allowed it.
func (c *check) transcript(s session.Session, steps []session.Step, heard map[string]int) {
	mails, results := map[string]bool{}, map[string]bool{}
	for i, x := range steps {
		c.must(x.N == int64(i+1), "session %s: step %d is numbered %d", s.ID, i+1, x.N)
		if x.Role == session.User {
			c.must(!mails[x.Mail], "session %s: mail %s is in the transcript twice (I7)", s.ID, x.Mail)
			mails[x.Mail] = true
			if _, text, ok := strings.Cut(x.Text, "\n"); ok {
				heard[text+x.From]++
			}
		}
		if x.Role == session.Result {
			k := fmt.Sprintf("%d.%d", x.Of, x.Pos)
			c.must(!results[k], "session %s: call %s has two results", s.ID, k)
			results[k] = true
		}
		for pos, call := range x.Calls {
			c.call(s, x.N, pos, call)
		}
	}
	if w := session.Where(steps); w.Asked == nil {
		c.must(model.Check(model.FromTranscript(steps)) == nil, "session %s: a provider would refuse its transcript", s.ID)
	}
}

// call: a consequential call changed the world at most once, only after its
// item was approved, with exactly the arguments that were shown (P25, S8).
func (c *check) call(s session.Session, step int64, pos int, call session.Call) {
	if call.Tool != "github_comment" {
		return
	}
	key := fmt.Sprintf("%s-%d-%d", s.ID, step, pos)
	n := c.w.agents.effects[key]
	c.must(n <= 1, "call %s ran %d times (S8)", key, n)
	if n == 0 {
		return
	}
	x, ok := c.items[inbox.ItemID(s.ID, step, pos, call.Digest)]
	c.must(ok, "call %s ran without an item", key)
	c.must(x.State == inbox.Approved, "call %s ran and its item is %s", key, x.State)
	c.must(c.w.agents.args[key] == string(call.Arguments), "call %s ran with other arguments than were shown (P25)", key)
	c.must(x.Digest == call.Digest, "call %s: its item has another digest", key)
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
	mail, err := c.w.clean.Mail(c.ctx, s.ID)
	c.no(err)
	for _, m := range mail {
		if m.Kind == session.Woke {
			woken++
		}
	}
	for _, x := range ws {
		c.must(x.State == wake.Fired, "wake %s of session %s is %s for ever", x.ID, s.ID, x.State)
	}
	c.must(woken == len(ws), "session %s: %d wakes, %d wakings", s.ID, len(ws), woken)
}

// audit: each item of the session was resolved in the audit exactly once if it
// is terminal, and the row says how.
func (c *check) audit(s session.Session) {
	rows, err := c.w.clean.AuditOf(c.ctx, "session#"+s.ID)
	c.no(err)
	resolved := map[string][]store.Audit{}
	for _, r := range rows {
		if r.What == "resolved" {
			resolved[r.Item] = append(resolved[r.Item], r)
		}
	}
	for id, x := range c.items {
		if x.Session != s.ID {
			continue
		}
		rs := resolved[id]
		if x.State == inbox.Pending {
			c.must(len(rs) == 0, "item %s is pending and was resolved in the audit", id)
			continue
		}
		c.must(len(rs) == 1, "item %s has %d resolutions in the audit (I4)", id, len(rs))
		if len(rs) == 1 {
			c.must(rs[0].Is == string(x.State) && rs[0].Actor.Ref() == x.By.Ref(), "item %s: the audit says %s, the item %s", id, rs[0].Is, x.State)
		}
	}
}

// answers: at most one winner per item, and everybody was told the truth (I5).
func (c *check) answers() {
	won := map[string]map[string]bool{}
	for _, a := range c.w.people.answers {
		x := c.items[a.Item]
		switch a.result {
		case inbox.Won:
			if won[a.Item] == nil {
				won[a.Item] = map[string]bool{}
			}
			won[a.Item][a.ID] = true
			c.must(x.Resolution == a.ID, "answer %s to item %s was told it won; %s did", a.ID, a.Item, x.Resolution)
			c.must(a.Digest == x.Digest, "answer %s won with another digest (I8)", a.ID)
			c.must(a.Actor.Kind == "human" && a.Actor.ID != "U2", "%s resolved item %s and may not (I12)", a.Actor.Ref(), a.Item)
		case inbox.Late:
			c.must(x.State.Terminal() && x.Resolution != a.ID, "answer %s was told it lost and item %s is %s by it", a.ID, a.Item, x.State)
		case inbox.Overdue:
			c.must(x.State == inbox.Expired, "answer %s was told item %s expired; it is %s", a.ID, a.Item, x.State)
		}
	}
	for id, ids := range won {
		c.must(len(ids) == 1, "item %s has %d winners (I4)", id, len(ids))
	}
}

// cards: each place shows its item's present state; nothing settled has
// buttons (I23). A card posted twice by a crash may be left behind only where
// its reference was never stored.
func (c *check) cards() {
	for id, x := range c.items {
		rows, err := c.w.clean.ShownOf(c.ctx, id)
		c.no(err)
		for _, r := range rows {
			c.must(r.State == store.Visible || r.State == store.Dropped, "item %s at %s is %s for ever: %s (I23)", id, r.Place.Key(), r.State, r.Error)
			if r.State != store.Visible {
				continue
			}
			m := c.w.places.cards[r.Message]
			c.must(m != nil, "item %s: its message %s does not exist", id, r.Message)
			if m == nil {
				continue
			}
			c.must(m.card.Settled == x.State.Terminal(), "item %s is %s and its card shows settled=%t (I23)", id, x.State, m.card.Settled)
			c.must(m.card.Version == x.Version, "item %s has version %d and its card shows %d (I23)", id, x.Version, m.card.Version)
			c.must(!m.card.Settled || len(m.card.Buttons) == 0, "item %s: a settled card has buttons", id)
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
}
