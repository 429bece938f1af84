package deliver

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
)

// I23: posted if there is no reference, updated if it shows an older state,
// left alone if it shows what is.
func TestI23_PostUpdateNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.show()
	h.show()
	if len(h.board.posts) != 1 || len(h.board.posts[0].Buttons) != 2 || h.row().State != store.Visible || h.row().Have != 1 {
		t.Fatalf("%d posts, %+v", len(h.board.posts), h.row())
	}
	if m := h.board.posts[0].Mentions; len(m) != 1 || m[0] != ada.Ref() {
		t.Errorf("mentions %v: those whom the platform knows (I10)", m)
	}
	h.allow("")
	h.show()
	h.show()
	c := h.board.cards["m1"]
	if len(h.board.posts) != 1 || len(h.board.updates) != 1 || !c.Settled || len(c.Buttons) != 0 || !strings.Contains(c.Status, "allowed by Ada") {
		t.Errorf("%d posts, updates %v, %+v", len(h.board.posts), h.board.updates, c)
	}
}

// I23: recorded, then how the call ended: the settled card ends with the last.
func TestI23_Ran(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.show()
	h.allow("")
	h.show()
	if got := h.board.cards["m1"].Status; !strings.HasSuffix(got, "; recorded") {
		t.Error(got)
	}
	a := session.Attempt{Session: "s1", Step: 2, Item: h.x.ID, Tool: "deploy", Writer: "w", Deadline: h.now}
	h.do(store.NewAttempt(a))
	a.State, a.Version = session.Ran, 1
	h.do(store.EndAttempt(a), store.DueShown(h.x.ID, h.at, h.now))
	h.show()
	if got := h.board.cards["m1"].Status; !strings.HasSuffix(got, "; ran: ok") {
		t.Error(got)
	}
}

// I23: what was settled before it was ever shown is not posted.
func TestI23_NeverShown(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.allow("")
	h.show()
	if len(h.board.posts) != 0 || h.row().State != store.Dropped {
		t.Errorf("%d posts, %+v", len(h.board.posts), h.row())
	}
}

// I23, B21: a message that cannot be edited any more gets a reply with the
// outcome; while the item waits it gets none.
func TestI23_MessageGone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.show()
	h.allow("")
	h.board.fail = gone
	h.show()
	if len(h.board.said) != 1 || !strings.Contains(h.board.said[0], "allowed by Ada") || h.row().State != store.Visible {
		t.Errorf("said %v, %+v", h.board.said, h.row())
	}
}

// I24: too often, or not reached: due again and rung again, with the error to
// be seen; then shown.
func TestI24_TriedAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.board.fail = busy
	ring := store.Bell{Ring: store.RingShow, Item: h.x.ID, Place: h.at}.Encode()
	if err := h.Hear(t.Context(), ring); !errors.Is(err, busy) {
		t.Fatal(err)
	}
	if r := h.row(); r.State != store.Due || !strings.Contains(r.Error, "ratelimited") || r.Attempts != 1 {
		t.Errorf("%+v", r)
	}
	h.show() // no waiting for the claim that failed
	if r := h.row(); r.State != store.Visible || r.Error != "" || len(h.board.posts) != 1 {
		t.Errorf("%+v", r)
	}
	h = newHouse(t)
	h.board.fail = &delivery.SendError{Code: "channel_not_found", Final: true}
	h.show()
	if r := h.row(); r.State != store.Dropped || !strings.Contains(r.Error, "channel_not_found") {
		t.Errorf("what will never succeed is given up and shown: %+v", r)
	}
}

// I23: the item changes while its card is posted: the message's id is kept and
// it is brought up to date in the same ring. Found by the simulation for two
// changes at once.
func TestI23_ChangesWhilePosting(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.board.during = func() {
		h.allow("")
		h.do(store.DueShown(h.x.ID, h.at, h.now)) // and once more
	}
	h.show()
	if c := h.board.cards["m1"]; len(h.board.posts) != 1 || !c.Settled || h.row().Message != "m1" || h.row().State != store.Visible {
		t.Errorf("%d posts, %+v, %+v", len(h.board.posts), c, h.row())
	}
}

// I23: two deliverers of one place: one posts. Found by the races.
func TestI23_PostUnderWay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ring := store.Bell{Ring: store.RingShow, Item: h.x.ID, Place: h.at}.Encode()
	h.board.during = func() {
		h.allow("") // it becomes due while the post is under way
		if err := h.Hear(context.Background(), ring); err == nil {
			t.Error("a second deliverer went beside the first")
		}
	}
	h.show()
	if len(h.board.posts) != 1 {
		t.Errorf("%d posts", len(h.board.posts))
	}
}

// I23: a deliverer that read the row before it was claimed, and found the item
// settled, does not end the claim of the one who posts. Found by the races.
func TestI23_ReadBeforeTheClaim(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	before := h.row()
	ring := store.Bell{Ring: store.RingShow, Item: h.x.ID, Place: h.at}.Encode()
	h.board.during = func() {
		h.allow("")
		if again, err := h.end(context.Background(), before, store.Dropped, "settled before it was ever shown"); !again || err != nil {
			t.Error(again, err)
		}
		if err := h.Hear(context.Background(), ring); err == nil {
			t.Error("the claim was ended")
		}
	}
	h.show()
	h.show() // the ring of the settled item
	if len(h.board.posts) != 1 || h.row().State != store.Visible || !h.board.cards["m1"].Settled {
		t.Errorf("%d posts, %+v", len(h.board.posts), h.row())
	}
}

// I23: a crash between posting and storing leaves a card that nobody knows of;
// when it is clicked it settles, and so does the other. Found by the
// simulation.
func TestI23_BothSettle(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.board.cards["m0"] = inbox.Card{} // posted by one that died
	h.show()
	h.allow("m0")
	h.show()
	if !h.board.cards["m0"].Settled || !h.board.cards["m1"].Settled || h.row().Message != "m1" {
		t.Errorf("%+v %+v", h.board.cards, h.row())
	}
	h = newHouse(t) // clicked before anything was stored
	h.board.cards["m0"] = inbox.Card{}
	h.allow("m0")
	h.show()
	if len(h.board.posts) != 0 || !h.board.cards["m0"].Settled || h.row().Message != "m0" {
		t.Errorf("%d posts, %+v", len(h.board.posts), h.row())
	}
	h = newHouse(t) // and gone meanwhile: the one on record shows what is
	h.show()
	h.allow("m9")
	h.board.during = func() { h.board.during = func() { h.board.fail = gone } }
	h.show()
	if h.row().State != store.Visible || !h.board.cards["m1"].Settled {
		t.Errorf("%+v", h.row())
	}
}
