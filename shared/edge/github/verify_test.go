package github

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

// The signing vector of GitHub's documentation.
func TestGoldenVector(t *testing.T) {
	t.Parallel()
	const vector = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	r, err := NewReceiver(Secrets{WebhookSecret: "It's a Secret to Everybody", Slug: "x"}, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte("Hello, World!")
	if got := Sign("It's a Secret to Everybody", body, "ping", "1").Get(headerSignature); got != vector {
		t.Errorf("Sign gave %s", got)
	}
	h := http.Header{headerSignature: {vector}, "X-Github-Event": {"brand_new"}, "X-Github-Delivery": {"1"}}
	if _, err := r.Receive(h, body); err != nil {
		t.Errorf("the vector is refused: %v", err)
	}
	h.Set(headerEvent, "issues")
	refused(t, r, h, body, "unreadable", 400)
	refused(t, r, h, []byte("Hello, World?"), "bad_signature", 401)
}

func TestQ8_MissingSecretStopsTheStart(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		cfg  Secrets
		says string
	}{
		{"nothing", Secrets{}, "webhook_secret"},
		{"empty", Secrets{Slug: "bot"}, "webhook_secret"},
		{"blank", Secrets{WebhookSecret: " \n", Slug: "bot"}, "webhook_secret"},
		{"only the previous", Secrets{WebhookSecretPrevious: "x", Slug: "bot"}, "webhook_secret"},
		{"no slug", Secrets{WebhookSecret: "x"}, "slug"},
		{"no slug but a sentence", Secrets{WebhookSecret: "x", Slug: "my bot"}, "slug"},
	} {
		r, err := NewReceiver(tc.cfg, nil, time.Now)
		if err == nil || r != nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, %v", tc.name, r, err)
		}
	}
}

// B46: raw bytes, lower-case look-up, SHA-256 only.
func TestB46_Signature(t *testing.T) {
	t.Parallel()
	r := receiver(t)
	body := []byte(`{"action": "created",  "x":1.0, "y":"é\u00e9 😀", "z":[ ] }`)
	good := Sign(secret, body, "star", "guid-1")

	lower := http.Header{}
	for k, v := range good {
		lower[strings.ToLower(k)] = v
	}
	for name, h := range map[string]http.Header{"canonical": good, "lower": lower} {
		if _, err := r.Receive(h, body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, other := range map[string]string{
		"re-encoded":  `{"action":"created","x":1.0,"y":"éé 😀","z":[]}`,
		"space added": string(body) + "\n",
		"cut":         string(body[:len(body)-1]),
		"empty":       "",
	} {
		t.Run(name, func(t *testing.T) { refused(t, r, good, []byte(other), "bad_signature", 401) })
	}

	sha1sum := hmac.New(sha1.New, []byte(secret))
	sha1sum.Write(body)
	sig := good.Get(headerSignature)
	for name, change := range map[string]func(http.Header){
		"no header": func(h http.Header) { h.Del(headerSignature) },
		"SHA-1 alone": func(h http.Header) {
			h.Del(headerSignature)
			h.Set("X-Hub-Signature", "sha1="+hex.EncodeToString(sha1sum.Sum(nil)))
		},
		"SHA-1 inside":      func(h http.Header) { h.Set(headerSignature, "sha1="+hex.EncodeToString(sha1sum.Sum(nil))) },
		"empty":             func(h http.Header) { h.Set(headerSignature, "") },
		"no prefix":         func(h http.Header) { h.Set(headerSignature, strings.TrimPrefix(sig, "sha256=")) },
		"short":             func(h http.Header) { h.Set(headerSignature, sig[:20]) },
		"not hex":           func(h http.Header) { h.Set(headerSignature, "sha256="+strings.Repeat("z", 64)) },
		"joined duplicates": func(h http.Header) { h.Set(headerSignature, sig+","+sig) },
		"two values":        func(h http.Header) { h.Add(headerSignature, sig) },
		"two spellings":     func(h http.Header) { h["x-hub-signature-256"] = []string{sig} },
		"another secret":    func(h http.Header) { h.Set(headerSignature, Sign("other", body, "star", "1").Get(headerSignature)) },
		"of an empty secret": func(h http.Header) {
			h.Set(headerSignature, Sign("", body, "star", "1").Get(headerSignature))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := good.Clone()
			change(h)
			refused(t, r, h, body, "bad_signature", 401)
		})
	}
}

// D3: both secrets are taken while one replaces the other.
func TestD3_Rotation(t *testing.T) {
	t.Parallel()
	r, err := NewReceiver(Secrets{WebhookSecret: "new", WebhookSecretPrevious: "old", Slug: "bot"}, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{}`)
	for _, s := range []string{"new", "old"} {
		if _, err := r.Receive(Sign(s, body, "ping", "1"), body); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	refused(t, r, Sign("older", body, "ping", "1"), body, "bad_signature", 401)
	refused(t, r, Sign("", body, "ping", "1"), body, "bad_signature", 401)
}

func TestSizeIsCheckedFirst(t *testing.T) {
	t.Parallel()
	r := receiver(t)
	refused(t, r, http.Header{}, make([]byte, MaxBody+1), "too_large", 413)
	refused(t, r, http.Header{}, make([]byte, MaxBody), "bad_signature", 401)
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	r := receiver(t)
	for name, body := range map[string]string{
		"empty": "", "not JSON": "payload", "cut": `{"action":"created","comment":{`, "two values": `{} {}`,
		"deep": strings.Repeat("[", 100000), "bad escape": `{"action":"\x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, r, Sign(secret, []byte(body), "issue_comment", "1"), []byte(body), "unreadable", 400)
		})
	}
	body := []byte(`{}`)
	for _, header := range []string{headerEvent, headerDelivery} {
		for _, value := range []string{"", "a b", "x\ny", strings.Repeat("a", 65)} {
			h := Sign(secret, body, "ping", "1")
			h.Set(header, value)
			refused(t, r, h, body, "unreadable", 400)
		}
	}
}

// A hook may be set to send forms; the signature covers the form's text.
func TestFormBody(t *testing.T) {
	t.Parallel()
	r := receiver(t)
	body := []byte("payload=" + strings.NewReplacer(`"`, "%22", "{", "%7B", "}", "%7D", " ", "+", "@", "%40").Replace(string(encode(t, comment("@postern-agent hello")))))
	h := Sign(secret, body, "issue_comment", "1")
	h.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	d, err := r.Receive(h, body)
	if err != nil || d.Trigger == nil || d.Trigger.Text != "@postern-agent hello" || d.Trigger.Named != "mention" {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, bad := range []string{"payload=%zz", "other={}", "payload=x"} {
		h := Sign(secret, []byte(bad), "issue_comment", "1")
		h.Set("Content-Type", "application/x-www-form-urlencoded")
		refused(t, r, h, []byte(bad), "unreadable", 400)
	}
}

// No refusal, drop reason or printed secret holds a body or a secret.
func TestNothingIsEchoed(t *testing.T) {
	t.Parallel()
	const marked = "MARKED-7f3a"
	r := receiver(t)
	check := func(what string, v any) {
		if strings.Contains(fmt.Sprintf("%v %+v %#v", v, v, v), marked) || strings.Contains(fmt.Sprint(v), secret) {
			t.Errorf("%s holds what it must not: %+v", what, v)
		}
	}
	for _, body := range []string{marked, `{"` + marked, `{"action":"` + marked + `"}`, `{"action":"` + marked + ` !"}`, `{"repository":"` + marked + `"}`} {
		for event := range kinds {
			_, err := r.Receive(Sign(secret, []byte(body), event, "1"), []byte(body))
			var ref *delivery.Refusal
			if errors.As(err, &ref) {
				check("refusal", *ref)
			}
			_, err = r.Receive(Sign("x", []byte(body), event, "1"), []byte(body))
			check("refusal", err)
		}
	}
	check("secrets", Secrets{WebhookSecret: marked, Token: marked, PrivateKey: marked, WebhookSecretPrevious: marked})
	_, err := ParseSecrets([]byte(`{"webhook_secret":"` + marked))
	check("parse error", err)
}
