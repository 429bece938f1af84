package slack

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The golden vector of Slack's signing scheme, with its secret and time.
const (
	goldenSecret    = "8f7d0000000000000000000000000000"
	goldenBody      = "payload=%7B%22type%22%3A%22block_actions%22%7D"
	goldenBase64    = "cGF5bG9hZD0lN0IlMjJ0eXBlJTIyJTNBJTIyYmxvY2tfYWN0aW9ucyUyMiU3RA=="
	goldenSignature = "v0=b4b6f70c0496151ee482d0d3680f4486d4a06dde6ea2fe3c6c67d8cacb960201"
)

func goldenReceiver(t *testing.T) *Receiver {
	t.Helper()
	r, err := NewReceiver(Secrets{SigningSecret: goldenSecret}, testLinkKey, clock)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGoldenVector(t *testing.T) {
	t.Parallel()
	if got := Sign(goldenSecret, []byte(goldenBody), testNow).Get(headerSignature); got != goldenSignature {
		t.Fatalf("signature %s", got)
	}
}

// B04, B12: any case of the header names, and the bytes as they were sent.
func TestB04_B12_GoldenVectorInAnyCaseAndEncoding(t *testing.T) {
	t.Parallel()
	decoded, err := base64.StdEncoding.DecodeString(goldenBase64)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{goldenBody, string(decoded)} {
		for _, names := range [][2]string{
			{headerTime, headerSignature},
			{"x-slack-request-timestamp", "x-slack-signature"},
			{"X-SLACK-Request-Timestamp", "X-slack-SIGNATURE"},
		} {
			h := http.Header{names[0]: {"1700000000"}, names[1]: {goldenSignature}}
			if _, err := goldenReceiver(t).Receive(h, []byte(body)); err != nil {
				t.Errorf("%v: %v", names, err)
			}
		}
	}
}

func TestB12_BodyThatLooksLikeBase64IsUsedAsItIs(t *testing.T) {
	t.Parallel()
	h := http.Header{headerTime: {"1700000000"}, headerSignature: {goldenSignature}}
	if got := refused(t, goldenReceiver(t), h, []byte(goldenBase64)); got.Status != 401 {
		t.Fatalf("status %d", got.Status)
	}
	body := []byte(goldenBase64)
	if got := refused(t, receiver(t), Sign(testSecret, body, testNow), []byte(goldenBase64+"A")); got.Status != 401 {
		t.Fatalf("status %d", got.Status)
	}
}

func TestB13_OnlyTheRawBytesVerify(t *testing.T) {
	t.Parallel()
	body := []byte("payload=%7B%7D&x=a+b%20c")
	h := Sign(testSecret, body, testNow)
	if _, err := receiver(t).Receive(h, body); err != nil {
		t.Fatal(err)
	}
	for _, again := range []string{"payload=%7B%7D&x=a+b+c", "payload=%7b%7d&x=a+b%20c", "x=a+b%20c&payload=%7B%7D"} {
		if got := refused(t, receiver(t), h, []byte(again)); got.Code != "bad_signature" || got.Status != 401 {
			t.Errorf("%s: %v", again, got)
		}
	}
}

func TestBadSignatures(t *testing.T) {
	t.Parallel()
	good := strings.TrimPrefix(goldenSignature, "v0=")
	cases := map[string]http.Header{
		"none":           {headerTime: {"1700000000"}},
		"no time":        {headerSignature: {goldenSignature}},
		"empty":          {headerTime: {"1700000000"}, headerSignature: {""}},
		"version 1":      {headerTime: {"1700000000"}, headerSignature: {"v1=" + good}},
		"no version":     {headerTime: {"1700000000"}, headerSignature: {good}},
		"short":          {headerTime: {"1700000000"}, headerSignature: {goldenSignature[:20]}},
		"not hex":        {headerTime: {"1700000000"}, headerSignature: {"v0=" + strings.Repeat("z", 64)}},
		"one digit":      {headerTime: {"1700000000"}, headerSignature: {goldenSignature[:66] + "f"}},
		"joined twice":   {headerTime: {"1700000000"}, headerSignature: {goldenSignature + "," + goldenSignature}},
		"two values":     {headerTime: {"1700000000"}, headerSignature: {goldenSignature, goldenSignature}},
		"two names":      {headerTime: {"1700000000"}, headerSignature: {goldenSignature}, "x-slack-signature": {goldenSignature}},
		"other time":     {headerTime: {"1700000001"}, headerSignature: {goldenSignature}},
		"time in words":  {headerTime: {"now"}, headerSignature: {goldenSignature}},
		"time with plus": {headerTime: {"+1700000000"}, headerSignature: {goldenSignature}},
		"time too long":  {headerTime: {"99999999999999999999"}, headerSignature: {goldenSignature}},
	}
	for name, h := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := refused(t, goldenReceiver(t), h, []byte(goldenBody))
			if got.Code != "bad_signature" || got.Status != 401 {
				t.Fatalf("%v", got)
			}
		})
	}
}

func TestSkewOfFiveMinutesEitherWay(t *testing.T) {
	t.Parallel()
	body := []byte(goldenBody)
	for seconds, ok := range map[int]bool{-301: false, -300: true, -299: true, 0: true, 299: true, 300: true, 301: false} {
		h := Sign(testSecret, body, testNow.Add(time.Duration(seconds)*time.Second))
		_, err := receiver(t).Receive(h, body)
		if ok && err != nil {
			t.Errorf("%d s: %v", seconds, err)
		}
		if !ok {
			if got := refused(t, receiver(t), h, body); got.Code != "stale" || got.Status != 401 {
				t.Errorf("%d s: %v", seconds, got)
			}
		}
	}
}

func TestD3_TwoSecretsDuringRotation(t *testing.T) {
	t.Parallel()
	r, err := NewReceiver(Secrets{SigningSecret: "new", SigningSecretPrevious: "old"}, testLinkKey, clock)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"type":"app_rate_limited"}`)
	for _, secret := range []string{"new", "old"} {
		if _, err := r.Receive(Sign(secret, body, testNow), body); err != nil {
			t.Errorf("%s: %v", secret, err)
		}
	}
	refused(t, r, Sign("older", body, testNow), body)
	// A secret that was never set is not an empty one that signs.
	refused(t, receiver(t), Sign("", body, testNow), body)
}

func TestQ8_MissingSecretsStopTheStart(t *testing.T) {
	t.Parallel()
	cases := []struct {
		cfg  Secrets
		key  []byte
		says string
	}{
		{Secrets{}, testLinkKey, "signing_secret is empty"},
		{Secrets{SigningSecret: "  \n"}, testLinkKey, "signing_secret is empty"},
		{Secrets{SigningSecret: "abc\n"}, testLinkKey, "signing_secret has white space"},
		{Secrets{SigningSecret: "abc", SigningSecretPrevious: " x"}, testLinkKey, "signing_secret_previous has white space"},
		{Secrets{SigningSecret: "abc"}, nil, "link key"},
		{Secrets{SigningSecret: "abc"}, []byte("short"), "link key"},
	}
	for _, c := range cases {
		if _, err := NewReceiver(c.cfg, c.key, clock); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("want %q, got %v", c.says, err)
		}
	}
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	s, err := ParseSecrets([]byte(`{"signing_secret":"MARK1","signing_secret_previous":"MARK2","bot_token":"xoxb-MARK3"}`))
	if err != nil {
		t.Fatal(err)
	}
	if s.SigningSecret != "MARK1" || s.SigningSecretPrevious != "MARK2" || s.BotToken != "xoxb-MARK3" {
		t.Fatal("not read")
	}
	for _, out := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v %s", s, s, s), s.LogValue().String()} {
		if strings.Contains(out, "MARK") {
			t.Errorf("printed: %s", out)
		}
	}
	if _, err := ParseSecrets([]byte(`"MARK4`)); err == nil || strings.Contains(err.Error(), "MARK") {
		t.Errorf("error %v", err)
	}
}

func TestSizeIsCheckedFirst(t *testing.T) {
	t.Parallel()
	body := make([]byte, MaxBody+1)
	if got := refused(t, receiver(t), http.Header{}, body); got.Code != "too_large" || got.Status != 413 {
		t.Fatalf("%v", got)
	}
	if got := refused(t, receiver(t), http.Header{}, body[:MaxBody]); got.Code != "bad_signature" {
		t.Fatalf("%v", got)
	}
}

func TestUnreadableBodies(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", " \n", "{", `{"type":"event_callback"`, `{"type":"event_callback"} x`, "payload=%7B", "payload=x", "%zz", "not json", "a=b", "[]", `"x"`, "5", "payload=[]",
		"payload=" + strings.Repeat("%5B", 20000),
	} {
		h := Sign(testSecret, []byte(body), testNow)
		got := refused(t, receiver(t), h, []byte(body))
		if got.Code != "unreadable" || got.Status != 400 {
			t.Errorf("%.20q: %v", body, got)
		}
	}
}

// No refusal and no reason for a drop repeats anything of what was sent.
func TestNothingOfABodyIsRepeated(t *testing.T) {
	t.Parallel()
	const mark = "MARKED-BODY"
	bodies := []string{
		`{"type":"` + mark + `"`, `{"type":"x","text":"` + mark + `"}`, "payload=" + mark, mark + "=" + mark,
		`payload={"type":"block_actions","actions":[{"value":"` + mark + `"}],"trigger_id":"` + mark + `"}`,
		string(raw(t, envelopeOf(said(obj{"text": mark, "subtype": "message_changed"}), nil))),
		string(raw(t, envelopeOf(said(obj{"text": mark, "user": nil}), nil))),
	}
	for _, body := range bodies {
		d, err := receiver(t).Receive(Sign(testSecret, []byte(body), testNow), []byte(body))
		kept, _ := json.Marshal(d)
		if err != nil && strings.Contains(err.Error(), mark) || strings.Contains(string(kept), mark) {
			t.Errorf("%s: %v, %s", body, err, kept)
		}
		_, err = receiver(t).Receive(http.Header{headerSignature: {mark}, headerTime: {mark}}, []byte(body))
		if err == nil || strings.Contains(err.Error(), mark) {
			t.Errorf("%s: %v", body, err)
		}
	}
}
