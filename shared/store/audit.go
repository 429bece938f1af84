package store

import (
	"context"
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

// NewAudit appends one row; it can never be overwritten.
func NewAudit(a Audit) table.Action {
	it := encode(a)
	list(it, "audit", Stamp(a.At)+"#"+a.ID)
	return put(key("audit#"+a.Chain, Stamp(a.At)+"#"+a.ID), "audit", it, table.Absent())
}

// AuditOf reads a chain in order, oldest first.
func (s *Store) AuditOf(ctx context.Context, chain string) ([]Audit, error) {
	return query[Audit](ctx, s, table.Query{PK: "audit#" + chain}, 0)
}

// AuditTail lists the newest rows of all chains, one page.
func (s *Store) AuditTail(ctx context.Context, cursor string, limit int) ([]Audit, string, error) {
	return listed[Audit](ctx, s, "audit", cursor, limit)
}
