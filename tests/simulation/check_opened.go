package simulation

import (
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/store"
)

// signIn is what every sign-in link of this world begins with.
const signIn = "https://panel/login?key="

// opened: a click on Open is one asking in the audit, however often it came,
// and its clicker was told a link; each link that was told leads its hearer,
// and nobody else, to the item (I22).
func (c *check) opened() {
	for _, a := range c.w.people.opens {
		if !a.known {
			continue
		}
		c.w.counts["open_"+string(a.result)]++
		switch a.result {
		case inbox.Opened:
			rows := 0
			for _, r := range c.audit[a.Item] {
				if r.What == "opened" && r.Delivery == a.Delivery && r.Actor.Ref() == a.Actor.Ref() {
					rows++
				}
			}
			c.must(rows == 1, "click %s on Open stands in %d audit rows (I22)", a.ID, rows)
			said, err := c.w.clean.Said(c.ctx, "open-"+a.ID)
			c.no(err)
			c.must(said != nil && said.State == store.Visible, "click %s on Open was given no link: %+v (I22)", a.ID, said)
		case inbox.Late:
			c.must(c.items[a.Item].State.Terminal(), "click %s on Open was told that item %s is settled (I23)", a.ID, a.Item)
		case inbox.NoItem:
			c.must(a.Item == "nosuch", "click %s on Open was told there is no item %s", a.ID, a.Item)
		case inbox.Refused:
			c.must(a.Actor.Kind != actor.Human, "click %s on Open was refused to a person (I22)", a.ID)
		default:
			c.must(false, "click %s on Open came to %s", a.ID, a.result)
		}
	}
	for _, s := range c.w.places {
		for what := range s.told {
			who, words, _ := strings.Cut(what, "|")
			_, key, ok := strings.Cut(words, signIn)
			if !ok {
				continue
			}
			c.w.counts["links"]++
			l, err := c.w.clean.Login(c.ctx, store.HashSecret(key))
			c.no(err)
			c.must(l != nil && l.Person == who && l.Item != "" && l.Role == store.Guest, "%s was told a link that is not his: %+v (I22)", who, l)
		}
	}
}
