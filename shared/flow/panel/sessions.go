package panel

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/domain/wake"
	"github.com/postern-dev/postern/shared/store"
)

// sessionsView is the list of sessions.
type sessionsView struct {
	Sessions     []session.Session
	Read         map[string]bool // the viewer may read this session's text
	Waiting      map[string]int  // attention by session
	Cursor, Next string
}

func (p *Panel) sessions(w http.ResponseWriter, r *http.Request, v *viewer) error {
	in := sessionsView{Cursor: r.URL.Query().Get("cursor"), Read: map[string]bool{}}
	var err error
	if in.Sessions, in.Next, err = p.Store.Sessions(r.Context(), in.Cursor, perPage); err != nil {
		return err
	}
	pol, err := p.Store.Policy(r.Context())
	if err != nil {
		return err
	}
	for _, s := range in.Sessions {
		in.Read[s.ID] = mayRead(v, pol, s.Queue, &s)
	}
	if v.guest() {
		in.Sessions = slices.DeleteFunc(in.Sessions, func(s session.Session) bool { return !in.Read[s.ID] })
	}
	a, err := p.Store.Attention(r.Context())
	if err != nil {
		return err
	}
	if v.guest() {
		a.Total = 0 // it counts what others are asked
	}
	v.waiting, in.Waiting = a.Total, a.BySession
	return p.live(w, r, v, sessionList(v, in), func(f fragment) templ.Component { return sessionsPage(v, in, f) })
}

// sessionView is one session with its transcript.
type sessionView struct {
	Session session.Session
	Lease   session.Lease
	Steps   []session.Step
	Audit   []store.Audit
	Cut     bool // there are older rows than those
	Ticket  *ticket.Ticket
	Pending *inbox.Item // what it is parked on
	Wake    time.Time   // when the next timer rings, if it sleeps
}

func (p *Panel) session(w http.ResponseWriter, r *http.Request, v *viewer) error {
	ctx := r.Context()
	o, err := p.Store.Open(ctx, r.PathValue("session"))
	if err != nil {
		return err
	}
	if o.Session == nil || o.Lease == nil {
		return errNotFound
	}
	pol, err := p.Store.Policy(ctx)
	if err != nil {
		return err
	}
	if !mayRead(v, pol, o.Session.Queue, o.Session) {
		return errNotFound
	}
	if err := p.attention(r, v); err != nil {
		return err
	}
	if o.Session.Deleted {
		return errDeleted
	}
	// At rest, the rows just read say whether anything changed: nobody reads
	// the transcript to find out.
	still := ""
	if o.Lease.State != session.Working && o.Head != nil {
		still = tag(r, v, fmt.Sprint(o.Session.Version, o.Lease.Version, o.Lease.State, o.Head.Seq))
		if fresh(w, r, still) {
			return nil
		}
	}
	in, err := p.readSession(r, o)
	if err != nil {
		return err
	}
	return p.liveAs(w, r, v, still, sessionNow(in), func(f fragment) templ.Component { return sessionPage(v, in, f) })
}

func (p *Panel) readSession(r *http.Request, o store.Opened) (sessionView, error) {
	ctx, in := r.Context(), sessionView{Session: *o.Session, Lease: *o.Lease}
	var err error
	if o.Lease.State == session.Parked {
		if in.Pending, err = p.Store.Item(ctx, o.Lease.Item); err != nil {
			return in, err
		}
	}
	if o.Lease.State == session.Sleeping {
		if in.Wake, err = p.nextWake(ctx, o.Session.ID); err != nil {
			return in, err
		}
	}
	if in.Steps, err = p.Store.Transcript(ctx, o.Session.ID); err != nil {
		return in, err
	}
	if in.Audit, in.Cut, err = p.sessionAudit(ctx, o.Session); err != nil {
		return in, err
	}
	if o.Session.Ticket != "" {
		in.Ticket, err = p.Store.Ticket(ctx, o.Session.Ticket)
	}
	return in, err
}

// How much of its audit a session's page shows: the newest rows, and how far
// back it looks for them, since what it reads grows with the time (I28).
const (
	auditDays = 30
	auditRows = 200
	// skew is how far the clocks of those who write may differ.
	skew = time.Minute
)

// sessionAudit reads those rows, oldest first, and whether there may be more.
func (p *Panel) sessionAudit(ctx context.Context, s *session.Session) ([]store.Audit, bool, error) {
	now := p.Now()
	from, oldest := s.Created.Add(-skew), now.AddDate(0, 0, -auditDays)
	cut := from.Before(oldest)
	if cut {
		from = oldest
	}
	rows, err := p.Store.AuditOf(ctx, "session#"+s.ID, from, now.Add(skew))
	if n := len(rows) - auditRows; n > 0 {
		rows, cut = rows[n:], true
	}
	return rows, cut, err
}

// nextWake is the earliest time at which a sleeping session is woken; zero if
// no timer is set.
func (p *Panel) nextWake(ctx context.Context, session string) (time.Time, error) {
	wakes, err := p.Store.Wakes(ctx, session)
	var next time.Time
	for _, x := range wakes {
		if x.State == wake.Pending && x.Kind == wake.Timer && (next.IsZero() || x.At.Before(next)) {
			next = x.At
		}
	}
	return next, err
}

// decisionsView is the list of the gate's decisions.
type decisionsView struct {
	Decisions    []ticket.Decision
	Cursor, Next string
}

func (p *Panel) decisions(w http.ResponseWriter, r *http.Request, v *viewer) error {
	if v.guest() {
		return errNotFound
	}
	in := decisionsView{Cursor: r.URL.Query().Get("cursor")}
	var err error
	if in.Decisions, in.Next, err = p.Store.Decisions(r.Context(), in.Cursor, perPage); err != nil {
		return err
	}
	if err := p.attention(r, v); err != nil {
		return err
	}
	return p.live(w, r, v, decisionList(in), func(f fragment) templ.Component { return decisionsPage(v, in, f) })
}
