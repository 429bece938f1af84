package policy_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/policy"
)

var queues = policy.Policy{
	Owners: []string{"panel:owner"},
	Paused: []string{"chat"},
	Queues: []policy.Queue{
		{Name: "ops", Approvers: &[]string{"panel:ada"}, Expiry: "48h", Bindings: []policy.Binding{{Surface: "slack", Account: "T1", Channel: "C7", Private: true}}},
		{Name: "shut", Approvers: &[]string{}, Expiry: "never"},
		{Name: "open", Expiry: "3d"},
		{Name: "odd", Expiry: "soon"},
	},
	Sources: []policy.Source{{Name: "chat", Platform: "slack", Accounts: []string{"T1"}, Scopes: []policy.Scope{{Name: "C1"}}}, {Name: "code"}},
}

// TestI12Approvers: the queue's list, else the owners; an empty list means
// nobody, and only an absent one falls through.
func TestI12Approvers(t *testing.T) {
	t.Parallel()
	for queue, want := range map[string]struct {
		refs []string
		from string
	}{
		"ops":     {[]string{"panel:ada"}, "queue ops"},
		"shut":    {nil, "queue shut"},
		"open":    {[]string{"panel:owner"}, "owners"},
		"default": {[]string{"panel:owner"}, "owners"},
		"":        {[]string{"panel:owner"}, "owners"},
		"unknown": {[]string{"panel:owner"}, "owners"},
	} {
		refs, from := queues.Approvers(queue)
		if !slices.Equal(refs, want.refs) || from != want.from {
			t.Errorf("%q: %v from %s", queue, refs, from)
		}
	}
	if refs, _ := (policy.Policy{}).Approvers("default"); len(refs) != 0 {
		t.Errorf("no owners, and yet %v", refs)
	}
}

func TestI20QueuesAndPlaces(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"ops": true, "default": true, "": true, "unknown": false} {
		if q, ok := queues.Queue(name); ok != want || ok && q.Name != or(name, "default") {
			t.Errorf("%q: %+v %v", name, q, ok)
		}
	}
	if at := queues.Places("ops"); len(at) != 1 || at[0].Channel != "C7" {
		t.Errorf("%+v", at)
	}
	if at := queues.Places("unknown"); at != nil {
		t.Errorf("%+v", at)
	}
}

func TestI10Expiry(t *testing.T) {
	t.Parallel()
	if policy.Never != inbox.Never || policy.WithoutSay != inbox.DefaultExpiry {
		t.Fatal("two ideas of never, or of the usual expiry")
	}
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for queue, want := range map[string]time.Time{
		"ops": now.Add(48 * time.Hour), "shut": inbox.Never, "open": now.Add(72 * time.Hour),
		"odd": now.Add(7 * 24 * time.Hour), "default": now.Add(7 * 24 * time.Hour), "unknown": now.Add(7 * 24 * time.Hour),
	} {
		if got := queues.Expiry(queue, now); !got.Equal(want) {
			t.Errorf("%s: %s, want %s", queue, got, want)
		}
	}
}

func TestG51Paused(t *testing.T) {
	t.Parallel()
	all := policy.Policy{Paused: []string{"all"}}
	if !queues.IsPaused("chat") || queues.IsPaused("code") || !all.IsPaused("code") {
		t.Fatal("paused is not what the policy says")
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	if s, ok := queues.Source("chat"); !ok || s.Platform != "slack" {
		t.Fatalf("%+v %v", s, ok)
	}
	if _, ok := queues.Source("nowhere"); ok {
		t.Fatal("found what is not there")
	}
}

// TestI12I26Warnings: a queue that nobody can answer, and one whose cards are
// shown where sessions listen.
func TestI12I26Warnings(t *testing.T) {
	t.Parallel()
	p := queues
	p.Queues = append(slices.Clone(p.Queues), policy.Queue{Name: "mixed", Bindings: []policy.Binding{{Surface: "slack", Account: "T1", Channel: "C1"}}})
	got := p.Warnings()
	if len(got) != 2 || !strings.HasPrefix(got[0], "queue shut: nobody") || !strings.HasPrefix(got[1], "queue mixed: slack C1 is also received by Source chat") {
		t.Fatalf("%q", got)
	}
	if got := (policy.Policy{}).Warnings(); len(got) != 1 || !strings.HasPrefix(got[0], "queue default: nobody") {
		t.Fatalf("%q", got)
	}
}
