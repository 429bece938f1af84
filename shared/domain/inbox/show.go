package inbox

import (
	"github.com/postern-dev/postern/shared/domain/actor"
)

// Present makes the card that shows an item's present state at a place (I22,
// I23). private says that only those who may answer read there; ran is how the
// approved call ended ("", "ok", "failed", "unknown"); key signs the buttons;
// link is the panel's page of the item.
func Present(x Item, b Body, private bool, ran string, mentions []string, key []byte, link string) Card {
	c := Card{
		Item: x.ID, Kind: x.Kind, Title: x.Title, Tool: x.Tool, Risk: x.Risk,
		Session: x.Session, Link: link, Settled: x.State.Terminal(), Version: ShownVersion(x, ran),
	}
	if private {
		c.Text, c.Arguments = b.Text, b.Arguments
		if b.Asked.Kind == actor.Human {
			c.Asked = name(b.Asked)
		}
	} else { // tool, risk and link: a title names the target or asks the question, a reason is somebody's text
		c.Title, x.Reason = x.Tool, ""
		if c.Title == "" {
			c.Title = string(x.Kind)
		}
	}
	if c.Settled {
		c.Status = Told(x) + afterwards(x, ran)
		return c
	}
	c.Mentions = mentions
	c.FreeText = x.Kind == Question && b.AllowText
	c.Buttons = buttons(x, b, key)
	c.Open = Button{Item: x.ID, Digest: x.Digest, Choice: Open}.Value(key)
	return c
}

// ShownVersion is the version of what is to be shown of an item: the item's
// own, and one more once it is known how its approved call ended.
func ShownVersion(x Item, ran string) int64 {
	if x.State == Approved && Ended(ran) {
		return x.Version + 1
	}
	return x.Version
}

// afterwards adds the last word of a settled approval: recorded, then how the
// call ended. Resumed and ran are different words (R22).
func afterwards(x Item, ran string) string {
	if x.State != Approved {
		return ""
	}
	switch ran {
	case "ok":
		return "; ran: ok"
	case "failed":
		return "; ran: failed"
	case "unknown":
		return "; ran: not known, a person is asked"
	}
	return "; recorded"
}

func buttons(x Item, b Body, key []byte) []CardButton {
	value := func(choice string) string {
		return Button{Item: x.ID, Digest: x.Digest, Choice: choice}.Value(key)
	}
	switch x.Kind {
	case Approval, Plan, Directory:
		return []CardButton{
			{Label: "Allow once", Value: value(Allow), Style: "primary"},
			{Label: "Deny", Value: value(Deny), Style: "danger"},
		}
	case Question:
		if b.Multi {
			return nil
		}
		var out []CardButton
		for _, o := range b.Options {
			out = append(out, CardButton{Label: o.Label, Value: value(o.Value)})
		}
		return out
	}
	return nil
}
