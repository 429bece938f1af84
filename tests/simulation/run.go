package simulation

import (
	"context"
	"fmt"
	"time"
)

// Run lets the world live for n operations, then lets it come to rest. Then
// somebody clicks every card that is left with buttons, since a post whose
// reply was lost leaves one that nobody knows of, and it comes to rest again.
func (w *World) Run(n int) error {
	for range n {
		w.operation()
	}
	w.calm = true
	if err := w.settle(); err != nil {
		return err
	}
	w.everyone()
	for range 5 { // of several lost posts one click settles one
		if w.sweep() == 0 {
			break
		}
		if err := w.settle(); err != nil {
			return err
		}
	}
	return nil
}

// operation is one thing that happens.
func (w *World) operation() {
	w.pump()
	if w.chance(30) { // the others happen within the same millisecond
		w.now = w.now.Add(time.Duration(w.rng.IntN(60)) * time.Millisecond)
	}
	switch r := w.rng.IntN(1000); {
	case r < 15:
		w.people.write()
	case r < 40:
		w.people.answer()
	case r < 60:
		w.others.act()
	case r < 62:
		w.editPolicy()
	case r < 64:
		w.stop()
	case r < 66, w.weather == Fair && r < 90:
		w.reconcile()
	case r < 69:
		w.disturb()
	case r < 73:
		w.stall()
	case r < 77:
		w.wait()
	case r < 300:
		if ms := w.queue.deliverable(); len(ms) > 0 {
			w.queue.receive(ms[w.rng.IntN(len(ms))])
		}
	default:
		w.proceed()
	}
}

func (w *World) pump() {
	w.queue.ring()
	w.queue.expire()
	w.stream()
}

// proceed lets one invocation go on for a few steps.
func (w *World) proceed() {
	ready := w.ready()
	if len(ready) == 0 {
		w.wait()
		return
	}
	p := ready[w.rng.IntN(len(ready))]
	for !p.stalls.After(w.now) && w.step(p, true) && w.chance(60) {
	}
}

// wait lets time pass: in a storm by any time at any moment, in fair weather
// only when nothing is under way.
func (w *World) wait() {
	busy := len(w.ready()) > 0 || len(w.queue.deliverable()) > 0
	at, ok := w.queue.next()
	switch {
	case busy && w.weather == Fair:
	case busy || w.chance(10):
		w.pass(patience[w.rng.IntN(len(patience))])
	case ok && at.After(w.now) && at.Sub(w.now) < 10*time.Minute:
		w.pass(at.Sub(w.now))
	default:
		w.pass(time.Second)
	}
}

// patience is how far the clock may jump in one operation.
var patience = []time.Duration{time.Second, 10 * time.Second, time.Minute, 2 * time.Minute, 3 * time.Minute, 11 * time.Minute}

// disturb is what the weather does: an invocation dies, a card's message is
// deleted, dead letters come back.
func (w *World) disturb() {
	if w.weather == Fair {
		return
	}
	switch ready := w.ready(); {
	case w.chance(30):
		w.restart()
	case w.chance(70) && len(ready) > 0:
		w.step(ready[w.rng.IntN(len(ready))], false)
	case w.chance(50):
		w.queue.redrive()
	default:
		w.places[[]string{"slack", "feishu"}[w.rng.IntN(2)]].vandal()
	}
}

func (w *World) reconcile() {
	w.spawn("reconcile", func(ctx context.Context) error {
		f, err := w.waker.Reconcile(ctx)
		w.counts["find_outbox"] += f.Outbox
		w.counts["find_mail"] += f.Mail
		w.counts["find_leases"] += f.Leases
		w.counts["find_wakes"] += f.Wakes
		w.counts["find_cards"] += f.Cards
		w.counts["find_expired"] += f.Expired
		if w.weather == Fair && f.Missed() > 0 {
			w.wrong("the reconciler found %+v in a healthy world (W8)", f)
		}
		return err
	}, func(*proc) {})
}

// settle lets the clock run without faults, with the reconciler every five
// minutes, until nothing moves for a while. What is still wrong then is wrong
// for ever.
func (w *World) settle() error {
	w.queue.redrive()
	for _, p := range w.procs {
		p.stalls = time.Time{}
	}
	quiet, again := 0, true
	for round := 0; quiet < 20; round++ {
		if round > 20_000 {
			return fmt.Errorf("the world does not come to rest: %d processes, %d messages", len(w.procs), len(w.queue.msgs))
		}
		if w.moves() {
			quiet = 0
			continue
		}
		if at, ok := w.queue.next(); ok && at.Sub(w.now) < 5*time.Minute {
			w.now = maxTime(w.now.Add(time.Millisecond), at)
			quiet = 0
			continue
		}
		if again && len(w.queue.dead) > 0 { // given up for what the storm did to its first receives
			w.queue.redrive()
			again, quiet = false, 0
			continue
		}
		w.now = w.now.Add(5 * time.Minute)
		w.reconcile()
		if first := w.moves(); first && w.moves() {
			quiet = 0
		} else {
			quiet++
		}
	}
	return nil
}

// moves runs all that can run now, and reports whether there was anything.
func (w *World) moves() bool {
	w.queue.ring()
	moved := w.stream()
	for len(w.procs) > 0 {
		w.step(w.procs[w.rng.IntN(len(w.procs))], true)
		moved = true
	}
	for _, m := range w.queue.deliverable() {
		w.queue.receive(m)
		moved = true
	}
	return moved
}

// sweep clicks every card that still has buttons, and says how many.
func (w *World) sweep() (n int) {
	for _, platform := range []string{"slack", "feishu"} {
		s := w.places[platform]
		for _, id := range s.order {
			if c := s.cards[id]; !c.deleted && len(c.card.Buttons) > 0 {
				if !c.excused {
					w.wrong("all is quiet and message %s of item %s still has buttons (I23)", id, c.card.Item)
				}
				n++
				w.people.click(platform, c)
			}
		}
	}
	w.counts["swept"] += n
	return n
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
