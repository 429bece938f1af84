package github

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/trigger"
	edge "github.com/postern-dev/postern/shared/edge/github"
)

var makeKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func asApp(cfg *Config, s *edge.Secrets) {
	key := makeKey()
	cfg.Token, cfg.Key = "", &key.PublicKey
	s.Token, s.AppID, s.InstallationID = "", 77, 7700
	s.PrivateKey = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

func count(w *world, operation string) (n int) {
	for _, c := range w.Calls() {
		if c.Operation == operation {
			n++
		}
	}
	return n
}

// An installation's token is lent once, kept, and asked for anew before it ends.
func TestInstallationToken(t *testing.T) {
	t.Parallel()
	w := start(t, asApp)
	place := w.open(t)
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			if _, err := w.client.Say(ctx, place, "x", fmt.Sprint("k", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := count(w, "token"); n != 1 {
		t.Errorf("asked for %d tokens", n)
	}
	w.clock.move(54 * time.Minute)
	say(t, w, place, "later")
	if n := count(w, "token"); n != 1 {
		t.Errorf("asked again after 54 minutes: %d", n)
	}
	w.clock.move(2 * time.Minute)
	say(t, w, place, "latest")
	if n := count(w, "token"); n != 2 {
		t.Errorf("asked %d times by the end of the hour", n)
	}
}

func say(t *testing.T, w *world, place trigger.Place, key string) {
	t.Helper()
	if _, err := w.client.Say(ctx, place, "x", key); err != nil {
		t.Fatal(err)
	}
}

// B41: a rejected token is thrown away and asked for once more, not replayed.
func TestB41_RejectedToken(t *testing.T) {
	t.Parallel()
	w := start(t, asApp)
	place := w.open(t)
	say(t, w, place, "a")
	w.Revoke()
	say(t, w, place, "b")
	if n := count(w, "token"); n != 2 {
		t.Errorf("%d tokens", n)
	}
	w.Fail("list_comments", Fault{Status: 401, Message: "x"}, Fault{Status: 401, Message: "x"})
	_, err := w.client.Say(ctx, place, "x", "c")
	fails(t, err, "unauthorized", false)
	if n := count(w, "token"); n != 3 {
		t.Errorf("asked without end: %d", n)
	}
	w.Fail("token", Fault{Status: 401, Message: "x"})
	w.Revoke()
	_, err = w.client.Say(ctx, place, "x", "d")
	fails(t, err, "unauthorized", false)
	say(t, w, place, "d")
}

// Q8: what is missing or wrong is said at the start, without a value.
func TestQ8_SecretsOfTheClient(t *testing.T) {
	t.Parallel()
	good := edge.Secrets{WebhookSecret: "s", Slug: "bot", Token: "MARKED"}
	key8, err := x509.MarshalPKCS8PrivateKey(makeKey())
	if err != nil {
		t.Fatal(err)
	}
	pem8 := strings.ReplaceAll(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key8})), "\n", `\n`)
	for name, tc := range map[string]struct {
		cfg  edge.Secrets
		base string
		ok   bool
	}{
		"token":      {good, edge.API, true},
		"app":        {edge.Secrets{WebhookSecret: "s", Slug: "bot", AppID: 1, InstallationID: 2, PrivateKey: pem8}, edge.API, true},
		"nothing":    {edge.Secrets{WebhookSecret: "s", Slug: "bot"}, edge.API, false},
		"no slug":    {edge.Secrets{WebhookSecret: "s", Token: "MARKED"}, edge.API, false},
		"half":       {edge.Secrets{WebhookSecret: "s", Slug: "bot", AppID: 1, PrivateKey: "MARKED"}, edge.API, false},
		"no key":     {edge.Secrets{WebhookSecret: "s", Slug: "bot", AppID: 1, InstallationID: 2}, edge.API, false},
		"not a key":  {edge.Secrets{WebhookSecret: "s", Slug: "bot", AppID: 1, InstallationID: 2, PrivateKey: "MARKED"}, edge.API, false},
		"no address": {good, "", false},
		"file":       {good, "file:///etc", false},
	} {
		_, err := edge.NewClient(tc.cfg, tc.base, http.DefaultClient, time.Now)
		if (err == nil) != tc.ok || err != nil && strings.Contains(err.Error(), "MARKED") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := edge.ParseSecrets([]byte(`{"webhook_secret":"a","slug":"b","app_id":"12","installation_id":34,"private_key":"c"}`))
	if err != nil || s.AppID != 12 || s.InstallationID != 34 {
		t.Errorf("%+v %v", s.AppID, err)
	}
}

// W8, B51: what could not be delivered is found and asked for again, once, and
// comes with the same id.
func TestB51_MissedDeliveries(t *testing.T) {
	t.Parallel()
	for name, hook := range map[string]edge.Hook{"app": {}, "repository": {Repo: "acme/shop", ID: 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, func(cfg *Config, s *edge.Secrets) {
				if name == "app" {
					asApp(cfg, s)
				}
			})
			w.open(t)
			w.inbox.answer(500)
			_, lost, _ := w.Say(ctx, w.hook, "ada", "acme/shop", 1, "@postern-agent go")
			w.inbox.answer(0)
			for range 130 { // more than a page of others
				if _, err := w.Ping(ctx, w.hook); err != nil {
					t.Fatal(err)
				}
			}
			w.clock.move(time.Hour)
			tries, whole, err := w.client.Deliveries(ctx, hook, w.clock.now().Add(-edge.Window))
			if err != nil || len(tries) != 132 || !whole {
				t.Fatalf("%d tries, %v", len(tries), err)
			}
			missed := edge.Missed(tries, w.clock.now())
			if len(missed) != 1 || missed[0].GUID != lost.GUID || missed[0].Status != 500 || missed[0].Event != "issue_comment" {
				t.Fatalf("%+v", missed)
			}
			if err := w.client.Redeliver(ctx, hook, missed[0].ID); err != nil {
				t.Fatal(err)
			}
			if d := w.inbox.last(t); d.ID != lost.GUID || d.Trigger == nil || d.Trigger.Text != "@postern-agent go" {
				t.Errorf("%+v", d)
			}
			tries, _, err = w.client.Deliveries(ctx, hook, w.clock.now().Add(-edge.Window))
			if err != nil || len(edge.Missed(tries, w.clock.now())) != 0 {
				t.Errorf("missed still: %v", err)
			}
			if tries, whole, err = w.client.Deliveries(ctx, hook, w.clock.now().Add(-time.Minute)); err != nil || len(tries) != 1 || !whole || !tries[0].Again {
				t.Errorf("%d of the last minute, %v", len(tries), err)
			}
		})
	}
	w := start(t)
	_, _, err := w.client.Deliveries(ctx, edge.Hook{}, time.Time{})
	fails(t, err, "not_an_app", true)
	if _, ok := w.client.Redelivery(); ok {
		t.Error("a plain token can ask again")
	}
	_, _, err = w.client.Deliveries(ctx, edge.Hook{Repo: "acme", ID: 1}, time.Time{})
	fails(t, err, "no_place", true)
}
