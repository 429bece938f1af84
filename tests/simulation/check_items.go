package simulation

import (
	"slices"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/store"
)

// item: raised and resolved in the audit exactly once, and the rows say how.
func (c *check) item(x inbox.Item) {
	c.w.counts["items"]++
	c.w.counts["items_"+string(x.State)]++
	c.must(len(c.rows(x.ID, "asked")) == 1, "item %s was asked %d times in the audit (I28)", x.ID, len(c.rows(x.ID, "asked")))
	rs := c.rows(x.ID, "resolved")
	if x.State == inbox.Pending {
		c.must(len(rs) == 0, "item %s is pending and was resolved in the audit", x.ID)
		return
	}
	c.must(len(rs) == 1, "item %s has %d resolutions in the audit (I4)", x.ID, len(rs))
	if len(rs) == 1 {
		c.must(rs[0].Is == string(x.State) && rs[0].Actor.Ref() == x.By.Ref(), "item %s: the audit says %s, the item %s", x.ID, rs[0].Is, x.State)
	}
	if x.By.Kind == actor.Human {
		refs, _ := c.policy[x.Policy].Approvers(x.Queue)
		c.must(slices.Contains(refs, x.By.Ref()), "%s resolved item %s and version %d does not let him (I12)", x.By.Ref(), x.ID, x.Policy)
	}
}

// answers: at most one winner per item, everybody was told the truth (I5), and
// whoever did not win was told so privately and stands in the audit (I14, O1).
func (c *check) answers() {
	won := map[string]string{}
	for _, a := range c.w.people.answers {
		if !a.known {
			continue
		}
		x := c.items[a.Item]
		c.w.counts["told_"+string(a.result)]++
		switch a.result {
		case inbox.Won:
			c.must(won[a.Item] == "" || won[a.Item] == a.ID, "item %s has two winners, %s and %s (I4)", a.Item, won[a.Item], a.ID)
			won[a.Item] = a.ID
			c.winner(a, x)
		case inbox.Late:
			c.must(x.State.Terminal() && x.Resolution != a.ID, "answer %s was told it lost and item %s is %s by it (I5)", a.ID, a.Item, x.State)
			c.must(a.words == inbox.Told(x), "answer %s was told %q; item %s was %q (I5)", a.ID, a.words, a.Item, inbox.Told(x))
		case inbox.Overdue:
			c.must(x.State == inbox.Expired, "answer %s was told item %s expired; it is %s", a.ID, a.Item, x.State)
		case inbox.NoItem:
			c.must(a.Item == "nosuch", "answer %s was told there is no item %s", a.ID, a.Item)
		case inbox.Refused:
			refs, _ := c.policy[a.since].Approvers(x.Queue)
			c.must(c.edited() || !slices.Contains(refs, a.Actor.Ref()) || a.Actor.Kind != actor.Human || x.Queue == "ops",
				"answer %s was refused and %s may answer item %s (I12)", a.ID, a.Actor.Ref(), a.Item)
		}
		if a.result != inbox.Won {
			c.loser(a)
		}
	}
}

func (c *check) edited() bool { return len(c.policy) > 2 }

func (c *check) winner(a *answered, x inbox.Item) {
	c.must(x.Resolution == a.ID, "answer %s to item %s was told it won; %s did (I5)", a.ID, a.Item, x.Resolution)
	c.must(a.Digest == x.Digest, "answer %s won with another digest (I8)", a.ID)
	c.must(a.Actor.Kind == actor.Human, "%s resolved item %s and is no person (I13)", a.Actor.Ref(), a.Item)
	b := c.body(x.ID)
	c.must(x.Queue != "ops" || b.Asked.Ref() != a.Actor.Ref(), "%s approved his own request %s (I14)", a.Actor.Ref(), a.Item)
	if x.Resolution == a.ID && x.Policy < a.since { // an answer sent twice: the first may have been earlier
		c.must(c.earlier(a), "answer %s won by policy version %d and version %d was in force (I4)", a.ID, x.Policy, a.since)
	}
}

// earlier reports whether the same attempt was also made before.
func (c *check) earlier(a *answered) bool {
	for _, o := range c.w.people.answers {
		if o.ID == a.ID && o != a && o.since <= c.items[a.Item].Policy {
			return true
		}
	}
	return false
}

func (c *check) body(item string) inbox.Body {
	_, b, err := c.w.clean.ItemAndBody(c.ctx, item)
	c.no(err)
	return *b
}

func (c *check) loser(a *answered) {
	found := false
	for _, r := range c.audit[a.Item] {
		found = found || r.What == "refused" && r.Delivery == a.Delivery || r.What == "resolved" && r.Is == string(inbox.Expired)
	}
	c.must(found, "answer %s (%s) stands in no audit row (I14)", a.ID, a.result)
	if a.Via == "slack" {
		c.must(c.told(a), "%s was never told: %s (O1)", a.Actor.Ref(), a.words)
	}
}

// told: one click is told once, with what came of it when it came first; of a
// first that failed nobody knows what that was.
func (c *check) told(a *answered) bool {
	others := 0
	for _, o := range c.w.people.answers {
		if o.ID != a.ID {
			continue
		}
		others++
		if o.known && c.w.places["slack"].told[o.Actor.Ref()+"|"+o.words] > 0 {
			return true
		}
	}
	row, err := c.w.clean.Said(c.ctx, "tell-"+a.ID)
	c.no(err)
	return others > 1 && row != nil && row.State == store.Visible
}

// cards: each place shows its item's present state; nothing settled has
// buttons (I23).
func (c *check) cards(x inbox.Item) {
	rows, err := c.w.clean.ShownOf(c.ctx, x.ID)
	c.no(err)
	for _, r := range rows {
		c.must(r.State == store.Visible || r.State == store.Dropped, "item %s at %s is %s for ever: %s (I23)", x.ID, r.Place.Key(), r.State, r.Error)
		m := c.w.places[r.Place.Surface].cards[r.Message]
		c.must(m != nil || r.Message == "", "item %s: its message %s does not exist", x.ID, r.Message)
		if m == nil || m.deleted {
			continue
		}
		c.must(r.State == store.Visible, "item %s at %s was given up: %s (I23)", x.ID, r.Place.Key(), r.Error)
		want := c.shownVersion(x)
		c.must(m.card.Version == want, "item %s has version %d to show and its card shows %d (I23)", x.ID, want, m.card.Version)
		c.w.counts["cards_settled"]++
	}
}

// posts: every message there is shows what is, or was deleted and its outcome
// said beside it; none was posted twice but by a crash (I23).
func (c *check) posts() {
	for _, platform := range []string{"slack", "feishu", "github"} {
		s, once := c.w.places[platform], map[string]int{}
		for _, id := range s.order {
			m := s.cards[id]
			x := c.items[m.card.Item]
			if m.deleted {
				c.must(m.card.Settled || m.excused || len(s.said[x.ID+"-settled"]) > 0, "item %s: the message was deleted and its outcome said nowhere (I23)", x.ID)
				continue
			}
			if !m.excused {
				once[x.ID+"|"+m.ref.Place.Key()]++
			}
			lost := m.excused && (platform == "github" || len(m.card.Buttons) == 0) // nothing to click: it stays as it is
			c.must(m.card.Settled || lost, "item %s is %s and message %s still has buttons (I23)", x.ID, x.State, id)
			c.must(!m.card.Settled || len(m.card.Buttons) == 0 && m.card.Open == "", "item %s: a settled card has buttons", x.ID)
		}
		for _, id := range s.order {
			m := s.cards[id]
			k := m.card.Item + "|" + m.ref.Place.Key()
			c.must(once[k] <= 1, "item %s was posted %d times at %s (I23)", m.card.Item, once[k], m.ref.Place.Key())
			once[k] = 0
		}
	}
}

// shownVersion is the version that an item's places have to show.
func (c *check) shownVersion(x inbox.Item) int64 {
	a, err := c.w.clean.Attempt(c.ctx, x.Session, x.ID, x.Step, x.Pos)
	c.no(err)
	if a == nil {
		return x.Version
	}
	return inbox.ShownVersion(x, string(a.State))
}
