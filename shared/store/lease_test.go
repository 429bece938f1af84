package store

import (
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/session"
)

func (h *house) lease() session.Lease {
	h.t.Helper()
	return must2(h.Lease(h.t.Context(), "s1"))(h.t)
}

// S3: a lease is taken when it is free or ran out, by one; each taking has a
// higher token; who lost it writes nothing under it.
func TestLease(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.wins(NewSession(aSession("s1"), 0)...)
	free := h.lease()
	first, take := TakeLease(free, "a", "run1", now)
	h.wins(take)
	if got := h.lease(); got != first || got.State != session.Working || got.Token != 1 || got.Run != "run1" || !got.Until.Equal(now.Add(session.LeaseTime)) {
		t.Fatalf("%+v, not %+v", got, first)
	}
	_, again := TakeLease(free, "b", "run2", now)
	h.loses(0, again) // read before it was taken
	_, early := TakeLease(first, "b", "run2", now.Add(session.LeaseTime))
	h.loses(0, early) // at its very end
	second, take := TakeLease(first, "b", "run2", now.Add(session.LeaseTime+time.Millisecond))
	h.wins(take)
	if second.Token != 2 || second.Run != "run1" {
		t.Errorf("the run goes on and the token grows: %+v", second)
	}
	h.loses(0, HoldLease(first))
	h.loses(0, RenewLease(&first, now))
	h.loses(0, GiveBackLease(first, session.Idle, "", now))
	h.loses(0, ReleaseLease(first, now))
	h.wins(HoldLease(second))
}

// Renewed, parked, deferred, given back, broken: what each leaves.
func TestLease_Ends(t *testing.T) {
	t.Parallel()
	later := now.Add(time.Hour)
	for name, c := range map[string]struct {
		until time.Time
		state session.Liveness
		run   string
		item  string
	}{
		"renewed":  {later.Add(session.LeaseTime), session.Working, "r", ""},
		"parked":   {free, session.Parked, "r", "i1"},
		"idle":     {free, session.Idle, "", ""},
		"sleeping": {free, session.Sleeping, "", ""},
		"deferred": {later, session.Working, "r", ""},
		"released": {now, session.Working, "r", ""},
		"broken":   {free, session.Working, "r", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.wins(NewSession(aSession("s1"), 0)...)
			l, take := TakeLease(h.lease(), "a", "r", now)
			h.wins(take)
			switch name {
			case "renewed":
				h.wins(RenewLease(&l, later))
			case "deferred":
				h.wins(DeferLease(l, later, now))
			case "released":
				h.wins(ReleaseLease(l, now))
				h.loses(0, ReleaseLease(l, now)) // given back already
			case "broken":
				h.wins(BreakLease(l))
				h.loses(0, HoldLease(l))
			default:
				h.wins(GiveBackLease(l, c.state, c.item, now))
			}
			got := h.lease()
			if !got.Until.Equal(c.until) || got.State != c.state || got.Run != c.run || got.Item != c.item || (got.Holder == "") == (name == "renewed") {
				t.Errorf("%+v", got)
			}
			watched, err := h.Overdue(t.Context(), "lease", later.Add(time.Hour), 10)
			if err != nil || (len(watched) == 1) != (c.state == session.Working) {
				t.Errorf("the reconciler watches %d: %v (W8)", len(watched), err)
			}
		})
	}
}
