package local

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// cursorKey is where the stream's reader keeps its place.
var cursorKey = table.Key{PK: "local", SK: "stream"}

const (
	keepEvery = 256  // change records between two times that the place is kept
	trimMost  = 1024 // change records that are trimmed at a time
)

// reader is the stream's one consumer, and its place.
type reader struct {
	r       *Runtime
	at      string // all up to here was moved
	unkept  int    // records read since the place was kept
	moved   bool   // rows were, since the place was kept
	trimmed bool   // all before the kept place is gone
}

// stream brings rows that ring to dispatch, as the table's stream does
// on AWS. Its place is stored after the rows were moved, now and then and once
// it is quiet: after a kill some are moved twice, which nothing minds (D5).
func (r *Runtime) stream(ctx context.Context) error {
	s, err := r.reader(ctx)
	if err != nil {
		return err
	}
	for {
		n, err := s.read(ctx)
		if ctx.Err() != nil {
			return s.end(ctx)
		}
		if err != nil {
			return err
		}
		if s.unkept >= keepEvery {
			if err := s.keep(ctx); err != nil {
				return err
			}
		}
		if n > 0 {
			continue
		}
		select {
		case <-r.changed:
			continue
		case <-r.Clock.After(time.Second): // a second process may have written: postern policy, wake, login
		case <-ctx.Done():
			return s.end(ctx)
		}
		if err := s.keep(ctx); err != nil {
			return err
		}
	}
}

// end keeps the place of a reader that is told to stop.
func (s *reader) end(ctx context.Context) error {
	if err := s.keep(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return ctx.Err()
}

// reader begins where the last one ended.
func (r *Runtime) reader(ctx context.Context) (*reader, error) {
	row, err := r.DB.Get(ctx, cursorKey)
	if err != nil {
		return nil, fmt.Errorf("read the stream's place: %w", err)
	}
	return &reader{r: r, at: row["at"].Str}, nil
}

// read moves the rows of the next records side by side; those that ring at one
// place in the order they came (O1). It gives how many records it read.
func (s *reader) read(ctx context.Context) (int, error) {
	changes, next, err := s.r.DB.Changes(ctx, s.at, 500)
	if err != nil {
		return 0, fmt.Errorf("read the change feed: %w", err)
	}
	var l lanes
	for _, c := range changes {
		if row := carried(s.r.Log, c); row != nil {
			s.moved = true
			l.run(places(row.Bells), func() { s.r.Dispatch.Move(ctx, *row) })
		}
	}
	l.wait()
	if ctx.Err() != nil { // in the middle of a move, perhaps: it is done again at the next start
		return 0, ctx.Err()
	}
	s.at = next
	s.unkept += len(changes)
	return len(changes), nil
}

// carried is what a change rings; nil if it rings nothing.
func carried(log *slog.Logger, c table.Change) *store.Rung {
	rung, err := store.Rings(c.Old, c.New)
	if err != nil {
		log.Error("changed row unreadable", "error", err)
		return nil
	}
	return rung
}

// places are where doorbells ring.
func places(bells []store.Bell) []string {
	var out []string
	for _, b := range bells {
		if b.Place.Surface != "" {
			out = append(out, b.Place.Key())
		}
	}
	return out
}

// keep stores the place, if rows were moved, and then trims some of the records
// before it: whoever reads them is this reader. It keeps nothing because of its
// own writes, so that it comes to rest.
func (s *reader) keep(ctx context.Context) error {
	if s.moved || s.unkept >= keepEvery {
		_, err := s.r.DB.Commit(ctx, table.Tx{Token: newID(), Actions: []table.Action{{
			Verb: table.Put, Key: cursorKey, Item: table.Item{"at": table.Str(s.at), "kind": table.Str("local")}}}})
		if err != nil {
			return fmt.Errorf("keep the stream's place: %w", err)
		}
		s.moved, s.unkept, s.trimmed = false, 0, false
	}
	if s.trimmed || s.at == "" {
		return nil
	}
	before, err := strconv.ParseInt(s.at, 10, 64)
	if err != nil {
		return fmt.Errorf("the stream's place: %w", err)
	}
	n, err := s.r.DB.TrimSome(before, trimMost)
	s.trimmed = n < trimMost
	return err
}
