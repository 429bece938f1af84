package event_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/cmd/postern/internal/event"
	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/slack"
)

var now = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func samples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../../../events/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d event files: %v", len(files), err)
	}
	return files
}

func read(t *testing.T, name string) event.File {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := event.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// receive hands a file to its platform's real receiver at now.
func receive(t *testing.T, f event.File) error {
	t.Helper()
	s, clock := event.DevSecrets(), func() time.Time { return now }
	var err error
	switch f.Platform {
	case "slack":
		r, e := slack.NewReceiver(*s.Slack, s.LinkKey, clock)
		if e != nil {
			t.Fatal(e)
		}
		_, err = r.Receive(f.Header, f.Body)
	case "feishu":
		r, e := feishu.NewReceiver(*s.Feishu, s.LinkKey, clock)
		if e != nil {
			t.Fatal(e)
		}
		_, err = r.Receive(f.Header, f.Body)
	case "github":
		r, e := github.NewReceiver(*s.GitHub, s.LinkKey, clock)
		if e != nil {
			t.Fatal(e)
		}
		_, err = r.Receive(f.Header, f.Body)
	default:
		t.Fatalf("no platform: %q", f.Platform)
	}
	return err
}

// TestSignAndWrite: each event file, signed at now, written and read again, is
// accepted by its platform's receiver, and holds the same body.
func TestSignAndWrite(t *testing.T) {
	t.Parallel()
	for _, name := range samples(t) {
		f := read(t, name)
		if f.Platform != strings.SplitN(filepath.Base(name), "-", 2)[0] || f.Method != "POST" || f.At.IsZero() {
			t.Errorf("%s: platform %q, method %s, at %s", name, f.Platform, f.Method, f.At)
			continue
		}
		signed, err := event.DevSecrets().Sign(f, now)
		if err != nil {
			t.Fatal(name, err)
		}
		text, err := signed.Write()
		if err != nil {
			t.Fatal(name, err)
		}
		again, err := event.Read(text)
		if err != nil {
			t.Fatal(name, err)
		}
		if !bytes.Equal(again.Body, f.Body) || !again.At.Equal(now) || again.Platform != f.Platform {
			t.Errorf("%s: something else was written", name)
		}
		for h := range f.Header {
			if again.Header.Get(h) == "" {
				t.Errorf("%s: header %s is lost", name, h)
			}
		}
		if err := receive(t, again); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSignTwice: signing at the same time again changes nothing.
func TestSignTwice(t *testing.T) {
	t.Parallel()
	for _, name := range samples(t) {
		var texts [2][]byte
		f := read(t, name)
		for i := range texts {
			signed, err := event.DevSecrets().Sign(f, now)
			if err != nil {
				t.Fatal(err)
			}
			if texts[i], err = signed.Write(); err != nil {
				t.Fatal(err)
			}
			if f, err = event.Read(texts[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(texts[0], texts[1]) {
			t.Errorf("%s: signed again it is another file", name)
		}
	}
}

func TestSignSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	parse := func(s string) event.File {
		f, err := event.Read([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	const rc = `"requestContext":{"http":{"method":"POST"}}`
	for say, f := range map[string]event.File{
		"rawPath":        parse(`{"rawPath":"/x",` + rc + `}`),
		"x-github-event": parse(`{"rawPath":"/hooks/github",` + rc + `}`),
	} {
		if _, err := event.DevSecrets().Sign(f, now); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("want %s: %v", say, err)
		}
	}
	s := event.DevSecrets()
	s.Slack = nil
	if _, err := s.Sign(parse(`{"rawPath":"/hooks/slack",`+rc+`}`), now); err == nil || !strings.Contains(err.Error(), "no secrets of slack") {
		t.Error(err)
	}
}

// TestPlatformByHeaders: a delivery that came by another path is known by its
// headers; one that cannot be known has no platform.
func TestPlatformByHeaders(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"x-slack-signature": "slack", "x-lark-signature": "feishu", "x-github-event": "github", "x-hub-signature-256": "github", "x-other": "",
	} {
		f, err := event.Read([]byte(`{"rawPath":"/in","headers":{"` + header + `":"x"},"requestContext":{"http":{"method":"POST"}}}`))
		if err != nil || f.Platform != want {
			t.Errorf("%s: %q %v", header, f.Platform, err)
		}
	}
}

func TestNotAnEvent(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "null", "3", "{", `{"a":1}`, `{"requestContext":7}`, `{"requestContext":{}}`, `{"version":"1.0","httpMethod":"POST"}`} {
		var no *event.NotAnEvent
		if _, err := event.Read([]byte(s)); !errors.As(err, &no) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// TestCurl: the shell makes of the command exactly the request.
func TestCurl(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	f := read(t, "../../../../events/slack-app_mention.json")
	f.Body = []byte(`{"text":"it's $HOME ` + "`id`" + ` \\ \n \"x\" !"}` + "\n")
	f, err = event.DevSecrets().Sign(f, now)
	if err != nil {
		t.Fatal(err)
	}
	command, err := f.Curl("http://127.0.0.1:7171/")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(sh, "-c", `curl() { for a; do printf '%s\0' "$a"; done; }
`+command).Output()
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Split(string(out), "\x00")
	has := func(s string) bool {
		for _, a := range args {
			if a == s {
				return true
			}
		}
		return false
	}
	for _, want := range []string{"http://127.0.0.1:7171/hooks/slack", string(f.Body), "X-Slack-Signature: " + f.Header.Get("X-Slack-Signature"), "Content-Type: application/json"} {
		if !has(want) {
			t.Errorf("no argument %q in %q", want, args)
		}
	}
	f.Body = []byte{0}
	if _, err := f.Curl("x"); err == nil {
		t.Error("a body with a zero byte became a command")
	}
}

// TestParseSecrets: only what is given is configured, and no error repeats a
// value.
func TestParseSecrets(t *testing.T) {
	t.Parallel()
	s, err := event.ParseSecrets([]byte(`{"slack":{"signing_secret":"s1"},"link":{"key":"k1"}}`))
	if err != nil || s.Slack.SigningSecret != "s1" || s.Feishu != nil || s.GitHub != nil || string(s.LinkKey) != "k1" {
		t.Fatalf("%v %v", s.Slack, err)
	}
	for _, bad := range []string{"", "{}", `{"slack":"hush"}`, `{"slack":{"signing_secret":["hush"]}}`, `[]`} {
		if _, err := event.ParseSecrets([]byte(bad)); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
