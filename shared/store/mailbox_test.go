package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store/table"
)

func aMail(id string, at time.Time) session.Mail {
	return session.Mail{Session: "s1", ID: MailID(at, id), Kind: session.Message, Text: id, At: at}
}

// S3, I7: mail comes in order, counts in the head, and is read once.
func TestMailbox(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.wins(NewSession(aSession("s1"), 0)...)
	head := must2(h.Head(t.Context(), "s1"))(t)
	for i, id := range []string{"c", "a", "b"} {
		h.wins(NewMail(aMail(id, now.Add(int64ms(i))))...)
	}
	mail, err := h.Mail(t.Context(), "s1")
	if err != nil || len(mail) != 3 || mail[0].Text != "c" || mail[2].Text != "b" {
		t.Fatalf("%+v %v", mail, err)
	}
	h.loses(0, NewMail(aMail("c", now))[0]) // the same mail twice
	h.wins(ReadMail(mail[0]))
	h.loses(0, ReadMail(mail[0]))
	h.loses(0, QuietMailbox(head)) // something came since (S9)
	h.wins(QuietMailbox(must2(h.Head(t.Context(), "s1"))(t)))
	if lost := h.commit(NewMail(session.Mail{Session: "nosuch", ID: "x", At: now})...); !lost.By(1) {
		t.Errorf("mail for nobody: %+v", lost)
	}
}

// S2: a deleted session receives nothing, and its turn can commit nothing.
func TestMailbox_Deleted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.wins(NewSession(aSession("s1"), 0)...)
	l, take := TakeLease(h.lease(), "a", "r", now)
	h.wins(take)
	for _, k := range []table.Key{leaseKey("s1"), headKey("s1")} {
		h.wins(table.Action{Verb: table.Update, Key: k, Set: table.Item{"deleted": table.Bool(true)}})
	}
	h.loses(1, NewMail(aMail("a", now))...)
	h.loses(0, HoldLease(l))
	h.loses(0, GiveBackLease(l, session.Idle, "", now))
	h.loses(0, QuietMailbox(session.Head{Session: "s1"}))
}

// W8: what waits is found by age, over all shards, a page or all of it, and
// only while it waits.
func TestOverdue(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 30 {
		m := aMail(fmt.Sprint("m", i), now.Add(time.Duration(i)*time.Second))
		m.Session = fmt.Sprint("s", i%3)
		h.wins(MailEntry(m))
	}
	all, err := h.Overdue(t.Context(), "mail", now.Add(time.Hour), 0)
	if err != nil || len(all) != 30 {
		t.Fatalf("%d %v", len(all), err)
	}
	if some, err := h.Overdue(t.Context(), "mail", now.Add(10*time.Second-time.Millisecond), 0); err != nil || len(some) != 10 {
		t.Errorf("older than the tenth: %d %v", len(some), err)
	}
	if page, err := h.Overdue(t.Context(), "mail", now.Add(time.Hour), 2); err != nil || len(page) > 2*3 || len(page) < 2 {
		t.Errorf("two of a shard: %d %v", len(page), err)
	}
	if s := all[0].SessionOf(); s != "s0" && s != "s1" && s != "s2" {
		t.Errorf("session %q", s)
	}
	if waits, err := h.Waits(t.Context(), all[0]); err != nil || !waits {
		t.Error(waits, err)
	}
	h.wins(table.Action{Verb: table.Delete, Key: all[0].Key})
	if waits, err := h.Waits(t.Context(), all[0]); err != nil || waits {
		t.Error("a mail that was read still waits")
	}
}
