package raise

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

var (
	now = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	pol = policy.Policy{Version: 4, Owners: []string{"panel:ada"}, Queues: []policy.Queue{
		{Name: "ops", Expiry: "48h", Bindings: []policy.Binding{{Surface: "slack", Account: "T1", Channel: "CQ", Private: true}, {Surface: "feishu", Account: "cli", Channel: "oc"}}},
		{Name: "nobody", Approvers: &[]string{}}}}
	ses = session.Session{ID: "s1", Persona: "cowork", Queue: "ops", Mode: "interactive", Generation: 3, Correlation: "c",
		Asked: actor.Actor{Provider: "slack", ID: "U1", Kind: actor.Human}}
)

func ask(change func(*Ask)) Ask {
	a := Ask{ID: "i1", Kind: inbox.Approval, Title: "deploy", Tool: "deploy", Digest: "d", Run: "r", Step: 2, Pos: 1, Rule: "mode interactive",
		Body: inbox.Body{Arguments: json.RawMessage(`{"password":"hunter2","a":1}`), Why: "a person has to allow it"}}
	if change != nil {
		change(&a)
	}
	return a
}

// I2, I3: what a commit needs to raise one item: head, body, audit row and one
// row per place.
func TestNew(t *testing.T) {
	t.Parallel()
	r := New(ses, ask(nil), pol, "audit1", now)
	x := r.Item
	if x.Session != "s1" || x.Generation != 3 || x.Queue != "ops" || !x.Expires.Equal(now.Add(48*time.Hour)) || len(x.Places) != 2 || x.Step != 2 || x.Pos != 1 || x.Run != "r" || x.Correlation != "c" {
		t.Errorf("%+v", x)
	}
	if len(r.Actions) != 4 || len(r.All()) != 5 || r.Actions[0].Key.SK != "item" {
		t.Fatalf("%d actions", len(r.Actions))
	}
	body := r.Body.Item
	if !strings.Contains(body["arguments"].Str, "hunter2") || !strings.Contains(body["asked"].Str, "U1") || body["mode"].Str != "interactive" {
		t.Errorf("body: %v", body)
	}
	audit := r.Actions[1].Item
	if strings.Contains(audit["arguments"].Str, "hunter2") || !strings.Contains(audit["arguments"].Str, "[redacted]") || audit["policy"].Str != "4" || audit["what"].Str != "asked" {
		t.Errorf("audit: %v", audit)
	}
	if len(x.Title) > 120 {
		t.Errorf("title of %d bytes", len(x.Title))
	}
}

// I2: the title is one line of at most 120 bytes.
func TestTitle(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"short": "short", "one\ntwo": "one…", "": ""} {
		if got := New(ses, ask(func(a *Ask) { a.Title = in }), pol, "a", now).Item.Title; got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	for _, long := range []string{strings.Repeat("x", 500), strings.Repeat("ü", 500), strings.Repeat("文", 500)} {
		if got := New(ses, ask(func(a *Ask) { a.Title = long }), pol, "a", now).Item.Title; len(got) > 123 || !strings.HasSuffix(got, "…") {
			t.Errorf("%d bytes", len(got))
		}
	}
}

// I20: an approval goes to the queue's places; a question where the work came
// from, if it came from a Thread.
func TestI20_Places(t *testing.T) {
	t.Parallel()
	origin := trigger.Place{Surface: "slack", Account: "T1", Channel: "C1", Thread: "1.1"}
	from := ses
	from.Origin = &origin
	for name, c := range map[string]struct {
		s    session.Session
		kind inbox.Kind
		want int
		at   string
	}{
		"an approval of a thread's work": {from, inbox.Approval, 2, "CQ"},
		"a question of a thread's work":  {from, inbox.Question, 1, "C1"},
		"a question of no thread":        {ses, inbox.Question, 2, "CQ"},
		"a plan":                         {from, inbox.Plan, 2, "CQ"},
	} {
		got := Places(c.s, c.kind, pol)
		if len(got) != c.want || got[0].Channel != c.at {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// I12: an empty list means nobody, which is said when something is to be
// raised; an absent one falls through to the owners.
func TestI12_Nobody(t *testing.T) {
	t.Parallel()
	if why := Nobody(pol, "ops"); why != "" {
		t.Error(why)
	}
	if why := Nobody(pol, "nobody"); !strings.Contains(why, `queue "nobody"`) {
		t.Error(why)
	}
	if why := Nobody(policy.Policy{}, "ops"); !strings.Contains(why, "owners") {
		t.Error(why)
	}
}

// I22: a place shows the text and the arguments where only those who may answer
// read: by its binding, or in the thread that the work came from.
func TestI22_Private(t *testing.T) {
	t.Parallel()
	p := policy.Policy{Queues: []policy.Queue{{Name: "default", Bindings: []policy.Binding{
		{Surface: "slack", Account: "T1", Channel: "CQ", Private: true}, {Surface: "github", Account: "a/b", Channel: "7"}}}}}
	for name, c := range map[string]struct {
		at   trigger.Place
		want bool
	}{
		"a private binding": {trigger.Place{Surface: "slack", Account: "T1", Channel: "CQ"}, true},
		"a public binding":  {trigger.Place{Surface: "github", Account: "a/b", Channel: "7"}, false},
		"no binding":        {trigger.Place{Surface: "slack", Account: "T1", Channel: "C9"}, false},
		"the work's thread": {trigger.Place{Surface: "slack", Account: "T1", Channel: "C9", Thread: "1.1"}, true},
	} {
		if got := private(p, "default", c.at); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
