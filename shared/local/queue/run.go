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
	p := &pump{engine: e, handlers: handlers, free: map[string]int{}}
	for name := range handlers {
		if _, ok := e.settings[name]; !ok {
			return fmt.Errorf("run queues: a handler for %q, which is none", name)
		}
		if p.free[name] = concurrency[name]; p.free[name] < 1 {
			p.free[name] = Usual
		}
	}
	defer p.working.Wait()
	for ctx.Err() == nil {
		got, next, err := p.poll(ctx)
		if ctx.Err() != nil {
			break // what was received comes again after its time-out
		}
		if err != nil {
			return fmt.Errorf("run queues: %w", err)
		}
		for _, r := range got {
			p.start(ctx, r)
		}
		if len(got) > 0 {
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

// pump is the state of one Run.
type pump struct {
	engine   *Engine
	handlers map[string]Handler
	working  sync.WaitGroup

	mu   sync.Mutex
	free map[string]int // handlers that may still start, by queue
}

// poll receives what may start now. If that is nothing, next rings when
// something is due.
func (p *pump) poll(ctx context.Context) (got []Received, next <-chan time.Time, err error) {
	e := p.engine
	err = e.change(ctx, false, func(t tx) error {
		got, next = nil, nil
		now := e.now()
		if err := t.fire(now); err != nil {
			return err
		}
		able := p.able()
		for name, free := range able {
			some, err := t.receive(name, free, now)
			if err != nil {
				return err
			}
			got = append(got, some...)
		}
		if len(got) > 0 {
			return nil
		}
		at, ok, err := t.next(able)
		if ok {
			next = e.clock.At(at)
		}
		return err
	})
	return got, next, err
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

// start runs a message's handler beside the others.
func (p *pump) start(ctx context.Context, r Received) {
	p.mu.Lock()
	p.free[r.Queue]--
	p.mu.Unlock()
	p.working.Go(func() {
		within, cancel := ctx, context.CancelFunc(func() {})
		if d := p.engine.settings[r.Queue].Timeout; d > 0 {
			within, cancel = context.WithTimeout(ctx, d)
		}
		p.engine.work(within, p.handlers[r.Queue], r)
		cancel()
		p.mu.Lock()
		p.free[r.Queue]++
		p.mu.Unlock()
		p.engine.ring()
	})
}
