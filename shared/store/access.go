package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/postern-dev/postern/shared/store/table"
)

// Guest is the role of who signs in by a card's own link (I22): he may be
// anybody who reads where the card is, so he sees what is for himself and no
// list of everything. What he may answer is judged as for everybody.
const Guest = "guest"

// HashSecret is what is stored of a link's, browser's or key's secret (C4).
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Login is a one-time sign-in link; only the hash of its secret is stored (U8).
type Login struct {
	Hash    string
	Person  string // actor ref, such as "panel:ada"
	Name    string
	Role    string // owner, approver, auditor, viewer (U9), or Guest
	Item    string // where it leads, for a card's own link (I22)
	Expires time.Time
	Used    bool
	Version int64
}

// Browser is a signed-in person's session; only the hash of its id is stored.
type Browser struct {
	Hash    string
	Person  string
	Name    string
	Role    string
	Form    string // the form token
	Expires time.Time
	Seen    time.Time
	Revoked bool
	Version int64
}

// APIKey lets an agent elsewhere open sessions and submit calls, never answer
// (I13). Only its hash is stored.
type APIKey struct {
	Hash    string
	Name    string
	Persona string
	Mode    string
	Queue   string
	Owner   string // actor ref of who made it
	Expires time.Time
	Revoked bool
	Version int64
}

// NewLogin stores a link.
func NewLogin(l Login) table.Action {
	l.Version = 1
	it := encode(l)
	ttl(it, l.Expires.Add(time.Hour))
	return put(key("login#"+l.Hash, "login"), "login", it, table.Absent())
}

// UseLogin spends a link, once and in time.
func UseLogin(l Login, now time.Time) table.Action {
	was := l.Version
	l.Used, l.Version = true, was+1
	it := encode(l)
	ttl(it, l.Expires.Add(time.Hour))
	return put(key("login#"+l.Hash, "login"), "login", it,
		table.Version(was), table.Lacks("used"), table.After("expires", stampValue(now)))
}

// Login reads a link by its hash, nil if there is none.
func (s *Store) Login(ctx context.Context, hash string) (*Login, error) {
	return get[Login](ctx, s, key("login#"+hash, "login"))
}

// NewBrowser stores a signed-in session.
func NewBrowser(b Browser) table.Action {
	b.Version = 1
	it := encode(b)
	ttl(it, b.Expires.Add(time.Hour))
	return put(key("browser#"+b.Hash, "browser"), "browser", it, table.Absent())
}

// RevokeBrowser ends a signed-in session.
func RevokeBrowser(b Browser) table.Action {
	was := b.Version
	b.Revoked, b.Version = true, was+1
	it := encode(b)
	ttl(it, b.Expires.Add(time.Hour))
	return put(key("browser#"+b.Hash, "browser"), "browser", it, table.Version(was))
}

// Browser reads a signed-in session by its hash, nil if there is none.
func (s *Store) Browser(ctx context.Context, hash string) (*Browser, error) {
	return get[Browser](ctx, s, key("browser#"+hash, "browser"))
}

// NewAPIKey stores a key.
func NewAPIKey(k APIKey) table.Action {
	k.Version = 1
	it := encode(k)
	list(it, "keys", k.Name+"#"+k.Hash)
	return put(key("key#"+k.Hash, "key"), "key", it, table.Absent())
}

// RevokeAPIKey ends a key.
func RevokeAPIKey(k APIKey) table.Action {
	was := k.Version
	k.Revoked, k.Version = true, was+1
	it := encode(k)
	list(it, "keys", k.Name+"#"+k.Hash)
	return put(key("key#"+k.Hash, "key"), "key", it, table.Version(was))
}

// APIKey reads a key by its hash, nil if there is none.
func (s *Store) APIKey(ctx context.Context, hash string) (*APIKey, error) {
	return get[APIKey](ctx, s, key("key#"+hash, "key"))
}

// APIKeys lists keys by name, one page.
func (s *Store) APIKeys(ctx context.Context, cursor string, limit int) ([]APIKey, string, error) {
	return listed[APIKey](ctx, s, "keys", cursor, limit)
}

// Idempotent is the stored answer to a write with an idempotency key (U10).
type Idempotent struct {
	Key     string
	Request string // digest of what was asked
	Answer  string // what was made: an id
	At      time.Time
}

// NewIdempotent stores the answer in the commit of the write it belongs to.
func NewIdempotent(i Idempotent) table.Action {
	it := encode(i)
	ttl(it, i.At.Add(24*time.Hour))
	return put(key("idem#"+i.Key, "idem"), "idem", it, table.Absent())
}

// Idempotent reads the answer of an earlier write, nil if there was none.
func (s *Store) Idempotent(ctx context.Context, k string) (*Idempotent, error) {
	return get[Idempotent](ctx, s, key("idem#"+k, "idem"))
}
