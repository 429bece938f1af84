package store

import (
	"context"
	"time"

	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store/table"
)

// Said is the record of one thing said once at a place: claimed before it is
// posted, with the message's id afterwards, so that a doubled ring says it
// once.
type Said struct {
	Key      string
	Place    trigger.Place
	State    string // sending, shown, dropped
	Message  string
	Lease    time.Time
	Attempts int64
	Error    string
	At       time.Time
	Version  int64
}

func saidKey(k string) table.Key { return key("said#"+k, "said") }

// SaveSaid writes the record, conditional on the version read (0: none yet).
func SaveSaid(x Said) table.Action {
	cond := table.Version(x.Version)
	if x.Version == 0 {
		cond = table.Absent()
	}
	x.Version++
	it := encode(x)
	ttl(it, x.At.Add(KeepTriggers))
	return put(saidKey(x.Key), "said", it, cond)
}

// Said reads the record, nil if nothing was said by that key.
func (s *Store) Said(ctx context.Context, k string) (*Said, error) {
	return get[Said](ctx, s, saidKey(k))
}
