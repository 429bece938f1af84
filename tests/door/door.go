// Package door tries a deployment's closed door from outside (U8): no route of
// the panel or of the answering API serves anybody who did not sign in, no
// header says who somebody is, and a sign-in link works once and for a short
// time.
//
// It knows the address, and how to put a link and an item into the table; so
// the same tries are made on the embedded engine and on an emulated account.
// It reads the routes from the source: a new one is tried without being told.
package door

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/store"
)

// Target is a deployment and the table behind it.
type Target struct {
	URL    string
	Client *http.Client // follows no redirect
	Store  *store.Store
	Now    func() time.Time
	Root   string // of the repository
}

// marked is what no page may say to somebody who did not sign in.
const marked = "closed-door-7f3a9c"

// open are the routes that serve everybody, each with why. They hold nothing
// of anybody's.
var open = map[string]string{
	"GET /login":               "the page behind a link; the button on it spends the link (R20)",
	"POST /login":              "spends a link, and refuses without one",
	"GET /static/{file}":       "style and script",
	"GET /inbox/{item}/answer": "leads to the item, which is closed",
	"GET /{$}":                 "leads to the Inbox, which is closed",
	"GET /v1/openapi.yaml":     "the API's description, as it is in the repository",
}

// claims are headers that some systems in front of an application set to say
// who somebody is, and credentials that are none.
var claims = []http.Header{
	{},
	{"X-User": {"panel:owner"}, "X-Forwarded-User": {"panel:owner"}, "X-Remote-User": {"panel:owner"}, "Remote-User": {"panel:owner"}},
	{"X-Forwarded-Email": {"owner@example.com"}, "X-Auth-Request-Email": {"owner@example.com"}, "Cf-Access-Authenticated-User-Email": {"owner@example.com"}},
	{"X-Amzn-Oidc-Identity": {"owner"}, "X-Amzn-Oidc-Data": {"e30.e30.e30"}, "X-Goog-Authenticated-User-Email": {"accounts.google.com:owner@example.com"}},
	{"X-Amzn-Request-Context": {`{"authorizer":{"lambda":{"person":"panel:owner"}}}`}, "X-Apigateway-Event": {"{}"}},
	{"Authorization": {"Bearer junk"}},
	{"Authorization": {"Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJwYW5lbDpvd25lciJ9."}},
	{"Authorization": {"Basic b3duZXI6b3duZXI="}},
	{"X-Api-Key": {"junk"}},
	{"Cookie": {"__Host-postern=junk; postern=junk"}},
	{"X-Forwarded-For": {"127.0.0.1"}, "X-Real-Ip": {"127.0.0.1"}, "Forwarded": {"for=127.0.0.1;host=localhost;proto=https"}},
}

// Try makes every try and gives how many there were, and what got through.
func Try(ctx context.Context, t Target) (int, []error) {
	k := &knocker{Target: t, ctx: ctx}
	item, err := k.item()
	if err != nil {
		return 0, []error{err}
	}
	routes, err := Routes(t.Root)
	if err != nil {
		return 0, []error{err}
	}
	for _, r := range routes {
		k.closed(r, item)
	}
	k.key(item)
	k.link(item)
	return k.tries, k.through
}

type knocker struct {
	Target
	ctx     context.Context
	tries   int
	through []error
}

func (k *knocker) failed(format string, a ...any) {
	k.through = append(k.through, fmt.Errorf(format, a...))
}

// item puts something into the Inbox that is worth seeing.
func (k *knocker) item() (string, error) {
	id, now := ulid.Make().String(), k.Now()
	x := inbox.Item{ID: id, Session: "door", Kind: inbox.Approval, Title: "Open the " + marked, Queue: "default", Tool: "github_comment",
		State: inbox.Pending, Digest: "sha256:" + strings.Repeat("0", 64), Created: now, Expires: now.Add(time.Hour), Version: 1}
	b := inbox.Body{Item: id, Text: marked, Arguments: []byte(`{"body":"` + marked + `"}`), Asked: actor.Actor{Provider: "panel", ID: "owner", Kind: actor.Human}}
	lost, err := k.Store.Do(k.ctx, id, store.NewItem(x, b)...)
	if err == nil && lost != nil {
		err = fmt.Errorf("item %s is there already", id)
	}
	return id, err
}

// closed tries one route with every claim.
func (k *knocker) closed(route, item string) {
	method, pattern, _ := strings.Cut(route, " ")
	path := strings.NewReplacer("{$}", "", "{item}", item, "{file}", "panel.css", "{session}", "door", "{call}", "c").Replace(pattern)
	if strings.Contains(path, "{") {
		k.failed("%s: a wildcard that this does not know", route)
		return
	}
	for _, claim := range claims {
		for _, body := range []string{"", "form=x&choice=allow&digest=x", `{"choice":"allow","digest":"x"}`} {
			if body != "" && method == http.MethodGet {
				continue
			}
			a := k.ask(method, path, claim, body)
			switch _, public := open[route]; {
			case strings.Contains(a.body, marked):
				k.failed("%s tells somebody with %v what is in the Inbox", route, claim)
			case public && a.status < 500 && a.cookie == "" && (a.leads == "" || strings.HasPrefix(a.leads, "/") && !strings.HasPrefix(a.leads, "//")):
			case !public && (a.status == http.StatusUnauthorized || a.status == http.StatusForbidden):
			default:
				k.failed("%s answers %d to somebody with %v", route, a.status, claim)
			}
		}
	}
}

// key tries to answer with an API key that is good: a key is no person (I13).
func (k *knocker) key(item string) {
	secret := ulid.Make().String() + ulid.Make().String()
	_, err := k.Store.Do(k.ctx, ulid.Make().String(), store.NewAPIKey(store.APIKey{Hash: hash(secret), Name: "door", Owner: "panel:owner", Expires: k.Now().Add(time.Hour)}))
	if err != nil {
		k.failed("an API key cannot be made: %v", err)
		return
	}
	good := http.Header{"Authorization": {"Bearer " + secret}}
	if a := k.ask(http.MethodPost, "/v1/sessions", good, `{"title":"door"}`); a.status == http.StatusUnauthorized {
		k.failed("the API key is not taken where it counts, so the other tries say nothing: %d %s", a.status, a.body)
	}
	for _, path := range []string{"/v1/items", "/inbox", "/inbox/" + item, "/sessions", "/decisions"} {
		if a := k.ask(http.MethodGet, path, good, ""); a.status != http.StatusUnauthorized {
			k.failed("GET %s answers %d to an API key", path, a.status)
		}
	}
	if a := k.ask(http.MethodPost, "/v1/items/"+item+"/answer", good, `{"choice":"allow","digest":"x"}`); a.status != http.StatusUnauthorized {
		k.failed("an API key answers an item: %d", a.status)
	}
}

// Mint puts a sign-in link into the table, as postern login does, and gives its
// key.
func (k *knocker) mint(lasts time.Duration) (string, error) {
	key := ulid.Make().String() + ulid.Make().String()
	_, err := k.Store.Do(k.ctx, ulid.Make().String(), store.NewLogin(panel.NewLogin(key, "panel:owner", "Owner", panel.Owner, k.Now().Add(lasts))))
	return key, err
}
