package panel

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
)

// perPage is how many rows a list shows.
const perPage = 50

// inboxView is the Inbox page.
type inboxView struct {
	Tab          string // pending, all
	Items        []inbox.Item
	Cursor, Next string
}

// base is the address of the list's first page.
func (in inboxView) base() string {
	if in.Tab == "pending" {
		return "/inbox"
	}
	return "/inbox?tab=" + in.Tab
}

// inbox lists what waits, soonest to expire first, or everything.
func (p *Panel) inbox(w http.ResponseWriter, r *http.Request, v *viewer) error {
	in := inboxView{Tab: "pending", Cursor: r.URL.Query().Get("cursor")}
	list := p.Store.PendingItems
	if r.URL.Query().Get("tab") == "all" {
		in.Tab, list = "all", p.Store.Items
	}
	var err error
	if in.Items, in.Next, err = list(r.Context(), in.Cursor, perPage); err != nil {
		return err
	}
	if v.guest() {
		pol, err := p.Store.Policy(r.Context())
		if err != nil {
			return err
		}
		in.Items = slices.DeleteFunc(in.Items, func(x inbox.Item) bool { return !resolve.Who(pol, x.Queue).May(v.actor) })
	}
	if err := p.attention(r, v); err != nil {
		return err
	}
	return p.live(w, r, v, itemList(in), func(f fragment) templ.Component { return inboxPage(v, in, f) })
}

func (p *Panel) attention(r *http.Request, v *viewer) error {
	a, err := p.Store.Attention(r.Context())
	if !v.guest() { // it counts what others are asked
		v.waiting = a.Total
	}
	return err
}

// itemView is one item's page.
type itemView struct {
	Item    inbox.Item
	Body    inbox.Body
	Session *session.Session
	Read    bool // the viewer may read what it asks (S1)
	May     bool // the viewer may answer it
	From    string
	NoSelf  bool // not he, since he asked for it himself (I14)
	Ran     string
	Said    string // what became of the answer just given
	Won     bool
	Shown   []store.Shown
}

func (p *Panel) item(w http.ResponseWriter, r *http.Request, v *viewer) error {
	in, err := p.readItem(r, v)
	if err != nil {
		return err
	}
	return p.live(w, r, v, itemNow(v, in), func(f fragment) templ.Component { return itemPage(v, in, f) })
}

func (p *Panel) readItem(r *http.Request, v *viewer) (itemView, error) {
	ctx, in := r.Context(), itemView{}
	all, err := p.Store.Whole(ctx, r.PathValue("item"))
	if err != nil {
		return in, err
	}
	x, b := all.Item, all.Body
	if x == nil || b == nil {
		return in, errNotFound
	}
	in.Item, in.Body = *x, *b
	if in.Item.State == inbox.Pending && !in.Item.Expires.After(p.Now()) { // the reconciler writes it
		in.Item.State, in.Item.Resolved = inbox.Expired, in.Item.Expires
	}
	pol, err := p.Store.Policy(ctx)
	if err != nil {
		return in, err
	}
	if in.Session, err = p.Store.Session(ctx, x.Session); err != nil {
		return in, err
	}
	who := resolve.Who(pol, x.Queue)
	in.From, in.NoSelf = who.From, who.NoSelf && b.Asked.Ref() == v.actor.Ref()
	in.May = who.May(v.actor) && !in.NoSelf
	in.Read = mayRead(v, pol, x.Queue, in.Session)
	if v.guest() && !in.Read {
		return in.public(), nil
	}
	in.Shown = all.Shown
	if x.State == inbox.Approved {
		in.Ran = all.Ran()
	}
	return in, p.attention(r, v)
}

// public is what a card shows where anybody reads it: the tool and the risk
// (I22). A title names the target or asks the question, a reason is somebody's
// text.
func (in itemView) public() itemView {
	in.Item.Title, in.Item.Reason = cmp.Or(in.Item.Tool, string(in.Item.Kind)), ""
	return in
}

// answer resolves an item for whoever is signed in, through the one path that
// every surface takes. The same form sent twice with the same choice is one
// answer; another choice is another answer, and late.
func (p *Panel) answer(w http.ResponseWriter, r *http.Request, v *viewer) error {
	item, choice := r.PathValue("item"), strings.Join(r.PostForm["choice"], ",")
	if len(item) > 100 { // none of ours
		return errNotFound
	}
	once, text := r.PostFormValue("once"), r.PostFormValue("text")
	out, err := p.Resolver.Resolve(r.Context(), inbox.Answer{
		Item: item, Digest: r.PostFormValue("digest"), Choice: choice, Text: text,
		Actor: v.actor, Via: "panel", Delivery: once,
		ID: hash(strings.Join([]string{v.browser.Hash, item, once, choice, text}, "|"))[:26],
	})
	if err != nil {
		return err
	}
	status := map[inbox.Result]int{inbox.Won: 200, inbox.Late: 409, inbox.Overdue: 410, inbox.Refused: 403, inbox.Invalid: 422, inbox.NoItem: 404}[out.Result]
	if out.Result == inbox.NoItem {
		return errNotFound
	}
	in, err := p.readItem(r, v)
	if err != nil {
		return err
	}
	in.Said, in.Won = outcomeWords(r.Context(), in, out), out.Result == inbox.Won
	f, err := render(r, v, itemNow(v, in))
	if err != nil {
		return err
	}
	p.show(w, r, status, itemPage(v, in, f))
	return nil
}
