package store

import (
	"context"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store/table"
)

// Shown is what one place shows of one item (I2, I23): due -> sending (lease)
// -> shown. It waits in the open index until the place shows the present
// state, so that a lost ring or a failed post is found again (W8).
type Shown struct {
	Item     string
	Place    trigger.Place
	Private  bool   // only those who may answer read there, as its binding said when the item was raised (I22)
	State    string // due, sending, shown, dropped
	Message  string // the platform's id of the message, once posted
	Also     string // another message that shows it: one that was clicked and is not ours by record
	Want     int64  // the item's version the place should show; a hint, the item decides
	Have     int64  // the item's version it shows
	Lease    time.Time
	Attempts int64
	Error    string
	Since    time.Time // when it became due
	Version  int64
}

// States of a Shown row.
const (
	Due     = "due"
	Sending = "sending"
	Visible = "shown"
	Dropped = "dropped" // nothing to show: settled before it was ever shown, or given up
)

// Behind reports whether a place has still to show a version of its item. One
// that was given up before it showed anything never will.
func (x Shown) Behind(version int64) bool {
	switch x.State {
	case Visible:
		return x.Have < version
	case Dropped:
		return x.Message != "" && x.Have < version
	}
	return true
}

// Open reports whether a place waits in the open index by itself.
func (x Shown) Open() bool { return x.State == Due || x.State == Sending }

// Knows reports whether a message is on record, so that it is settled with the
// place.
func (x Shown) Knows(message string) bool { return x.Message == message || x.Also == message }

func shownKey(item string, p trigger.Place) table.Key {
	return key("item#"+item, "show#"+p.Key())
}

// NewShown makes a place's row, due. It must not exist.
func NewShown(item string, p trigger.Place, private bool, now time.Time) table.Action {
	x := Shown{Item: item, Place: p, Private: private, State: Due, Since: now, Version: 1}
	return put(shownKey(item, p), "show", shownRow(x), table.Absent())
}

// DueShown makes a place due again because the item changed. It touches only
// what marks it due, so that it never fights with a post under way; the item's
// version decides what is shown.
func DueShown(item string, p trigger.Place, now time.Time) table.Action {
	return table.Action{Verb: table.Update, Key: shownKey(item, p),
		Set: table.Item{
			"kind": table.Str("show"), "item": table.Str(item), "place": encodePlace(p),
			"state": table.Str(Due), "since": stampValue(now),
			"open_pk": table.Str(shard("show", item)), "open_sk": table.Str(Stamp(now) + "#" + item),
		},
		Add: map[string]int64{"version": 1, "want": 1},
	}
}

// ClickedShown is DueShown with the message that was clicked, so that it is
// settled even if its reference was never stored (I23). It does not take the
// place of the message on record: of two that a crash left, both settle.
func ClickedShown(item string, ref inbox.Reference, now time.Time) table.Action {
	a := DueShown(item, ref.Place, now)
	a.Set["also"] = table.Str(ref.Message)
	return a
}

// AgainShown makes a place due whose row changed while a message was posted or
// updated there: that message's id is kept, and the claim ends if it is still
// the writer's own (its lease's end; zero if it had none). x is the row as it
// is now; lost if it changed again in what counts here.
func AgainShown(x Shown, message string, claim, now time.Time) table.Action {
	a := DueShown(x.Item, x.Place, now)
	if !claim.IsZero() && Stamp(x.Lease) == Stamp(claim) {
		a.Remove = []string{"lease"}
		a.If = append(a.If, table.Equals("lease", stampValue(claim)))
	}
	switch {
	case message == "" || message == x.Message:
	case x.Message == "":
		a.Set["message"] = table.Str(message)
		a.If = append(a.If, table.Lacks("message"))
	default:
		a.Set["also"] = table.Str(message)
	}
	return a
}

// SaveShown replaces a row that nobody changed since it was read: a claim, or
// its end. Lost means that it became due again meanwhile.
func SaveShown(x Shown) table.Action {
	was := x.Version
	x.Version++
	return put(shownKey(x.Item, x.Place), "show", shownRow(x), table.Version(was))
}

func shownRow(x Shown) table.Item {
	it := encode(x)
	if x.Open() {
		open(it, shard("show", x.Item), Stamp(x.Since)+"#"+x.Item)
	}
	return it
}

func encodePlace(p trigger.Place) table.Value {
	return encode(struct{ Place trigger.Place }{p})["place"]
}

// Shown reads what a place shows of an item, nil if there is no such row.
func (s *Store) Shown(ctx context.Context, item string, p trigger.Place) (*Shown, error) {
	return get[Shown](ctx, s, shownKey(item, p))
}

// ShownOf lists every place of an item.
func (s *Store) ShownOf(ctx context.Context, item string) ([]Shown, error) {
	return query[Shown](ctx, s, table.Query{PK: "item#" + item, Prefix: "show#"}, 0)
}

// ShownRow reads the row that a waiting key names.
func (s *Store) ShownRow(ctx context.Context, k table.Key) (*Shown, error) {
	if !strings.HasPrefix(k.SK, "show#") {
		return nil, nil
	}
	return get[Shown](ctx, s, k)
}
