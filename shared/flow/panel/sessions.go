package panel

import (
	"context"
	"net/http"
	"slices"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/ticket"
	"github.com/postern-dev/postern/shared/store"
)

// sessionsView is the list of sessions.
type sessionsView struct {
	Sessions []session.Session
	Waiting  map[string]int // attention by session
	Next     string
}

func (p *Panel) sessions(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var in sessionsView
	var err error
	if in.Sessions, in.Next, err = p.Store.Sessions(r.Context(), r.URL.Query().Get("cursor"), perPage); err != nil {
		return err
	}
	a, err := p.Store.Attention(r.Context())
	if err != nil {
		return err
	}
	v.waiting, in.Waiting = a.Total, a.BySession
	p.show(w, r, http.StatusOK, sessionsPage(v, in))
	return nil
}

// sessionView is one session with its transcript.
type sessionView struct {
	Session session.Session
	Lease   session.Lease
	Steps   []session.Step
	Wakes   int
	Audit   []store.Audit
	Ticket  *ticket.Ticket
	Pending string // the item it is parked on
}

func (p *Panel) session(w http.ResponseWriter, r *http.Request, v *viewer) error {
	ctx := r.Context()
	o, err := p.Store.Open(ctx, r.PathValue("session"))
	if err != nil {
		return err
	}
	if o.Session == nil || o.Lease == nil || o.Session.Deleted {
		return errNotFound
	}
	may, err := p.mayRead(ctx, v, *o.Session)
	if err != nil {
		return err
	}
	if !may {
		return errNotFound
	}
	in := sessionView{Session: *o.Session, Lease: *o.Lease}
	if o.Lease.State == session.Parked {
		in.Pending = o.Lease.Item
	}
	if in.Steps, err = p.Store.Transcript(ctx, o.Session.ID); err != nil {
		return err
	}
	if in.Audit, err = p.Store.AuditOf(ctx, "session#"+o.Session.ID); err != nil {
		return err
	}
	if o.Session.Ticket != "" {
		if in.Ticket, err = p.Store.Ticket(ctx, o.Session.Ticket); err != nil {
			return err
		}
	}
	if err := p.attention(r, v); err != nil {
		return err
	}
	p.show(w, r, http.StatusOK, sessionPage(v, in))
	return nil
}

// mayRead reports whether somebody may read a session's text (S1): its owner,
// the deployment's owners, and those who may answer in its queue.
func (p *Panel) mayRead(ctx context.Context, v *viewer, s session.Session) (bool, error) {
	if v.browser.Role == Owner || s.Owner == v.browser.Person {
		return true, nil
	}
	pol, err := p.Store.Policy(ctx)
	if err != nil {
		return false, err
	}
	refs, _ := pol.Approvers(s.Queue)
	return slices.Contains(refs, v.browser.Person), nil
}

// decisionsView is the list of the gate's decisions.
type decisionsView struct {
	Decisions []ticket.Decision
	Next      string
}

func (p *Panel) decisions(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var in decisionsView
	var err error
	if in.Decisions, in.Next, err = p.Store.Decisions(r.Context(), r.URL.Query().Get("cursor"), perPage); err != nil {
		return err
	}
	if err := p.attention(r, v); err != nil {
		return err
	}
	p.show(w, r, http.StatusOK, decisionsPage(v, in))
	return nil
}
