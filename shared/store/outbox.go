package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store/table"
)

// Outbox is one row of what must happen next, written in the transaction that
// made it necessary (O1). It lists every doorbell to ring. Row keys are never
// reused (D5).
type Outbox struct {
	ID          string
	Bells       []Bell
	Correlation string
	Attempt     int64
	Created     time.Time
}

// Ring is what a doorbell rings for.
type Ring string

const (
	RingTurn   Ring = "turn"   // a session has mail or may go on
	RingShow   Ring = "show"   // a place must show an item's present state
	RingSay    Ring = "say"    // something is said once at a place
	RingTell   Ring = "tell"   // something is said privately to one person
	RingOpen   Ring = "open"   // one person is told a sign-in link of his own to an item; deliver makes it (I22)
	RingWake   Ring = "wake"   // ring the wakes queue at a time: for a wake, or a session whose call's deadline must pass
	RingCancel Ring = "cancel" // a wake's schedule is not needed any more
)

// Bell is one doorbell. It carries all that its receiver needs to look again
// at the table (records of one transaction are not ordered together).
type Bell struct {
	Ring        Ring          `json:"ring"`
	Session     string        `json:"session,omitempty"`
	Item        string        `json:"item,omitempty"`
	Wake        string        `json:"wake,omitempty"`
	Generation  int64         `json:"generation,omitempty"`
	At          time.Time     `json:"at,omitzero"`
	Place       trigger.Place `json:"place,omitzero"`
	User        string        `json:"user,omitempty"` // Tell, Open: actor ref
	Name        string        `json:"name,omitempty"` // Open: what the person is called
	Text        string        `json:"text,omitempty"`
	Key         string        `json:"key,omitempty"` // Say, Tell, Open: said once by this key
	Correlation string        `json:"correlation,omitempty"`
}

// Encode writes a bell as a queue message's body.
func (b Bell) Encode() string {
	t, _ := json.Marshal(b) // strings, numbers, times: cannot fail
	return string(t)
}

// DecodeBell reads what Encode wrote.
func DecodeBell(s string) (Bell, error) {
	var b Bell
	if err := json.Unmarshal([]byte(s), &b); err != nil {
		return b, fmt.Errorf("doorbell: %w", err)
	}
	return b, nil
}

func outboxKey(o Outbox) table.Key {
	return key(shard("outbox", o.ID), fmt.Sprintf("%s#%s#%d", Stamp(o.Created), o.ID, o.Attempt))
}

// NewOutbox writes an outbox row. The stream's filter lets its insertion
// through to dispatch.
func NewOutbox(o Outbox) table.Action {
	it := encode(o)
	return put(outboxKey(o), "outbox", it, table.Absent())
}

// CloseOutbox deletes a row whose doorbells have all been rung. Closing it
// again is no loss.
func CloseOutbox(o Outbox) table.Action {
	return table.Action{Verb: table.Delete, Key: outboxKey(o)}
}

// ReopenOutbox swaps a row that was not moved for a new one, so that the
// stream brings it to dispatch again (D5).
func ReopenOutbox(o Outbox) []table.Action {
	was := table.Action{Verb: table.Delete, Key: outboxKey(o), If: []table.Cond{table.Present()}}
	o.Attempt++
	return []table.Action{was, NewOutbox(o)}
}

// StuckOutbox lists rows written before t that nobody moved, at most limit per
// shard (W8).
func (s *Store) StuckOutbox(ctx context.Context, t time.Time, limit int) ([]Outbox, error) {
	var out []Outbox
	for i := range Shards {
		rows, err := query[Outbox](ctx, s, table.Query{PK: fmt.Sprintf("outbox#%d", i), To: Stamp(t), Limit: limit}, limit)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}
