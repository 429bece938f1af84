package simulation

import (
	"context"
	"errors"
)

// proc is one running invocation: a function, or somebody's HTTP request. It
// stops at every call of the table until the world lets it go on, so that any
// two invocations can be interleaved there, and can die there.
type proc struct {
	name   string
	resume chan bool // false: die here
	paused chan bool // true: it has ended
	err    error
	after  func(p *proc) // once it has ended, by itself or killed
	killed bool
}

type procKey struct{}

// errKilled is what unwinds a dead invocation.
var errKilled = errors.New("killed")

// spawn makes an invocation; it takes its first step when it is chosen.
func (w *World) spawn(name string, f func(ctx context.Context) error, after func(p *proc)) {
	p := &proc{name: name, resume: make(chan bool), paused: make(chan bool), after: after}
	ctx := context.WithValue(context.Background(), procKey{}, p)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				if r != errKilled { //nolint:errorlint // the very value
					panic(r)
				}
			}
			p.paused <- true
		}()
		if !<-p.resume {
			panic(errKilled)
		}
		p.err = f(ctx)
	}()
	w.procs = append(w.procs, p)
}

// pause stops an invocation until it is chosen again. Outside of one (the
// checks) it does nothing.
func pause(ctx context.Context) {
	p, ok := ctx.Value(procKey{}).(*proc)
	if !ok {
		return
	}
	p.paused <- false
	if !<-p.resume {
		panic(errKilled)
	}
}

// step lets one invocation go on to its next call of the table.
func (w *World) step(i int, alive bool) {
	p := w.procs[i]
	p.killed = p.killed || !alive
	p.resume <- alive
	if !<-p.paused {
		return
	}
	w.procs = append(w.procs[:i:i], w.procs[i+1:]...)
	if p.killed {
		w.tracef("killed %s", p.name)
		w.counts["killed"]++
	}
	if p.err != nil {
		w.tracef("%s: %v", p.name, p.err)
	}
	p.after(p)
}
