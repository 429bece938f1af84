package feishu

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

var (
	testNow  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	testLink = []byte("test-link-key")
)

func testSecrets() Secrets {
	return Secrets{
		AppID: "cli_a", AppSecret: "app-secret-value", EncryptKey: "encrypt-key-value",
		VerificationToken: "token-value", BotOpenID: "ou_bot",
	}
}

func testReceiver(t testing.TB, change ...func(*Secrets)) *Receiver {
	t.Helper()
	s := testSecrets()
	for _, c := range change {
		c(&s)
	}
	r, err := NewReceiver(s, testLink, func() time.Time { return testNow })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// seal encrypts and signs content with the test keys at the test's time.
func seal(plain string) (http.Header, []byte) {
	body := Encrypt(testSecrets().EncryptKey, []byte(plain), [16]byte{1, 2, 3})
	return Sign(testSecrets().EncryptKey, body, testNow), body
}

// wrap puts the inside of an event in a version 2 envelope.
func wrap(kind, id, inside string) string {
	return fmt.Sprintf(`{"schema":"2.0","header":{"event_id":%q,"event_type":%q,"create_time":"1772366400000","token":"token-value","app_id":"cli_a","tenant_key":"t_1"},"event":%s}`, id, kind, inside)
}

// receive runs content through a receiver and fails on a refusal.
func receive(t *testing.T, r *Receiver, plain string) delivery.Delivery {
	t.Helper()
	d, err := r.Receive(seal(plain))
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return d
}

func code(err error) string {
	var r *delivery.Refusal
	if errors.As(err, &r) {
		return fmt.Sprintf("%s %d", r.Code, r.Status)
	}
	return fmt.Sprint(err)
}

// The platform's own published sample, and a synthetic vector of every part.
func TestGoldenVectors(t *testing.T) {
	t.Parallel()
	got, err := newKey("test key").decrypt([]byte("P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk="))
	if err != nil || string(got) != "hello world" {
		t.Fatalf("decrypt = %q, %v", got, err)
	}

	const plainText = `{"schema":"2.0","header":{"event_id":"e-0001","event_type":"im.message.receive_v1","token":"vt"}}`
	const want = `{"encrypt":"BwcHBwcHBwcHBwcHBwcHB2CzLQo7x4VbBFfPFyL+BJ3ls7u8OBUkglu8ITpUqzCJkpdeTXZYwV+Dw0hQCe1YwJ+FrF0+YTjl+1CbIm6RiFQfg0TQ7B+RJQZAde/eA3hOnhZ6APHubkT7xh6QOGCS5k4IQ1ugUjgoQnrbT1XdHIs="}`
	iv := [16]byte{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}
	body := Encrypt("k-0001", []byte(plainText), iv)
	if string(body) != want {
		t.Fatalf("Encrypt = %s", body)
	}
	k := newKey("k-0001")
	if s := k.signature("1700000000", "nonce-1", body); s != "54a919232f93be4bddf974d1e095cd9c7744fa05fdb017d015cd74c744aa20ab" {
		t.Fatalf("signature = %s", s)
	}
	text, _ := encrypted(body)
	if back, err := k.decrypt(text); err != nil || string(back) != plainText {
		t.Fatalf("decrypt = %q, %v", back, err)
	}

	// The same, through the whole receiver.
	s := testSecrets()
	s.EncryptKey, s.VerificationToken = "k-0001", "vt"
	r, err := NewReceiver(s, testLink, func() time.Time { return time.Unix(1700000000, 0) })
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	h.Set(HeaderTimestamp, "1700000000")
	h.Set(HeaderNonce, "nonce-1")
	h.Set(HeaderSignature, "54a919232f93be4bddf974d1e095cd9c7744fa05fdb017d015cd74c744aa20ab")
	d, err := r.Receive(h, body)
	if err != nil || d.ID != "e-0001" || d.Event != "im.message.receive_v1" {
		t.Fatalf("Receive = %+v, %v", d, err)
	}
}

// Padding is checked whole: its length, and each of its bytes.
func TestPadding(t *testing.T) {
	t.Parallel()
	k := newKey("k")
	sealRaw := func(padded []byte) []byte {
		iv := make([]byte, aes.BlockSize)
		out := append([]byte{}, padded...)
		cipher.NewCBCEncrypter(k.block, iv).CryptBlocks(out, out)
		return []byte(base64.StdEncoding.EncodeToString(append(iv, out...)))
	}
	block := func(last ...byte) []byte {
		return append(bytes.Repeat([]byte{'x'}, 2*aes.BlockSize-len(last)), last...)
	}
	for name, c := range map[string]struct {
		padded []byte
		good   bool
	}{
		"one":              {block(1), true},
		"three":            {block(3, 3, 3), true},
		"a whole block":    {block(bytes.Repeat([]byte{16}, 16)...), true},
		"none":             {block(0), false},
		"one too many":     {block(bytes.Repeat([]byte{17}, 17)...), false},
		"more than all":    {block(200), false},
		"one of them odd":  {block(3, 4, 3), false},
		"the first is odd": {block(2, 3, 3), false},
	} {
		if _, err := k.decrypt(sealRaw(c.padded)); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Q8: a missing secret stops the start with words that say what to set.
func TestQ8MissingSecret(t *testing.T) {
	t.Parallel()
	clear := map[string]func(*Secrets){
		"app_id":             func(s *Secrets) { s.AppID = "" },
		"encrypt_key":        func(s *Secrets) { s.EncryptKey = " " },
		"verification_token": func(s *Secrets) { s.VerificationToken = "" },
	}
	for name, c := range clear {
		s := testSecrets()
		c(&s)
		_, err := NewReceiver(s, testLink, time.Now)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "-value") {
			t.Errorf("without %s the error holds a secret: %v", name, err)
		}
	}
	if _, err := NewReceiver(testSecrets(), nil, time.Now); err == nil {
		t.Error("no link key, no error")
	}
	if _, err := NewReceiver(testSecrets(), testLink, nil); err == nil {
		t.Error("no clock, no error")
	}
}

// A printed Secrets and a failed parse tell nothing.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	s := testSecrets()
	for _, out := range []string{fmt.Sprintf("%v %+v %#v %s", s, s, s, s), fmt.Sprint(s.LogValue())} {
		if strings.Contains(out, "-value") {
			t.Errorf("printed: %s", out)
		}
	}
	if _, err := ParseSecrets([]byte(`{"app_id":["encrypt-key-value"]}`)); err == nil || strings.Contains(err.Error(), "-value") {
		t.Errorf("ParseSecrets: %v", err)
	}
	got, err := ParseSecrets([]byte(`{"app_id":"cli_a","encrypt_key":"k","bot_open_id":"","domain":"lark"}`))
	if err != nil || got.AppID != "cli_a" || got.EncryptKey != "k" {
		t.Errorf("ParseSecrets = %#v, %v", got, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	plain := wrap(eventMessage, "e1", `{}`)
	key := testSecrets().EncryptKey
	cases := []struct {
		name string
		make func() (http.Header, []byte)
		want string
	}{
		{"good", func() (http.Header, []byte) { return seal(plain) }, "<nil>"},
		{"no headers", func() (http.Header, []byte) { _, b := seal(plain); return http.Header{}, b }, "bad_signature 401"},
		{"signature only", func() (http.Header, []byte) {
			h, b := seal(plain)
			h.Del(HeaderTimestamp)
			return h, b
		}, "bad_signature 401"},
		{"no signature, other headers", func() (http.Header, []byte) {
			h, b := seal(plain)
			h.Del(HeaderSignature)
			return h, b
		}, "bad_signature 401"},
		{"empty signature", func() (http.Header, []byte) {
			h, b := seal(plain)
			h.Set(HeaderSignature, "")
			return h, b
		}, "bad_signature 401"},
		{"upper case signature", func() (http.Header, []byte) {
			h, b := seal(plain)
			h.Set(HeaderSignature, strings.ToUpper(h.Get(HeaderSignature)))
			return h, b
		}, "bad_signature 401"},
		{"two signatures joined by a comma", func() (http.Header, []byte) {
			h, b := seal(plain)
			h.Set(HeaderSignature, h.Get(HeaderSignature)+","+h.Get(HeaderSignature))
			return h, b
		}, "bad_signature 401"},
		{"two signature headers", func() (http.Header, []byte) {
			h, b := seal(plain)
			h.Add(HeaderSignature, h.Get(HeaderSignature))
			return h, b
		}, "bad_signature 401"},
		{"two signature headers of different case", func() (http.Header, []byte) {
			h, b := seal(plain)
			h["x-lark-signature"] = []string{"0"}
			return h, b
		}, "bad_signature 401"},
		{"another key", func() (http.Header, []byte) {
			b := Encrypt("other", []byte(plain), [16]byte{})
			return Sign("other", b, testNow), b
		}, "bad_signature 401"},
		{"one byte changed", func() (http.Header, []byte) {
			h, b := seal(plain)
			b[20] ^= 1
			return h, b
		}, "bad_signature 401"},
		{"signed, not encrypted", func() (http.Header, []byte) {
			b := []byte(plain)
			return Sign(key, b, testNow), b
		}, "unreadable 400"},
		{"signed, no JSON", func() (http.Header, []byte) {
			b := []byte("hello")
			return Sign(key, b, testNow), b
		}, "unreadable 400"},
		{"signed, encrypted with another key", func() (http.Header, []byte) {
			b := Encrypt("other", []byte(plain), [16]byte{})
			return Sign(key, b, testNow), b
		}, "unreadable 400"},
		{"signed, base64 broken", func() (http.Header, []byte) {
			b := []byte(`{"encrypt":"###"}`)
			return Sign(key, b, testNow), b
		}, "unreadable 400"},
		{"signed, too short", func() (http.Header, []byte) {
			b := []byte(`{"encrypt":"AAAAAAAAAAAAAAAAAAAAAA=="}`)
			return Sign(key, b, testNow), b
		}, "unreadable 400"},
		{"signed, content no JSON", func() (http.Header, []byte) { return seal("hello") }, "unreadable 400"},
		{"signed, content cut off", func() (http.Header, []byte) { return seal(plain[:40]) }, "unreadable 400"},
		{"signed, content a list", func() (http.Header, []byte) { return seal("[1]") }, "unreadable 400"},
		{"wrong token inside", func() (http.Header, []byte) {
			return seal(strings.Replace(plain, "token-value", "other", 1))
		}, "bad_signature 401"},
		{"no token inside", func() (http.Header, []byte) {
			return seal(strings.Replace(plain, "token-value", "", 1))
		}, "bad_signature 401"},
		{"too large, unsigned", func() (http.Header, []byte) { return http.Header{}, make([]byte, MaxBody+1) }, "too_large 413"},
		{"as large as may be", func() (http.Header, []byte) {
			b := Encrypt(key, []byte(plain+strings.Repeat(" ", 700<<10)), [16]byte{})
			return Sign(key, b, testNow), b
		}, "<nil>"},
	}
	r := testReceiver(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h, body := c.make()
			_, err := r.Receive(h, body)
			if got := code(err); got != c.want {
				t.Fatalf("got %s, want %s", got, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), "-value") || strings.Contains(err.Error(), "im.message")) {
				t.Fatalf("the refusal holds a body or a secret: %v", err)
			}
		})
	}
}

// Fact 0.3: what is older than the dedupe rows is refused by the clock.
func TestReplayWindow(t *testing.T) {
	t.Parallel()
	r := testReceiver(t)
	_, body := seal(wrap(eventMessage, "e1", `{}`))
	cases := []struct {
		offset time.Duration
		want   string
	}{
		{0, "<nil>"},
		{-7*time.Hour - 5*time.Minute - 15*time.Second, "<nil>"}, // the platform's last retry
		{-24*time.Hour + time.Second, "<nil>"},
		{-24*time.Hour - time.Second, "stale 401"},
		{-10 * 365 * 24 * time.Hour, "stale 401"},
		{299 * time.Second, "<nil>"},
		{301 * time.Second, "stale 401"},
	}
	for _, c := range cases {
		_, err := r.Receive(Sign(testSecrets().EncryptKey, body, testNow.Add(c.offset)), body)
		if got := code(err); got != c.want {
			t.Errorf("%v: got %s, want %s", c.offset, got, c.want)
		}
	}
	for _, stamp := range []string{"", "x", "-1", "0", "1772366400,1772366400", "99999999999999999999"} {
		h := http.Header{}
		h.Set(HeaderTimestamp, stamp)
		h.Set(HeaderNonce, "n")
		h.Set(HeaderSignature, newKey(testSecrets().EncryptKey).signature(stamp, "n", body))
		if _, err := r.Receive(h, body); code(err) != "stale 401" {
			t.Errorf("stamp %q: %v", stamp, err)
		}
	}
}

// Adapters hand over header maps with lower-case or canonical keys; both work.
func TestHeaderCase(t *testing.T) {
	t.Parallel()
	h, body := seal(wrap(eventMessage, "e1", `{}`))
	lower := http.Header{}
	for k, v := range h {
		lower[strings.ToLower(k)] = v
	}
	if _, err := testReceiver(t).Receive(lower, body); err != nil {
		t.Fatal(err)
	}
}

// During a rotation the key and the token before are accepted beside the new.
func TestRotation(t *testing.T) {
	t.Parallel()
	h, body := seal(wrap(eventMessage, "e1", `{}`))
	check, checkBody := http.Header{}, Encrypt(testSecrets().EncryptKey, []byte(`{"type":"url_verification","token":"token-value","challenge":"c"}`), [16]byte{})
	rotated := testReceiver(t, func(s *Secrets) {
		s.EncryptKeyBefore, s.EncryptKey = s.EncryptKey, "new-key-value"
		s.VerificationTokenBefore, s.VerificationToken = s.VerificationToken, "new-token-value"
	})
	if _, err := rotated.Receive(h, body); err != nil {
		t.Errorf("the key before: %v", err)
	}
	if d, err := rotated.Receive(check, checkBody); err != nil || d.Reply == nil {
		t.Errorf("the URL check with the key before: %v", err)
	}
	done := testReceiver(t, func(s *Secrets) { s.EncryptKey = "new-key-value" })
	if _, err := done.Receive(h, body); code(err) != "bad_signature 401" {
		t.Errorf("after the rotation: %v", err)
	}
}

// B37: the URL check comes without signature headers.
func TestB37URLCheck(t *testing.T) {
	t.Parallel()
	r := testReceiver(t)
	key := testSecrets().EncryptKey
	check := func(token, challenge string) string {
		return fmt.Sprintf(`{"challenge":%s,"token":%q,"type":"url_verification"}`, challenge, token)
	}
	sealed := func(plain string) []byte { return Encrypt(key, []byte(plain), [16]byte{9}) }

	for name, h := range map[string]http.Header{
		"unsigned": {},
		"signed":   Sign(key, sealed(check("token-value", `"c\"1"`)), testNow),
	} {
		d, err := r.Receive(h, sealed(check("token-value", `"c\"1"`)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var out struct{ Challenge string }
		if d.Reply == nil || d.Reply.Status != 200 || !strings.HasPrefix(d.Reply.ContentType, "application/json") ||
			json.Unmarshal(d.Reply.Body, &out) != nil || out.Challenge != `c"1` {
			t.Fatalf("%s: reply %+v", name, d.Reply)
		}
	}

	refused := map[string][]byte{
		"an event inside":   sealed(wrap(eventMessage, "e1", `{}`)),
		"a click inside":    sealed(wrap(eventClick, "e1", `{}`)),
		"wrong token":       sealed(check("other", `"c"`)),
		"no token":          sealed(check("", `"c"`)),
		"not encrypted":     []byte(check("token-value", `"c"`)),
		"another key":       Encrypt("other", []byte(check("token-value", `"c"`)), [16]byte{}),
		"no content":        nil,
		"not JSON inside":   sealed("hello"),
		"type in a header":  sealed(`{"schema":"2.0","header":{"event_type":"url_verification","token":"token-value"}}`),
		"bad base64 inside": []byte(`{"encrypt":"A"}`),
	}
	for name, body := range refused {
		_, err := r.Receive(http.Header{}, body)
		if code(err) != "bad_signature 401" || err.Error() != "bad_signature: no signature" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
