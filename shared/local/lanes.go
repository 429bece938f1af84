package local

import "sync"

// lanes run work side by side, but work that shares a lane in the order it was
// given. The zero value is ready; one goroutine gives the work.
type lanes struct {
	last map[string]chan struct{} // closed when the latest work of a lane is done
	all  sync.WaitGroup
}

// run starts work once all that was given before in any of its lanes is done.
func (l *lanes) run(in []string, work func()) {
	if l.last == nil {
		l.last = map[string]chan struct{}{}
	}
	var before []chan struct{}
	done := make(chan struct{})
	for _, name := range in {
		if c := l.last[name]; c != nil && c != done {
			before = append(before, c)
		}
		l.last[name] = done
	}
	l.all.Go(func() {
		defer close(done)
		for _, c := range before {
			<-c
		}
		work()
	})
}

// wait returns when all work is done.
func (l *lanes) wait() { l.all.Wait() }
