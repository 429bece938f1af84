package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Usual is how many handlers of a queue Run runs at a time unless told.
const Usual = 8

// Run delivers messages and rings schedules until ctx ends, then waits for the
// handlers it started. Of each queue it runs at most concurrency handlers at a
// time, Usual where none is said; groups of a FIFO queue run side by side. It
// waits for a bell or the clock and does not poll. nil means that ctx ended; an
// engine has one Run at a time.
func (e *Engine) Run(ctx context.Context, handlers map[string]Handler, concurrency map[string]int) error {
	if !e.running.CompareAndSwap(false, true) {
		return errors.New("run queues: they run already")
	}
	defer e.running.Store(false)
	p := &pump{engine: e, ctx: ctx, handlers: handlers, free: map[string]int{}}
	for name := range handlers {
		if _, ok := e.settings[name]; !ok {
			return fmt.Errorf("run queues: a handler for %q, which is none", name)
		}
		if p.free[name] = concurrency[name]; p.free[name] < 1 {
			p.free[name] = Usual
		}
	}
	e.runs(p)
	defer p.working.Wait()
	defer e.runs(nil) // from here on nobody starts a handler
	for ctx.Err() == nil {
		due, next := p.due()
		if due {
			err := e.change(ctx, false, func(tx) error { return nil }) // it delivers, too
			if err != nil && ctx.Err() == nil {
				return fmt.Errorf("run queues: %w", err)
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-e.rung:
		case <-next:
		}
	}
	return nil
}

// runs says whose handlers transactions start from here on.
func (e *Engine) runs(p *pump) {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	e.runner = p
	e.soon.forget()
}

// pump is the state of one Run.
type pump struct {
	engine   *Engine
	ctx      context.Context // Run's
	handlers map[string]Handler
	working  sync.WaitGroup
	version  int64 // of the file, as other processes change it; by the holder of turn

	mu   sync.Mutex
	free map[string]int // handlers that may still start, by queue
}

// due says whether something may be deliverable now, and rings when something
// may be next.
func (p *pump) due() (bool, <-chan time.Time) {
	e := p.engine
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	least := e.soon[schedules]
	for name := range p.able() {
		least = min(least, e.soon[name])
	}
	if least <= e.now().UnixMicro() {
		return true, nil
	}
	if least == never {
		return false, nil
	}
	return false, e.clock.At(fromMicros(least))
}

// receive takes what may start now, inside a transaction of others. It asks the
// file only for what may be due.
func (p *pump) receive(t tx) (got []Received, err error) {
	if p.ctx.Err() != nil {
		return nil, nil // what is there waits for the next Run
	}
	if err := p.foreign(t); err != nil {
		return nil, err
	}
	e := p.engine
	now := e.now()
	if e.soon[schedules] <= now.UnixMicro() {
		if err := t.fire(now); err != nil {
			return nil, err
		}
		if err := t.look(schedules); err != nil {
			return nil, err
		}
	}
	for name, free := range p.able() {
		if e.soon[name] > now.UnixMicro() {
			continue
		}
		some, err := t.receive(name, free, now)
		if err != nil {
			return nil, err
		}
		if got = append(got, some...); len(some) == free {
			continue // there may be more
		}
		if err := t.look(name); err != nil {
			return nil, err
		}
	}
	return got, nil
}

// look learns when something is due next.
func (t tx) look(what string) error {
	at, err := t.due(what)
	t.e.soon.not(what, at)
	return err
}

// foreign forgets what is known if another process changed the file: postern
// redrive, beside postern dev.
func (p *pump) foreign(t tx) error {
	was := p.version
	if _, err := t.row("PRAGMA data_version", nil, []any{&p.version}); err != nil {
		return err
	}
	if p.version != was {
		p.engine.soon.forget()
	}
	return nil
}

// able gives the queues that can take more, with how many.
func (p *pump) able() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	able := map[string]int{}
	for name, free := range p.free {
		if free > 0 {
			able[name] = free
		}
	}
	return able
}

// start runs a message's handler beside the others, by the holder of turn.
func (p *pump) start(r Received) {
	p.mu.Lock()
	p.free[r.Queue]--
	p.mu.Unlock()
	p.working.Go(func() {
		within, cancel := p.ctx, context.CancelFunc(func() {})
		if d := p.engine.settings[r.Queue].Timeout; d > 0 {
			within, cancel = context.WithTimeout(p.ctx, d)
		}
		failed := guarded(within, p.handlers[r.Queue], r)
		cancel()
		p.mu.Lock()
		p.free[r.Queue]++ // before it settles, whose transaction delivers the next
		p.mu.Unlock()
		p.engine.settle(p.ctx, r, failed)
		p.engine.ring()
	})
}
