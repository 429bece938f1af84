package queue_test

import (
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/queue"
)

// A group is in order and blocked while its first message is in flight; other
// groups are not.
func TestFifoGroups(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.fifo("g1", "a1")
		w.fifo("g1", "a2")
		w.fifo("g2", "b1")
		w.fifo("g1", "a3")
		got := w.gets(doorbell.Triggers, "a1", "b1")
		if a := got[0]; a.Group != "g1" || a.Receives != 1 || !a.Sent.Equal(start.Truncate(time.Microsecond)) || a.Queue != doorbell.Triggers {
			t.Fatalf("%+v", a)
		}
		w.gets(doorbell.Triggers)
		w.deletes(got[1], true)
		w.gets(doorbell.Triggers)
		w.deletes(got[0], true)
		w.deletes(got[0], false)
		second := w.gets(doorbell.Triggers, "a2")
		w.hides(second[0], 0, true)
		w.deletes(second[0], false) // not in flight any more
		second = w.gets(doorbell.Triggers, "a2")
		if second[0].Receives != 2 || second[0].ID == got[0].ID {
			t.Fatalf("%+v", second)
		}
		w.deletes(second[0], true)
		w.deletes(w.gets(doorbell.Triggers, "a3")[0], true)
		w.due(time.Time{})
		w.gets(doorbell.Outbound)
	})
}

// A message whose delete is lost comes again after its time-out, before what is
// behind it, and the old receipt deletes nothing of the new holder's.
func TestLostDeleteAndExpiredReceipt(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.fifo("g", "first")
		w.fifo("g", "second")
		old := w.gets(doorbell.Triggers, "first")[0]
		w.due(start.Add(120 * time.Second))
		w.clock.Advance(120*time.Second - time.Microsecond)
		w.gets(doorbell.Triggers)
		w.clock.Advance(time.Microsecond)
		w.deletes(old, false) // expired, although nobody has it yet
		again := w.gets(doorbell.Triggers, "first")[0]
		if again.ID != old.ID || again.Receipt == old.Receipt || again.Receives != 2 {
			t.Fatalf("%+v after %+v", again, old)
		}
		w.deletes(old, false)
		w.hides(old, 0, false)
		w.gets(doorbell.Triggers)
		w.hides(again, time.Hour, true)
		w.clock.Advance(59 * time.Minute)
		w.gets(doorbell.Triggers)
		w.deletes(again, true)
		w.gets(doorbell.Triggers, "second")
	})
}

// D5: equal ids within five minutes of acceptance are one ring, by queue, even
// when the first was done long ago; a ring repeated on purpose rings.
func TestD5Deduplication(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		m := doorbell.Message{Queue: doorbell.Triggers, Group: "g", Dedup: "row1-0-0", Body: "x"}
		w.send(m)
		w.send(m)
		w.deletes(w.gets(doorbell.Triggers, "x")[0], true)
		w.clock.Advance(queue.DedupWindow - time.Microsecond)
		other := m
		other.Group, other.Body = "h", "y"
		w.send(other) // the id counts in the whole queue, and is not renewed
		w.gets(doorbell.Triggers)
		m.Dedup = "row1-0-1"
		w.send(m)
		w.deletes(w.gets(doorbell.Triggers, "x")[0], true)
		m.Queue, m.Dedup = doorbell.Outbound, "row1-0-0"
		w.send(m)
		w.gets(doorbell.Outbound, "x")
		w.clock.Advance(time.Microsecond)
		w.send(other)
		w.gets(doorbell.Triggers, "y")
	})
}

// What SQS refuses is refused here, so that nothing works locally only.
func TestSendRefuses(t *testing.T) {
	t.Parallel()
	w := open(t, queue.Memory, queue.Options{})
	long := strings.Repeat("x", 129)
	for name, m := range map[string]doorbell.Message{
		"no queue":                  {Queue: "mail", Body: "x"},
		"FIFO without group":        {Queue: doorbell.Triggers, Dedup: "d", Body: "x"},
		"FIFO without id":           {Queue: doorbell.Triggers, Group: "g", Body: "x"},
		"FIFO with a delay":         {Queue: doorbell.Outbound, Group: "g", Dedup: "d", Body: "x", Delay: time.Second},
		"a long group":              {Queue: doorbell.Triggers, Group: long, Dedup: "d", Body: "x"},
		"a long id":                 {Queue: doorbell.Triggers, Group: "g", Dedup: long, Body: "x"},
		"an id with a gap":          {Queue: doorbell.Triggers, Group: "g", Dedup: "d d", Body: "x"},
		"a group that is not ASCII": {Queue: doorbell.Triggers, Group: "gé", Dedup: "d", Body: "x"},
		"standard with a group":     {Queue: doorbell.Turns, Group: "g", Body: "x"},
		"standard with an id":       {Queue: doorbell.Turns, Dedup: "d", Body: "x"},
		"a delay below zero":        {Queue: doorbell.Wakes, Body: "x", Delay: -time.Second},
		"a delay over 15 minutes":   {Queue: doorbell.Wakes, Body: "x", Delay: 15*time.Minute + time.Second},
		"a delay of half a second":  {Queue: doorbell.Wakes, Body: "x", Delay: time.Second / 2},
		"no body":                   {Queue: doorbell.Turns},
		"a body over 1 MiB":         {Queue: doorbell.Turns, Body: strings.Repeat("x", 1<<20+1)},
		"a body that is not UTF-8":  {Queue: doorbell.Turns, Body: "\xff"},
		"a body with control signs": {Queue: doorbell.Turns, Body: "a\x00b"},
	} {
		if err := w.Send(ctx, m); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	w.due(time.Time{})
	w.send(doorbell.Message{Queue: doorbell.Turns, Body: strings.Repeat("x", 1<<20)})
	w.send(doorbell.Message{Queue: doorbell.Triggers, Group: long[1:], Dedup: long[1:], Body: "{\"text\":\"\t\n\r 你\U0001F512\"}"})
	if got := w.receive(doorbell.Triggers, 1); len(got) != 1 || got[0].Body != "{\"text\":\"\t\n\r 你\U0001F512\"}" {
		t.Fatalf("%+v", got)
	}
}

// D4: a message received too often is dead and frees its group; it is kept,
// listed, and redriven as a new one at the end.
func TestD4DeadLetters(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.fifo("g", "poison")
		w.fifo("g", "next")
		for range 5 {
			w.hides(w.gets(doorbell.Triggers, "poison")[0], 0, true)
		}
		next := w.gets(doorbell.Triggers, "next")[0]
		dead, err := w.Dead(ctx, doorbell.Triggers, 10)
		if err != nil || len(dead) != 1 || dead[0].Body != "poison" || dead[0].Receives != 5 || dead[0].Group != "g" || !dead[0].Died.Equal(start.Truncate(time.Microsecond)) {
			t.Fatalf("%+v %v", dead, err)
		}
		depths, err := w.Depths(ctx)
		if err != nil || depths[doorbell.Triggers] != (queue.Depth{InFlight: 1, Dead: 1}) || len(depths) != 4 {
			t.Fatalf("%+v %v", depths, err)
		}
		w.fifo("g", "last")
		if n, err := w.Redrive(ctx, doorbell.Outbound, 10); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if n, err := w.Redrive(ctx, doorbell.Triggers, 10); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if dead, err := w.Dead(ctx, doorbell.Triggers, 10); len(dead) != 0 || err != nil {
			t.Fatal(dead, err)
		}
		w.deletes(next, true)
		w.deletes(w.gets(doorbell.Triggers, "last")[0], true)
		again := w.gets(doorbell.Triggers, "poison")[0]
		if again.Receives != 1 || again.ID == dead[0].ID {
			t.Fatalf("%+v", again)
		}
		w.deletes(again, true)
		w.due(time.Time{})
	})
}
