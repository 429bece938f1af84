package door

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/infra/policy"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
)

func embedded(t *testing.T) (Target, *clock.Fake, *local.Runtime) {
	t.Helper()
	c := clock.NewFake(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	p, err := domain.Parse("dev.yaml", policy.Dev)
	if err != nil {
		t.Fatal(err)
	}
	r, err := local.Open(local.Config{Clock: c, Log: slog.New(slog.DiscardHandler), LinkKey: []byte("test-link-key-0000000000"),
		PublicURL: "http://127.0.0.1", Policy: p, Source: string(policy.Dev)})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(r.Handler)
	t.Cleanup(func() { s.Close(); _ = r.Close() })
	client := s.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return Target{URL: s.URL, Client: client, Store: r.Store, Now: c.Now, Root: "../.."}, c, r
}

// U8: on the embedded engine nobody gets in without a link.
func TestU8_TheDoorIsClosed(t *testing.T) {
	t.Parallel()
	target, _, _ := embedded(t)
	tries, through := Try(context.Background(), target)
	for _, err := range through {
		t.Error(err)
	}
	if tries < 300 {
		t.Errorf("only %d tries", tries)
	}
}

// U8: a link is good for ten minutes, a sign-in for twelve hours, whoever
// holds it.
func TestU8_LinksAndSignInsEnd(t *testing.T) {
	t.Parallel()
	target, c, r := embedded(t)
	k := &knocker{Target: target, ctx: context.Background()}
	key := func() string {
		t.Helper()
		key, err := r.LoginKey(k.ctx, "panel:owner", "Owner", "owner")
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	late := key()
	c.Advance(10*time.Minute + time.Second)
	if a := k.spend(late); a.status != http.StatusForbidden || a.cookie != "" {
		t.Errorf("a link of ten minutes ago answers %d", a.status)
	}
	a := k.spend(key())
	if a.cookie == "" {
		t.Fatalf("%+v", a)
	}
	in := http.Header{"Cookie": {a.cookie}}
	if a := k.ask(http.MethodGet, "/inbox", in, ""); a.status != http.StatusOK {
		t.Fatalf("%+v", a)
	}
	c.Advance(12*time.Hour + time.Second)
	if a := k.ask(http.MethodGet, "/inbox", in, ""); a.status != http.StatusUnauthorized {
		t.Errorf("a sign-in of twelve hours ago answers %d", a.status)
	}
}

// The tries find an open door: else they say nothing. A door that believes a
// header, one that forgets to spend links, one that shows everything.
func TestU8_TheTriesFindAnOpenDoor(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(r *local.Runtime, sign func() string) http.Handler{
		"it believes a header": func(r *local.Runtime, sign func() string) http.Handler {
			cookie := sign()
			return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if req.Header.Get("X-Forwarded-User") != "" {
					req.Header.Set("Cookie", cookie)
				}
				r.Handler.ServeHTTP(w, req)
			})
		},
		"it takes a bearer token for a person": func(r *local.Runtime, sign func() string) http.Handler {
			cookie := sign()
			return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if strings.HasPrefix(req.Header.Get("Authorization"), "Bearer ") {
					req.Header.Set("Cookie", cookie)
				}
				r.Handler.ServeHTTP(w, req)
			})
		},
		"its links work for ever": func(r *local.Runtime, _ func() string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if req.Method == http.MethodPost && req.URL.Path == "/login" {
					key, _ := r.LoginKey(req.Context(), "panel:owner", "Owner", "owner")
					req.Body = http.NoBody
					req.PostForm = url.Values{"key": {key}}
					req.Form = req.PostForm
				}
				r.Handler.ServeHTTP(w, req)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, _, r := embedded(t)
			k := &knocker{Target: target, ctx: context.Background()}
			s := httptest.NewServer(open(r, func() string {
				key, err := k.mint(time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				return k.spend(key).cookie
			}))
			defer s.Close()
			target.URL = s.URL
			if _, through := Try(context.Background(), target); len(through) == 0 {
				t.Error("nothing got through an open door")
			}
		})
	}
}
