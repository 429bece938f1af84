package github

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

var update = flag.Bool("update", false, "write golden files anew")

const secret = "test-webhook-secret"

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func receiver(t testing.TB) *Receiver {
	t.Helper()
	r, err := NewReceiver(Secrets{WebhookSecret: secret, Slug: "postern-agent", AppID: 77}, nil, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type m = map[string]any

// comment is a comment of Ada's on issue 7 of Acme/Shop.
func comment(body string) m {
	return m{
		"action":     "created",
		"repository": m{"id": 1001, "full_name": "Acme/Shop", "default_branch": "main"},
		"sender":     m{"id": 11, "login": "ada", "type": "User"},
		"issue":      m{"id": 70, "number": 7, "title": "Till is slow", "user": m{"id": 12, "login": "bob", "type": "User"}},
		"comment": m{"id": 9001, "body": body, "created_at": "2026-11-30T10:00:00Z",
			"user": m{"id": 11, "login": "ada", "type": "User"}},
	}
}

// set changes one field of a payload, by its path.
func set(p m, value any, path ...string) m {
	at := p
	for _, k := range path[:len(path)-1] {
		at = at[k].(m)
	}
	at[path[len(path)-1]] = value
	return p
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func receive(t testing.TB, event string, payload any) delivery.Delivery {
	t.Helper()
	body := encode(t, payload)
	d, err := receiver(t).Receive(Sign(secret, body, event, "guid-1"), body)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	if n := outcomes(d); n != 1 {
		t.Fatalf("%d outcomes in one delivery: %+v", n, d)
	}
	return d
}

func outcomes(d delivery.Delivery) (n int) {
	for _, set := range []bool{d.Reply != nil, d.Trigger != nil, d.Answer != nil, d.Drop != ""} {
		if set {
			n++
		}
	}
	return n
}

func triggerOf(t testing.TB, event string, payload any) trigger.Trigger {
	t.Helper()
	d := receive(t, event, payload)
	if d.Trigger == nil {
		t.Fatalf("no trigger, dropped as %q", d.Drop)
	}
	return *d.Trigger
}

// dropped expects a delivery to be ignored for the reason.
func dropped(t testing.TB, event string, payload any, reason string) {
	t.Helper()
	if d := receive(t, event, payload); d.Drop != reason {
		t.Errorf("dropped as %q, want %q", d.Drop, reason)
	}
}

// refused expects a refusal with the code.
func refused(t testing.TB, r *Receiver, h http.Header, body []byte, code string, status int) {
	t.Helper()
	d, err := r.Receive(h, body)
	ref, ok := err.(*delivery.Refusal)
	if !ok {
		t.Fatalf("not refused: %+v, %v", d, err)
	}
	if ref.Code != code || ref.Status != status {
		t.Errorf("refused as %s %d, want %s %d", ref.Code, ref.Status, code, status)
	}
	if outcomes(d) != 0 {
		t.Errorf("refused and yet %+v", d)
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got) {
		t.Errorf("%s differs; run with -update and look at the change. Got:\n%s", file, got)
	}
}
