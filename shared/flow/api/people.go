package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// auditor is the role that reads the audit only (U9, I28).
const auditor = "auditor"

type personFunc func(w http.ResponseWriter, r *http.Request, p Person) error

// person admits somebody who signed in. An API key is no sign-in, so it can
// never answer (I13).
func (h *Handler) person(f personFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := h.Person(r)
		if err == nil && p == nil {
			err = problem(401, "not_signed_in", "sign in: open a link from postern login; an API key cannot do this")
		}
		if err == nil && p.Role == auditor {
			err = problem(403, "audit_only", "an auditor reads the audit only")
		}
		if err == nil {
			r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
			err = f(w, r, *p)
		}
		if err != nil {
			h.fail(w, r, err)
		}
	}
}

// shownItem is an item as the API lists it.
type shownItem struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	State    string    `json:"state"`
	Title    string    `json:"title"`
	Queue    string    `json:"queue"`
	Session  string    `json:"session"`
	Tool     string    `json:"tool,omitempty"`
	Risk     string    `json:"risk,omitempty"`
	Digest   string    `json:"digest"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires"`
	Resolved string    `json:"resolved,omitempty"`
}

func show(x inbox.Item) shownItem {
	s := shownItem{ID: x.ID, Kind: string(x.Kind), State: string(x.State), Title: x.Title, Queue: x.Queue, Session: x.Session,
		Tool: x.Tool, Risk: x.Risk, Digest: x.Digest, Created: x.Created, Expires: x.Expires}
	if x.State.Terminal() {
		s.Resolved = inbox.Told(x)
	}
	return s
}

func (h *Handler) items(w http.ResponseWriter, r *http.Request, p Person) error {
	list := h.Gate.Store.PendingItems
	if r.URL.Query().Get("state") == "all" {
		list = h.Gate.Store.Items
	}
	cursor := r.URL.Query().Get("cursor")
	items, next, err := list(r.Context(), cursor, 50)
	if cursor != "" && errors.Is(err, table.ErrInvalid) {
		return problem(400, "bad_cursor", "this cursor is not one of this list; begin without one")
	}
	if err != nil {
		return err
	}
	his, err := h.forHim(r.Context(), p, items)
	if err != nil {
		return err
	}
	out := make([]shownItem, 0, len(his))
	for _, x := range his {
		out = append(out, show(x))
	}
	return answer(w, http.StatusOK, map[string]any{"items": out, "next": next})
}

// forHim leaves out of a list what is not for somebody who came by a card's own
// link: he may answer in some queues, or in none (I22).
func (h *Handler) forHim(ctx context.Context, p Person, items []inbox.Item) ([]inbox.Item, error) {
	if p.Role != store.Guest {
		return items, nil
	}
	pol, err := h.Gate.Store.Policy(ctx)
	if err != nil {
		return nil, err
	}
	who, _ := actor.ParseRef(p.Ref)
	who.Kind = actor.Human
	return slices.DeleteFunc(items, func(x inbox.Item) bool { return !resolve.Who(pol, x.Queue).May(who) }), nil
}

// given is an answer over the API; it names the digest that was seen (I8).
type given struct {
	Digest string `json:"digest"`
	Choice string `json:"choice"`
	Text   string `json:"text"`
}

// answer resolves an item. The four ways not to win have four codes (U10).
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, p Person) error {
	idem, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	var in given
	if err := read(r, &in); err != nil {
		return err
	}
	who, ok := actor.ParseRef(p.Ref)
	if !ok {
		return problem(401, "not_signed_in", "this sign-in names no person")
	}
	who.Name, who.Kind = p.Name, actor.Human
	item := r.PathValue("item")
	if !known(item) {
		return problem(404, "unknown", "there is no such request here")
	}
	out, err := h.Resolver.Resolve(r.Context(), inbox.Answer{Item: item, Digest: in.Digest, Choice: in.Choice, Text: in.Text,
		Actor: who, Via: "api", Delivery: idem, ID: digest(p.Ref, item, idem)[:26]})
	if err != nil {
		return err
	}
	if out.Result == inbox.Won {
		return answer(w, http.StatusOK, show(*out.Item))
	}
	status := map[inbox.Result]int{inbox.Late: 409, inbox.Overdue: 410, inbox.Refused: 403, inbox.Invalid: 422, inbox.NoItem: 404}[out.Result]
	return problem(status, string(out.Result), out.Words)
}
