package simulation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/session"
)

// proc is one running invocation: a function, or somebody's HTTP request. It
// stops at every call of the table and of the world outside until it is chosen
// again, so that any two invocations can be interleaved there, and can die
// there.
type proc struct {
	name   string
	resume chan bool // false: die here
	paused chan bool // true: it has ended
	err    error
	after  func(p *proc) // once it has ended, by itself or killed
	killed bool
	stalls time.Time // not before then: frozen, or on a slow network
	ends   time.Time // its function's time-out
	msg    *msg      // the message it was started by, if by one
	posts  []*posting
	steps  int
}

// endless is how many calls no invocation makes.
const endless = 5000

type procKey struct{}

// errKilled is what unwinds a dead invocation.
var errKilled = errors.New("killed")

// timeouts are the functions' (template.yaml).
var timeouts = map[string]time.Duration{
	"triggers": 20 * time.Second, "turns": 600 * time.Second, "outbound": 30 * time.Second, "wakes": 60 * time.Second,
	"reconcile": 60 * time.Second, "dispatch": 30 * time.Second,
}

// spawn makes an invocation; it takes its first step when it is chosen.
func (w *World) spawn(name string, f func(ctx context.Context) error, after func(p *proc)) *proc {
	p := &proc{name: name, resume: make(chan bool), paused: make(chan bool), after: after, ends: w.now.Add(10 * time.Second)}
	if d := timeouts[name]; d > 0 {
		p.ends = w.now.Add(d)
	}
	ctx := context.WithValue(context.Background(), procKey{}, p)
	go func() {
		defer func() {
			if r := recover(); r != nil && r != errKilled { //nolint:errorlint // the very value
				panic(r)
			}
			p.paused <- true
		}()
		if !<-p.resume {
			panic(errKilled)
		}
		p.err = f(ctx)
	}()
	w.procs = append(w.procs, p)
	return p
}

// trail names an invocation in a trace.
func (p *proc) trail() string {
	if p == nil {
		return "nobody"
	}
	return fmt.Sprintf("%s %p", p.name, p)
}

func running(ctx context.Context) *proc {
	p, _ := ctx.Value(procKey{}).(*proc)
	return p
}

// pause stops an invocation until it is chosen again. Outside of one (the
// checks) it does nothing. A dead one stays dead, whoever recovers.
func pause(ctx context.Context) {
	p := running(ctx)
	if p == nil {
		return
	}
	if p.killed {
		panic(errKilled)
	}
	p.paused <- false
	if !<-p.resume {
		panic(errKilled)
	}
}

// ready are the invocations that can take a step now.
func (w *World) ready() []*proc {
	var out []*proc
	for _, p := range w.procs {
		if !p.stalls.After(w.now) {
			out = append(out, p)
		}
	}
	return out
}

// step lets one invocation go on to its next call. It reports whether it still
// runs. One that is past its function's time-out is ended by the host.
func (w *World) step(p *proc, alive bool) bool {
	if w.now.After(p.ends) && w.weather == Storm {
		w.counts["timed_out"]++
		alive = false
	}
	if p.steps++; p.steps == endless {
		w.wrong("an invocation of %s goes on for ever", p.name)
		alive = false
	}
	p.killed = p.killed || !alive
	p.resume <- alive
	if !<-p.paused {
		return true
	}
	for i, x := range w.procs {
		if x == p {
			w.procs = append(w.procs[:i:i], w.procs[i+1:]...)
			break
		}
	}
	w.ended(p)
	return false
}

func (w *World) ended(p *proc) {
	what := p.name + " ended"
	if p.killed {
		w.counts["killed"]++
		what = p.name + " killed"
	}
	if p.err != nil {
		what += ": " + p.err.Error()
		w.guard.complaint(p)
	}
	w.tracef("%s", what)
	w.happened(what)
	for _, x := range p.posts {
		x.excused = x.excused || p.killed || p.err != nil
	}
	p.after(p)
}

// pass lets time go by. Turns feel all of it, and so does what is frozen; the
// short functions are done within a moment otherwise.
func (w *World) pass(d time.Duration) {
	for _, p := range w.procs {
		if p.name == "turns" || p.stalls.After(w.now) {
			continue
		}
		p.ends = p.ends.Add(d)
		if p.msg != nil {
			p.msg.visible = p.msg.visible.Add(d)
		}
	}
	w.now = w.now.Add(d)
}

// stall freezes an invocation for longer than leases and deadlines last, every
// other time a turn; its session is rung again meanwhile (S3).
func (w *World) stall() {
	if len(w.procs) == 0 || w.weather == Fair {
		return
	}
	p := w.procs[w.rng.IntN(len(w.procs))]
	if turns := w.named("turns"); len(turns) > 0 && w.chance(50) {
		p = turns[w.rng.IntN(len(turns))]
	}
	p.stalls = w.now.Add(time.Duration(5+w.rng.IntN(300)) * time.Second)
	w.counts["stalled_"+p.name]++
	if p.name == "turns" {
		w.queue.msgs = append(w.queue.msgs, &msg{Message: p.msg.Message, visible: w.now.Add(session.LeaseTime + time.Second)})
	}
}

func (w *World) named(name string) []*proc {
	var out []*proc
	for _, p := range w.procs {
		if p.name == name {
			out = append(out, p)
		}
	}
	return out
}
