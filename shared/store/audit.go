package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/store/table"
)

// Audit is one append-only row of what happened, written in the transaction of
// what it tells (I28).
type Audit struct {
	ID        string
	Chain     string // "session#...", "thread#...", "policy", "people"
	What      string // admitted, not_admitted, asked, allowed, denied, resolved, refused, spent, ran, woke, policy, login, ...
	Actor     actor.Actor
	Via       string // surface
	Delivery  string // the platform's id of the delivery
	Item      string
	Tool      string
	Digest    string
	Rule      string // what decided: rule, mode, override, cell
	Policy    int64
	Was       string // previous state
	Is        string // new state
	Reason    string
	Evidence  string
	Arguments string // redacted
	At        time.Time
}

// auditShards is over how many partitions the audit rows of one day are spread.
// One partition takes 1,000 write units a second and a row costs two, so 32
// take 16,000 rows a second (D11). It stands in the keys of rows that are never
// written again: another number would hide them.
const auditShards = 32

// auditKey is the partition of a time's day, in UTC, and a shard.
func auditKey(at time.Time, shard uint32) string {
	return fmt.Sprintf("audit#%s#%02d", at.UTC().Format(time.DateOnly), shard)
}

func auditShard(chain string) uint32 { return spread(chain, auditShards) }

// NewAudit appends one row; it can never be overwritten.
func NewAudit(a Audit) table.Action {
	return put(key(auditKey(a.At, auditShard(a.Chain)), Stamp(a.At)+"#"+a.ID), "audit", encode(a), table.Absent())
}

// auditRange asks for the rows of one partition between two times, both
// inclusive. A row's sort key goes on with "#", the character before "$".
func auditRange(d time.Time, shard uint32, from, to time.Time) table.Query {
	return table.Query{PK: auditKey(d, shard), From: Stamp(from), To: Stamp(to) + "$", Limit: 1000}
}

const day = 24 * time.Hour

// first is before any row of any deployment: a range that begins earlier begins
// here, since it is read day by day.
var first = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

func oldest(from time.Time) time.Time {
	if from.Before(first) {
		return first
	}
	return from
}

// AuditOf reads a chain in order, oldest first, from one time to another, both
// inclusive and to the millisecond. It reads a partition a day, one after the
// other, and there all rows of the range: those of the other chains of the
// shard too, about one in 32 of everything that was written.
func (s *Store) AuditOf(ctx context.Context, chain string, from, to time.Time) ([]Audit, error) {
	var out []Audit
	shard := auditShard(chain)
	for d := oldest(from).Truncate(day); !d.After(to); d = d.Add(day) {
		rows, err := query[Audit](ctx, s, auditRange(d, shard, from, to), 0)
		if err != nil {
			return nil, err
		}
		for _, a := range rows {
			if a.Chain == chain {
				out = append(out, a)
			}
		}
	}
	return out, nil
}

// AuditBetween reads the newest rows of all chains, newest first, from one time
// to another, both inclusive and to the millisecond; at most limit, 0 for all.
// It goes back day by day until it has them, asking the 32 partitions of a day
// side by side for up to limit rows each.
func (s *Store) AuditBetween(ctx context.Context, from, to time.Time, limit int) ([]Audit, error) {
	var out []Audit
	for d := to.Truncate(day); !d.Before(oldest(from).Truncate(day)); d = d.Add(-day) {
		max := limit - len(out) // of this day
		rows, err := s.auditDay(ctx, d, from, to, max)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
		if limit > 0 && len(out) >= limit {
			return out[:limit], nil
		}
	}
	return out, nil
}

// auditDay reads a day's newest rows of all shards, newest first: all of them,
// or at least max if there are as many.
func (s *Store) auditDay(ctx context.Context, d, from, to time.Time, max int) ([]Audit, error) {
	var (
		wg   sync.WaitGroup
		rows [auditShards][]Audit
		errs [auditShards]error
	)
	for n := range rows {
		wg.Go(func() {
			q := auditRange(d, uint32(n), from, to)
			q.Newest = true
			if max > 0 {
				q.Limit = min(max, q.Limit)
			}
			rows[n], errs[n] = query[Audit](ctx, s, q, max)
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	all := slices.Concat(rows[:]...)
	slices.SortStableFunc(all, func(a, b Audit) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID))
	})
	return all, nil
}
