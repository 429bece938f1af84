package store

import (
	"strconv"
	"testing"
	"time"
)

// U8: a link signs in once and in time; only its hash is stored.
func TestLogin(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	l := Login{Hash: "h1", Person: "panel:ada", Role: "owner", Expires: now.Add(10 * time.Minute)}
	h.wins(NewLogin(l))
	h.loses(0, NewLogin(l))
	l = must2(h.Login(t.Context(), "h1"))(t)
	h.loses(0, UseLogin(l, l.Expires)) // too late
	h.wins(UseLogin(l, now))
	h.loses(0, UseLogin(l, now)) // read before it was used
	used := must2(h.Login(t.Context(), "h1"))(t)
	if !used.Used {
		t.Error("a used link is not marked")
	}
	h.loses(0, UseLogin(used, now))
	if row := h.raw(key("login#h1", "login")); row["ttl"].Type == 0 {
		t.Errorf("it is kept for ever: %v", row["ttl"])
	}
	if x, err := h.Login(t.Context(), "nosuch"); x != nil || err != nil {
		t.Error(x, err)
	}
}

// U8: a sign-in is stored once, and can be revoked by whoever read it last.
func TestBrowser(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := Browser{Hash: "b1", Person: "panel:ada", Form: "f", Expires: now.Add(time.Hour), Seen: now}
	h.wins(NewBrowser(b))
	h.loses(0, NewBrowser(b))
	b = must2(h.Browser(t.Context(), "b1"))(t)
	h.wins(RevokeBrowser(b))
	h.loses(0, RevokeBrowser(b))
	if b := must2(h.Browser(t.Context(), "b1"))(t); !b.Revoked || b.Form != "f" {
		t.Errorf("%+v", b)
	}
}

// U10: keys are listed by name, revoked keys included, and none by its secret.
func TestAPIKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, n := range []string{"b", "a", "c"} {
		h.wins(NewAPIKey(APIKey{Hash: "hash-" + n, Name: n, Mode: "interactive"}))
	}
	h.loses(0, NewAPIKey(APIKey{Hash: "hash-a", Name: "other"}))
	k := must2(h.APIKey(t.Context(), "hash-b"))(t)
	h.wins(RevokeAPIKey(k))
	h.loses(0, RevokeAPIKey(k))
	list, _, err := h.APIKeys(t.Context(), "", 10)
	if err != nil || len(list) != 3 || list[0].Name != "c" || list[1].Name != "b" || !list[1].Revoked {
		t.Errorf("%+v %v", list, err)
	}
}

// U10: the answer of a write is kept by its key, for a day.
func TestIdempotent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.wins(NewIdempotent(Idempotent{Key: "k", Request: "r", Answer: "a", At: now}))
	h.loses(0, NewIdempotent(Idempotent{Key: "k", Answer: "b", At: now}))
	if i := must2(h.Idempotent(t.Context(), "k"))(t); i.Answer != "a" {
		t.Errorf("%+v", i)
	}
	if row := h.raw(key("idem#k", "idem")); row["ttl"].Str != strconv.FormatInt(now.Add(24*time.Hour).Unix(), 10) {
		t.Errorf("ttl %v", row["ttl"])
	}
}
