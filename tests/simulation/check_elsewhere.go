package simulation

import (
	"maps"
	"slices"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
)

// elsewhere: one session per opening key; a grant spent once, whoever asked
// how often; one outcome (S14, P25).
func (c *check) elsewhere() {
	o := c.w.others
	for _, key := range slices.Sorted(maps.Keys(o.sessions)) {
		c.must(len(o.sessions[key]) == 1, "key %s opened %d sessions (S14)", key, len(o.sessions[key]))
	}
	for _, id := range c.order {
		x := c.items[id]
		if !x.Elsewhere {
			continue
		}
		a, err := c.w.clean.Attempt(c.ctx, x.Session, id, 0, 0)
		c.no(err)
		c.must(len(o.spent[id]) <= 1, "the grant of item %s was spent with %d keys (P25)", id, len(o.spent[id]))
		c.must(a != nil || len(o.spent[id]) == 0, "the grant of item %s was told spent and is not (P25)", id)
		if a == nil {
			continue
		}
		c.w.counts["spent"]++
		c.must(x.State == inbox.Approved, "item %s is %s and its grant was spent (P25)", id, x.State)
		c.must(len(c.rows(id, "spent")) == 1, "item %s was spent %d times in the audit (I28)", id, len(c.rows(id, "spent")))
		ran := c.rows(id, "ran")
		if a.State == session.Intended {
			c.must(len(ran) == 0, "item %s has an outcome in the audit and none in its row", id)
			continue
		}
		c.must(len(ran) == 1 && ran[0].Is == string(a.State), "item %s ended %s and in the audit %d times (I28)", id, a.State, len(ran))
	}
	for _, k := range o.calls {
		c.must(k.item == "" || c.items[k.item].ID != "", "call %s waits for an item that is not there", k.key)
		c.must(!k.approved || c.items[k.item].State == inbox.Approved, "call %s was told it is approved and its item is %s", k.key, c.items[k.item].State)
	}
}
