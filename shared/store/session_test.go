package store

import (
	"fmt"
	"testing"

	"github.com/postern-dev/postern/shared/domain/session"
)

func aSession(id string) session.Session {
	return session.Session{ID: id, Persona: "cowork", Generation: 1, Created: now}
}

// S3: a session is three rows, each of its own, made once.
func TestSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.wins(NewSession(aSession("s1"), 2)...)
	if lost := h.commit(NewSession(aSession("s1"), 0)...); len(lost.All) != 3 {
		t.Errorf("made twice: %+v", lost)
	}
	o, err := h.Open(t.Context(), "s1")
	if err != nil || o.Session.ID != "s1" || o.Lease.State != session.Idle || o.Head.Seq != 2 {
		t.Errorf("%+v %v", o, err)
	}
	s := must(t, o.Session, nil)
	s.Title = "changed"
	h.wins(SaveSession(s))
	h.loses(0, SaveSession(s)) // somebody changed it since
	if got := must2(h.Session(t.Context(), "s1"))(t); got.Title != "changed" || got.Version != 2 {
		t.Errorf("%+v", got)
	}
	if o, err := h.Open(t.Context(), "nosuch"); err != nil || o.Session != nil || o.Lease != nil || o.Head != nil {
		t.Errorf("%+v %v", o, err)
	}
}

// S5: listed newest first, paged, without a gap or a repeat.
func TestSessions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 7 {
		s := aSession(fmt.Sprint("s", i))
		s.Created = now.Add(int64ms(i))
		h.wins(NewSession(s, 0)...)
	}
	var got []string
	for cursor, pages := "", 0; ; pages++ {
		list, next, err := h.Sessions(t.Context(), cursor, 3)
		if err != nil || pages > 3 {
			t.Fatal(pages, err)
		}
		for _, s := range list {
			got = append(got, s.ID)
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	if fmt.Sprint(got) != "[s6 s5 s4 s3 s2 s1 s0]" {
		t.Error(got)
	}
}
