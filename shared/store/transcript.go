package store

import (
	"context"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store/table"
)

func stepKey(session string, n int64) table.Key {
	return key("session#"+session, fmt.Sprintf("step#%08d", n))
}

// AppendStep writes the next step of a transcript; it is lost if that number
// exists (S7).
func AppendStep(x session.Step) table.Action {
	return put(stepKey(x.Session, x.N), "step", encode(x), table.Absent())
}

// Transcript reads a session's steps in order.
func (s *Store) Transcript(ctx context.Context, id string) ([]session.Step, error) {
	return query[session.Step](ctx, s, table.Query{PK: "session#" + id, Prefix: "step#", Limit: 1000}, 0)
}

func attemptKey(a session.Attempt) table.Key {
	if a.Item != "" {
		return key("item#"+a.Item, "call")
	}
	return key("session#"+a.Session, fmt.Sprintf("call#%08d.%d", a.Step, a.Pos))
}

// NewAttempt writes the intent before a consequential call (S8). Its key is
// the item whose grant it spends, so it exists once: a grant is spent once
// (P25).
func NewAttempt(a session.Attempt) table.Action {
	a.State, a.Version = session.Intended, 1
	return put(attemptKey(a), "call", encode(a), table.Absent())
}

// EndAttempt writes the outcome, if there is none yet. The writer of the
// intent may do so, lease or not (S8).
func EndAttempt(a session.Attempt) table.Action {
	was := a.Version
	a.Version++
	return put(attemptKey(a), "call", encode(a),
		table.Equals("state", table.Str(string(session.Intended))),
		table.Equals("writer", table.Str(a.Writer)), table.Version(was))
}

// SameAttempt holds while nobody has written an attempt since it was read: the
// condition for asking a person what became of it (S8).
func SameAttempt(a session.Attempt) table.Action {
	return table.Action{Verb: table.Check, Key: attemptKey(a), If: []table.Cond{table.Version(a.Version)}}
}

// TakeOverAttempt replaces the writer of an intent past its deadline, for a
// tool that may run again with the same key, or to ask a person (S8).
func TakeOverAttempt(a session.Attempt) table.Action {
	was := a.Version
	a.Version++
	return put(attemptKey(a), "call", encode(a),
		table.Equals("state", table.Str(string(session.Intended))), table.Version(was))
}

// Attempt reads the intent or outcome of a call: by item if it has one, else
// by step and position. nil if there is none.
func (s *Store) Attempt(ctx context.Context, sid, item string, step int64, pos int) (*session.Attempt, error) {
	return get[session.Attempt](ctx, s, attemptKey(session.Attempt{Session: sid, Item: item, Step: step, Pos: pos}))
}
