package change_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/postern-dev/postern/cmd/postern/internal/change"
	devpolicy "github.com/postern-dev/postern/infra/policy"
	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/ticket"
)

func parse(t *testing.T, text string) policy.Policy {
	t.Helper()
	p, err := policy.Parse("p.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestU12EachChangeHasItsWords: one change of the file, one line that says it;
// the way back has a line as well.
func TestU12EachChangeHasItsWords(t *testing.T) {
	t.Parallel()
	dev := string(devpolicy.Dev)
	for _, c := range []struct{ old, new, want string }{
		{"owners: [panel:owner]", "owners: [panel:owner, panel:ada]", "owners: panel:ada is new"},
		{"owners: [panel:owner]", "accept: auto\nowners: [panel:owner]", "accept mode: auto, was observe"},
		{"accounts: [T0DEV]", "accounts: [T0DEV, T1]", "Source slack, accounts: T1 is new"},
		{"listed: [slack:T0DEV/U0ADA]", "listed: []", "Source slack, listed people: slack:T0DEV/U0ADA is gone"},
		{"listed: [slack:T0DEV/U0ADA]", "bots: [slack:T0DEV/B1]\n    listed: [slack:T0DEV/U0ADA]", "Source slack, bots: slack:T0DEV/B1 is new"},
		{"listed: [slack:T0DEV/U0ADA]", "persona: ops\n    listed: [slack:T0DEV/U0ADA]", "Source slack, persona: ops, was cowork"},
		{"listed: [slack:T0DEV/U0ADA]", "mode: auto\n    listed: [slack:T0DEV/U0ADA]", "Source slack, mode: auto, was interactive"},
		{"listed: [slack:T0DEV/U0ADA]", "model: openai:x\n    listed: [slack:T0DEV/U0ADA]", "Source slack, model: openai:x, was none"},
		{"listed: [slack:T0DEV/U0ADA]", "tell_refused: true\n    listed: [slack:T0DEV/U0ADA]", "Source slack: who named the agent and is not admitted is told so"},
		{"receive: mentions", "receive: all", "Source slack, row C0OPS, receive: all, was mentions"},
		{"receive: mentions", "receive: mentions\n        unlisted_named: explicit", "Source slack, row C0OPS, others who name the agent: explicit, was ignore"},
		{"receive: mentions", "receive: all\n        unlisted_unnamed: inferred", "Source slack, row C0OPS, others who do not name the agent: inferred, was ignore"},
		{"receive: mentions", "receive: all\n        listed_unnamed: ignore", "Source slack, row C0OPS, listed people who do not name the agent: ignore, was inferred"},
		{"- name: comments", "- name: comments\n      - name: ci\n        receive: all", "Source github, row ci is new"},
		{"      - panel:ada\n", "", "queue default, approvers: panel:ada is gone"},
		{"private: true", "private: false", "queue default, shown at: slack T0DEV C0APPROVALS without arguments is new"},
		{"  - name: default\n", "  - name: default\n    expiry: 48h\n", "queue default, expiry: 48h, was 7 days"},
		{"  - name: default\n", "  - name: default\n    no_self: true\n", "queue default: requesters may not approve their own"},
		{"queues:\n", "queues:\n  - name: night\n    approvers: []\n", "queue night is new"},
		{"queues:\n", "queues:\n  - name: night\n    approvers: []\n", "queue night, approvers: nobody now, instead of the owners"},
	} {
		text := strings.Replace(dev, c.old, c.new, 1)
		if text == dev {
			t.Fatalf("nothing replaced for %q", c.want)
		}
		was, is := parse(t, dev), parse(t, text)
		if got := change.Words(was, is); !slices.Contains(got, c.want) {
			t.Errorf("want %q in %q", c.want, got)
		}
		if got := change.Words(is, was); len(got) == 0 {
			t.Errorf("the way back of %q says nothing", c.want)
		}
	}
}

// TestSameSaysNothing: what says the same in other words is no change.
func TestSameSaysNothing(t *testing.T) {
	t.Parallel()
	dev := string(devpolicy.Dev)
	is := strings.Replace(dev, "receive: mentions", "receive: mentions\n        unlisted_named: ignore", 1)
	is = strings.Replace(is, "listed: [slack:T0DEV/U0ADA]", "persona: cowork\n    mode: interactive\n    queue: default\n    listed: [slack:T0DEV/U0ADA]", 1)
	if strings.Contains(is, "receive: all") || is == dev {
		t.Fatal("nothing replaced")
	}
	if got := change.Words(parse(t, dev), parse(t, is)); len(got) != 0 {
		t.Fatalf("%q", got)
	}
	whole := change.Words(policy.Policy{}, parse(t, dev))
	for _, want := range []string{"Source slack is new", "queue default is new", "owners: panel:owner is new", "Source slack, listed people: slack:T0DEV/U0ADA is new"} {
		if !slices.Contains(whole, want) {
			t.Errorf("no %q in %q", want, whole)
		}
	}
}

// TestG34Affected: the three ways in which a policy touches an open ticket.
func TestG34Affected(t *testing.T) {
	t.Parallel()
	ada := actor.Actor{Provider: "slack", Workspace: "T0DEV", ID: "U0ADA"}
	eve := actor.Actor{Provider: "slack", Workspace: "T0DEV", ID: "U0EVE"}
	m := func(who actor.Actor, basis, source, scope string) ticket.Mandate {
		return ticket.Mandate{Basis: basis, Source: source, Scope: scope, Initiator: who}
	}
	dev := parse(t, string(devpolicy.Dev))
	open := parse(t, strings.Replace(string(devpolicy.Dev), "receive: mentions", "receive: mentions\n        unlisted_named: explicit", 1))
	auto := dev
	auto.Accept = policy.Auto
	for name, c := range map[string]struct {
		p    policy.Policy
		tk   ticket.Ticket
		want string
	}{
		"untouched":                {dev, ticket.Ticket{State: ticket.Open, Mandate: m(ada, "explicit", "slack", "C0OPS")}, ""},
		"the Source is gone":       {dev, ticket.Ticket{State: ticket.Open, Mandate: m(ada, "explicit", "old", "C0OPS")}, "Source old is gone"},
		"the row is gone":          {dev, ticket.Ticket{State: ticket.Open, Mandate: m(ada, "explicit", "slack", "C1")}, "row C1"},
		"the initiator is gone":    {dev, ticket.Ticket{State: ticket.Open, Mandate: m(eve, "explicit", "slack", "C0OPS")}, "may no longer start work"},
		"a cell still lets him in": {open, ticket.Ticket{State: ticket.Open, Mandate: m(eve, "explicit", "slack", "C0OPS")}, ""},
		"unasked work, observe":    {dev, ticket.Ticket{State: ticket.Open, Mandate: m(ada, "inferred", "slack", "C0OPS")}, "no longer accepted"},
		"unasked work, auto":       {auto, ticket.Ticket{State: ticket.Open, Mandate: m(ada, "inferred", "slack", "C0OPS")}, ""},
		"ended":                    {dev, ticket.Ticket{State: ticket.Ended, Mandate: m(eve, "explicit", "slack", "C0OPS")}, ""},
	} {
		got := strings.Join(change.Affected(c.p, []ticket.Ticket{c.tk}), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
