package policy_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// anyPolicy draws Sources over a small world, well formed or not.
func anyPolicy(t *rapid.T) policy.Policy {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	some := func(label string, from ...string) []string {
		return rapid.SliceOfN(rapid.SampledFrom(from), 0, 3).Draw(t, label)
	}
	p := policy.Policy{Accept: pick("accept", "", "off", "observe", "auto", "yes")}
	for range rapid.IntRange(0, 3).Draw(t, "sources") {
		s := policy.Source{
			Name: pick("name", "a", "b", "c"), Platform: pick("platform", "slack", "github"),
			Accounts: some("accounts", "T1", "T2", "acme", "acme/shop", "Acme/Shop"),
			Listed:   some("listed", "slack:T1/U1", "slack:T1/U2", "slack:T1/B1", "github:11", "github:12"),
			Bots:     some("bots", "slack:T1/B1", "github:77", "dependabot[bot]", "slack:T1/U1"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "rows") {
			s.Scopes = append(s.Scopes, policy.Scope{
				Name:    pick("row", "C1", "C2", "other", "direct", "issues", "comments", "ci"),
				Receive: pick("receive", "", "all", "mentions", "off"), ListedUnnamed: cell(t), UnlistedNamed: cell(t), UnlistedUnnamed: cell(t),
			})
		}
		p.Sources = append(p.Sources, s)
	}
	return p
}

func cell(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "explicit", "inferred", "ignore", "allow"}).Draw(t, "cell")
}

func anyTrigger(t *rapid.T) (trigger.Trigger, policy.Facts) {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	tr := trigger.Trigger{
		Platform: pick("platform", "slack", "github"), Account: pick("account", "T1", "T2", "acme/shop", "acme/infra"),
		Kind: pick("kind", "channel", "direct", "issues", "comments", "ci"), Named: trigger.Named(pick("named", "mention", "direct", "none")),
		Thread: trigger.Place{Channel: pick("channel", "C1", "C2", "C3", "7")},
		Sender: actor.Actor{ID: pick("id", "U1", "U2", "U3", "B1", "11", "12", "77"), Kind: actor.Kind(pick("kind", "human", "bot", "none", "key"))},
	}
	if tr.Sender.Provider = tr.Platform; tr.Platform == "slack" {
		tr.Sender.Workspace = "T1"
	} else {
		tr.Sender.Name = pick("login", "ada", "dependabot[bot]")
	}
	return tr, policy.Facts{HasTicket: rapid.Bool().Draw(t, "ticket"), OnlyContext: rapid.Bool().Draw(t, "context")}
}

var order = map[string]int{policy.NotAdmitted: 0, policy.Inferred: 1, policy.Explicit: 2}

// check runs one property over policies and Triggers of every sort.
func check(t *testing.T, property func(*rapid.T, policy.Policy, trigger.Trigger, policy.Facts, policy.Admission)) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy(t)
		tr, f := anyTrigger(t)
		property(t, p, tr, f, policy.Admit(p, tr, f))
	})
}

func TestPropertyOnlyReceivedIsAdmitted(t *testing.T) {
	check(t, func(t *rapid.T, p policy.Policy, tr trigger.Trigger, f policy.Facts, a policy.Admission) {
		if _, known := order[a.Strength]; !known || a.Reason == "" {
			t.Fatalf("%+v", a)
		}
		if !a.Received && (a.Strength != policy.NotAdmitted || a.Cell != "" || a.Listed) {
			t.Fatalf("%+v", a)
		}
		if a.Received != (a.Received && a.Source != "" && a.Scope != "") {
			t.Fatalf("received by nothing: %+v", a)
		}
	})
}

// An unlisted person is explicit only by a cell that says so (G15).
func TestPropertyG15UnlistedExplicitOnlyByCell(t *testing.T) {
	check(t, func(t *rapid.T, p policy.Policy, tr trigger.Trigger, f policy.Facts, a policy.Admission) {
		if a.Strength == policy.Explicit && !a.Listed && (a.Cell != policy.UnlistedNamed || tr.Named == trigger.NotAt) {
			t.Fatalf("%+v", a)
		}
	})
}

// A bot, and whoever is no person, is never explicit (G22).
func TestPropertyG22BotNeverExplicit(t *testing.T) {
	check(t, func(t *rapid.T, p policy.Policy, tr trigger.Trigger, f policy.Facts, a policy.Admission) {
		if tr.Sender.Kind != actor.Human && a.Strength == policy.Explicit {
			t.Fatalf("%+v", a)
		}
		if tr.Sender.Kind == actor.Bot && a.Cell != "" {
			t.Fatalf("a cell judged a bot: %+v", a)
		}
	})
}

// An empty list means nobody (G18, Q8).
func TestPropertyG18EmptyListMeansNobody(t *testing.T) {
	check(t, func(t *rapid.T, p policy.Policy, tr trigger.Trigger, f policy.Facts, _ policy.Admission) {
		for i := range p.Sources {
			p.Sources[i].Listed, p.Sources[i].Bots = nil, []string{}
			for j := range p.Sources[i].Scopes {
				p.Sources[i].Scopes[j].UnlistedNamed = ""
				p.Sources[i].Scopes[j].UnlistedUnnamed = "ignore"
			}
		}
		f.HasTicket = false
		if a := policy.Admit(p, tr, f); a.Strength != policy.NotAdmitted || a.Listed {
			t.Fatalf("%+v", a)
		}
	})
}

// Weakening one cell, shortening a list or turning the mode off never admits
// more (G17, G21, G30).
func TestPropertyWeakeningNeverAdmitsMore(t *testing.T) {
	check(t, func(t *rapid.T, p policy.Policy, tr trigger.Trigger, f policy.Facts, before policy.Admission) {
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			p.Accept = policy.Off
		case 1:
			for i := range p.Sources {
				p.Sources[i].Listed = nil
				for j := range p.Sources[i].Scopes { // or the unlisted cells apply
					p.Sources[i].Scopes[j].UnlistedNamed, p.Sources[i].Scopes[j].UnlistedUnnamed = "", ""
				}
			}
		case 2:
			for i := range p.Sources {
				p.Sources[i].Bots = nil
			}
		default:
			for i := range p.Sources {
				for j := range p.Sources[i].Scopes {
					row := &p.Sources[i].Scopes[j]
					row.ListedUnnamed, row.UnlistedNamed, row.UnlistedUnnamed = "ignore", weaker(row.UnlistedNamed), ""
				}
			}
		}
		if after := policy.Admit(p, tr, f); order[after.Strength] > order[before.Strength] {
			t.Fatalf("before %+v\nafter %+v", before, after)
		}
	})
}

func weaker(cell string) string {
	if cell == policy.Explicit {
		return policy.Inferred
	}
	return policy.Ignore
}

// A Ticket on the Thread never lowers a person's strength, and one that follows
// for context only changes nothing (G14, G16).
func TestPropertyG16FollowUps(t *testing.T) {
	check(t, func(t *rapid.T, p policy.Policy, tr trigger.Trigger, _ policy.Facts, _ policy.Admission) {
		alone := policy.Admit(p, tr, policy.Facts{})
		follows := policy.Admit(p, tr, policy.Facts{HasTicket: true})
		context := policy.Admit(p, tr, policy.Facts{HasTicket: true, OnlyContext: true})
		if order[follows.Strength] < order[alone.Strength] || context != alone || follows.Received != alone.Received {
			t.Fatalf("alone %+v\nfollows %+v\ncontext %+v", alone, follows, context)
		}
	})
}

// The text, and whatever else a sender writes, changes nothing.
func TestPropertyTextIsNeverAuthority(t *testing.T) {
	check(t, func(t *rapid.T, p policy.Policy, tr trigger.Trigger, f policy.Facts, a policy.Admission) {
		tr.Text, tr.Title = rapid.String().Draw(t, "text"), rapid.String().Draw(t, "title")
		if policy.Admit(p, tr, f) != a {
			t.Fatal("the text decided")
		}
	})
}
