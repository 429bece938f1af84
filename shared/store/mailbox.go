package store

import (
	"context"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store/table"
)

func mailKey(session, id string) table.Key { return key("session#"+session, "mail#"+id) }

// MailID makes the id of a mail: it sorts by the time it was put in. unique
// tells mails of one millisecond apart.
func MailID(at time.Time, unique string) string { return Stamp(at) + "#" + unique }

// NewMail puts one mail into a mailbox that exists (S3): the entry, which
// waits in the open index until a turn has read it, and the head's count. The
// second action is lost when the session was deleted.
func NewMail(m session.Mail) []table.Action {
	return []table.Action{MailEntry(m), {
		Verb: table.Update, Key: headKey(m.Session),
		Add: map[string]int64{"seq": 1},
		If:  []table.Cond{table.Present(), table.Lacks("deleted")},
	}}
}

// MailEntry is the entry alone, for a session made in the same commit.
func MailEntry(m session.Mail) table.Action {
	it := encode(m)
	open(it, shard("mail", m.Session), Stamp(m.At)+"#"+m.Session)
	return put(mailKey(m.Session, m.ID), "mail", it, table.Absent())
}

// ReadMail deletes a mail in the commit that appends it to the transcript, so
// that it is read exactly once (I7).
func ReadMail(m session.Mail) table.Action {
	return table.Action{Verb: table.Delete, Key: mailKey(m.Session, m.ID), If: []table.Cond{table.Present()}}
}

// Mail lists a session's unread mail in order.
func (s *Store) Mail(ctx context.Context, id string) ([]session.Mail, error) {
	return query[session.Mail](ctx, s, table.Query{PK: "session#" + id, Prefix: "mail#"}, 0)
}

// QuietMailbox holds when nothing came since the head was read: the condition
// for going idle (S9).
func QuietMailbox(h session.Head) table.Action {
	return table.Action{Verb: table.Check, Key: headKey(h.Session),
		If: []table.Cond{table.Equals("seq", table.Int(h.Seq)), table.Lacks("deleted")}}
}

// Waiting is something in the open index that should have been dealt with.
type Waiting struct {
	Key   table.Key
	Since string // Stamp, with what follows it in the index
}

// SessionOf returns the session that a waiting row belongs to, if its key says.
func (w Waiting) SessionOf() string {
	id, ok := strings.CutPrefix(w.Key.PK, "session#")
	if !ok {
		return ""
	}
	return id
}

// ItemOf returns the item that a waiting row is the head of, if its key says.
func (w Waiting) ItemOf() string {
	id, ok := strings.CutPrefix(w.Key.PK, "item#")
	if !ok {
		return ""
	}
	return id
}

// Waits reads whether a row that the index named still waits: the index shows
// what was.
func (s *Store) Waits(ctx context.Context, w Waiting) (bool, error) {
	it, err := s.t.Get(ctx, w.Key)
	return it["open_sk"].Str == w.Since, err
}

// Overdue lists rows of one kind ("mail", "lease", "wake", "show", "settled",
// "pending") that wait since before t, at most limit per shard, 0 for all (W8). Its cost does not
// grow with what sleeps.
func (s *Store) Overdue(ctx context.Context, kind string, t time.Time, limit int) ([]Waiting, error) {
	parts := []string{kind}
	if kind != "pending" {
		parts = parts[:0]
		for i := range Shards {
			parts = append(parts, kind+"#"+string(rune('0'+i)))
		}
	}
	var out []Waiting
	for _, pk := range parts {
		q := table.Query{Index: table.Open, PK: pk, To: Stamp(t), Limit: limit}
		for more := true; more; more = limit == 0 && q.Cursor != "" {
			p, err := s.t.Query(ctx, q)
			if err != nil {
				return nil, err
			}
			for _, it := range p.Items {
				out = append(out, Waiting{Key: it.Key(), Since: it["open_sk"].Str})
			}
			q.Cursor = p.Next
		}
	}
	return out, nil
}
