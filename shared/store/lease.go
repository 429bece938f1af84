package store

import (
	"time"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store/table"
)

// free is the end of a lease that nobody holds: before any clock's now, so
// that a ring in the same millisecond, or on a slower clock, can take it.
var free = time.Unix(0, 0).UTC()

// TakeLease takes a free lease for a turn (S3). was is the row as read; the
// action holds only if nobody changed it since and it was given back or ran
// out before now. It returns the lease as held after the commit.
func TakeLease(was session.Lease, holder, run string, now time.Time) (session.Lease, table.Action) {
	l := was
	l.Token++
	l.Holder = holder
	l.Until = now.Add(session.LeaseTime)
	l.Version++
	if l.Run == "" {
		l.Run = run
	}
	l.State = session.Working
	return l, put(leaseKey(l.Session), "lease", leaseRow(l, now),
		table.Version(was.Version), table.Before("until", stampValue(now)), table.Lacks("deleted"))
}

// HoldLease checks that the turn still holds its lease: a turn that lost it
// cannot commit anything but an outcome (S3, S8).
func HoldLease(l session.Lease) table.Action {
	return table.Action{Verb: table.Check, Key: leaseKey(l.Session),
		If: []table.Cond{table.Equals("token", table.Int(l.Token)), table.Lacks("deleted")}}
}

// RenewLease moves the end of a held lease, in the place of HoldLease.
func RenewLease(l *session.Lease, now time.Time) table.Action {
	l.Until = now.Add(session.LeaseTime)
	return saveLease(*l, now)
}

// GiveBackLease ends a turn: parked on an item, idle, or sleeping. The run ends
// with idle and goes on otherwise (I3).
func GiveBackLease(l session.Lease, state session.Liveness, item string, now time.Time) table.Action {
	l.Holder, l.State, l.Item, l.Until, l.Strikes = "", state, item, free, 0
	if state != session.Parked && state != session.Working {
		l.Run = ""
	}
	return saveLease(l, now)
}

// BreakLease ends the lease of a turn that is known to be dead, because its
// process is: the token grows, so that nothing of it can commit any more.
func BreakLease(l session.Lease) table.Action {
	was := l.Version
	l.Token++
	l.Version++
	l.Holder, l.Until = "", free
	return put(leaseKey(l.Session), "lease", leaseRow(l, free), table.Version(was), table.Lacks("deleted"))
}

// fenceOff ends whatever lease a session's turn holds, whoever holds it.
func fenceOff(session string) table.Action {
	return table.Action{Verb: table.Update, Key: leaseKey(session), Set: table.Item{"until": stampValue(free)},
		Add: map[string]int64{"token": 1, "version": 1}, Remove: []string{"holder"},
		If: []table.Cond{table.Present(), table.Lacks("deleted")}}
}

// DeferLease gives a lease back in the middle of a run that nobody may touch
// before a time: a call's deadline (S8), or a pause the model asked for (S11).
// It stays among the leases that the reconciler watches.
func DeferLease(l session.Lease, until, now time.Time) table.Action {
	l.Holder, l.State, l.Until = "", session.Working, until
	return saveLease(l, now)
}

// ReleaseLease gives a lease back that a turn holds and cannot use, because
// something failed: the next ring takes it at once instead of after its time.
// Lost if it was given back, or taken, already.
func ReleaseLease(l session.Lease, now time.Time) table.Action {
	a := DeferLease(l, now, now)
	a.If = append(a.If, table.Equals("holder", table.Str(l.Holder)))
	return a
}

func saveLease(l session.Lease, now time.Time) table.Action {
	token := l.Token
	l.Version++
	return put(leaseKey(l.Session), "lease", leaseRow(l, now),
		table.Equals("token", table.Int(token)), table.Lacks("deleted"))
}

// leaseRow keeps a lease in the open index while a run is under way, so that
// one whose turn died is found (W8).
func leaseRow(l session.Lease, now time.Time) table.Item {
	it := encode(l)
	if l.State == session.Working {
		open(it, shard("lease", l.Session), Stamp(now)+"#"+l.Session)
	}
	return it
}
