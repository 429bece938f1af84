package panel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
)

// perPage is how many rows a list shows.
const perPage = 50

// inboxView is the Inbox page.
type inboxView struct {
	Tab   string // pending, all
	Items []inbox.Item
	Next  string
}

// inbox lists what waits, soonest to expire first, or everything. It answers
// 304 to a page that is up to date (U5: live without an open connection).
func (p *Panel) inbox(w http.ResponseWriter, r *http.Request, v *viewer) error {
	in := inboxView{Tab: "pending"}
	list := p.Store.PendingItems
	if r.URL.Query().Get("tab") == "all" {
		in.Tab, list = "all", p.Store.Items
	}
	var err error
	if in.Items, in.Next, err = list(r.Context(), r.URL.Query().Get("cursor"), perPage); err != nil {
		return err
	}
	tag := etag(in.Tab, in.Items)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if r.Header.Get("HX-Request") != "" {
		p.show(w, r, http.StatusOK, itemList(in))
		return nil
	}
	if err := p.attention(r, v); err != nil {
		return err
	}
	p.show(w, r, http.StatusOK, inboxPage(v, in))
	return nil
}

func etag(tab string, items []inbox.Item) string {
	var b strings.Builder
	b.WriteString(tab)
	for _, x := range items {
		fmt.Fprintf(&b, "|%s %d", x.ID, x.Version)
	}
	return `"` + hash(b.String())[:24] + `"`
}

func (p *Panel) attention(r *http.Request, v *viewer) error {
	a, err := p.Store.Attention(r.Context())
	v.waiting = a.Total
	return err
}

// itemView is one item's page.
type itemView struct {
	Item    inbox.Item
	Body    inbox.Body
	Session *session.Session
	May     bool
	Why     string // why not
	Ran     string
	Said    string // what became of the answer just given
	Won     bool
	Shown   []store.Shown
}

func (p *Panel) item(w http.ResponseWriter, r *http.Request, v *viewer) error {
	return p.showItem(w, r, v, http.StatusOK, itemView{})
}

func (p *Panel) showItem(w http.ResponseWriter, r *http.Request, v *viewer, status int, in itemView) error {
	ctx := r.Context()
	x, b, err := p.Store.ItemAndBody(ctx, r.PathValue("item"))
	if err != nil {
		return err
	}
	if x == nil || b == nil {
		return errNotFound
	}
	in.Item, in.Body = *x, *b
	pol, err := p.Store.Policy(ctx)
	if err != nil {
		return err
	}
	appr := resolve.Who(pol, x.Queue)
	in.May = appr.May(v.actor)
	in.Why = "Those who may answer are listed by " + appr.From + "."
	if in.Session, err = p.Store.Session(ctx, x.Session); err != nil {
		return err
	}
	if in.Shown, err = p.Store.ShownOf(ctx, x.ID); err != nil {
		return err
	}
	if x.State == inbox.Approved {
		a, err := p.Store.Attempt(ctx, x.Session, x.ID, x.Step, x.Pos)
		if err != nil {
			return err
		}
		if a != nil {
			in.Ran = string(a.State)
		}
	}
	if err := p.attention(r, v); err != nil {
		return err
	}
	p.show(w, r, status, itemPage(v, in))
	return nil
}

// answer resolves an item for whoever is signed in, through the one path that
// every surface takes.
func (p *Panel) answer(w http.ResponseWriter, r *http.Request, v *viewer) error {
	item := r.PathValue("item")
	out, err := p.Resolver.Resolve(r.Context(), inbox.Answer{
		Item: item, Digest: r.PostFormValue("digest"), Choice: strings.Join(r.PostForm["choice"], ","), Text: r.PostFormValue("text"),
		Actor: v.actor, Via: "panel", Delivery: r.PostFormValue("once"),
		ID: hash(v.browser.Hash + "|" + item + "|" + r.PostFormValue("once"))[:26],
	})
	if err != nil {
		return err
	}
	status := map[inbox.Result]int{inbox.Won: 200, inbox.Late: 409, inbox.Overdue: 410, inbox.Refused: 403, inbox.Invalid: 422, inbox.NoItem: 404}[out.Result]
	if out.Result == inbox.NoItem {
		return errNotFound
	}
	return p.showItem(w, r, v, status, itemView{Said: out.Words, Won: out.Result == inbox.Won})
}

// pretty is JSON as people read it.
func pretty(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(b)
}
