package clock_test

import (
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/local/clock"
)

var start = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func rang(c <-chan time.Time) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestFakeStandsStillUntilMoved(t *testing.T) {
	t.Parallel()
	f := clock.NewFake(start)
	after, at, now, past := f.After(time.Minute), f.At(start.Add(time.Hour)), f.After(0), f.At(start.Add(-time.Hour))
	if !f.Now().Equal(start) || rang(after) || rang(at) || !rang(now) || !rang(past) || f.Waiting() != 2 {
		t.Fatal("a clock that stands still rang, or did not ring what is due")
	}
	f.Advance(59 * time.Second)
	if rang(after) {
		t.Fatal("rang early")
	}
	f.Advance(time.Second)
	if !rang(after) || rang(at) {
		t.Fatal("did not ring in time")
	}
	f.Set(start) // never back
	if !f.Now().Equal(start.Add(time.Minute)) {
		t.Fatal("went back")
	}
	f.Set(start.Add(2 * time.Hour))
	if !rang(at) || f.Waiting() != 0 || rang(after) {
		t.Fatal("a bell rings once")
	}
}

func TestRealRings(t *testing.T) {
	t.Parallel()
	var c clock.Clock = clock.Real{}
	<-c.After(0)
	<-c.At(c.Now().Add(-time.Hour))
	if c.Now().Location() != time.UTC {
		t.Fatal("not in UTC")
	}
}
