package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// The people and bots of these tests, and a policy that lists some of them.
var (
	ada     = actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Kind: actor.Human}
	mallory = actor.Actor{Provider: "slack", Workspace: "T1", ID: "U9", Kind: actor.Human}
	pager   = actor.Actor{Provider: "slack", Workspace: "T1", ID: "B1", Kind: actor.Bot}
	noise   = actor.Actor{Provider: "slack", Workspace: "T1", ID: "B9", Kind: actor.Bot}
)

func onePolicy(accept string, row policy.Scope) policy.Policy {
	return policy.Policy{Accept: accept, Sources: []policy.Source{{
		Name: "chat", Platform: "slack", Accounts: []string{"T1"}, Scopes: []policy.Scope{row},
		Listed: []string{"slack:T1/U1", "slack:T1/B1"}, Bots: []string{"slack:T1/B1"},
	}}}
}

func said(by actor.Actor, named trigger.Named) trigger.Trigger {
	return trigger.Trigger{Platform: "slack", Account: "T1", Kind: "channel", Sender: by, Named: named,
		Thread: trigger.Place{Surface: "slack", Account: "T1", Channel: "C1", Thread: "1.1"}}
}

// TestG14G15G17G19EveryCombination holds Admit against the table of G14 read as
// claims: each clause that applies claims a strength, explicit outranks
// inferred, and the mode off takes inferred away.
func TestG14G15G17G19EveryCombination(t *testing.T) {
	t.Parallel()
	var n int
	none := []string{"", "inferred", "ignore"}
	for _, receive := range []string{"", "mentions", "all"} {
		for _, accept := range []string{"", "off", "observe", "auto"} {
			for _, lu := range none {
				for _, un := range append([]string{"explicit"}, none...) {
					for _, uu := range none {
						p := onePolicy(accept, policy.Scope{Name: "C1", Receive: receive, ListedUnnamed: lu, UnlistedNamed: un, UnlistedUnnamed: uu})
						for _, by := range []actor.Actor{ada, mallory, pager, noise} {
							for _, named := range []trigger.Named{trigger.Mention, trigger.Direct, trigger.NotAt} {
								for _, f := range []policy.Facts{{}, {HasTicket: true}, {OnlyContext: true}, {HasTicket: true, OnlyContext: true}} {
									n++
									if say := againstTheTable(p, said(by, named), f); say != "" {
										t.Fatalf("receive %q accept %q cells %q %q %q by %s named %s %+v: %s", receive, accept, lu, un, uu, by.ID, named, f, say)
									}
								}
							}
						}
					}
				}
			}
		}
	}
	if n != 3*4*3*4*3*4*3*4 {
		t.Fatalf("%d combinations", n)
	}
}

func againstTheTable(p policy.Policy, tr trigger.Trigger, f policy.Facts) string {
	got := policy.Admit(p, tr, f)
	row := p.Sources[0].Scopes[0]
	named, all := tr.Named != trigger.NotAt, row.Receive == "all"
	listed, bot := tr.Sender.ID == "U1", tr.Sender.Kind == actor.Bot
	follows := f.HasTicket && !f.OnlyContext // G16
	if !named && !all {                      // G19
		if got.Received || got.Strength != "not_admitted" || got.Cell != "" {
			return fmt.Sprintf("received what names nobody: %+v", got)
		}
		return ""
	}
	cellName, cell := "", ""
	switch {
	case bot || listed && named: // G18, G19
	case listed:
		cellName, cell = "listed_unnamed", or(row.ListedUnnamed, "inferred")
	case named:
		cellName, cell = "unlisted_named", or(row.UnlistedNamed, "ignore")
	default:
		cellName, cell = "unlisted_unnamed", or(row.UnlistedUnnamed, "ignore")
	}
	explicit := !bot && (listed && (named || follows) || cell == "explicit")
	inferred := cell == "inferred" || !bot && !listed && follows || bot && tr.Sender.ID == "B1"
	want := "not_admitted"
	if explicit {
		want = "explicit"
	} else if inferred && p.Accept != "off" {
		want = "inferred"
	}
	wantCell := cellName
	if follows && cell != "explicit" {
		wantCell = "" // the follow-up decided, not the cell
	}
	switch {
	case !got.Received || got.Source != "chat" || got.Scope != "C1":
		return fmt.Sprintf("not received: %+v", got)
	case got.Strength != want:
		return fmt.Sprintf("want %s: %+v", want, got)
	case got.Cell != wantCell:
		return fmt.Sprintf("want cell %q: %+v", wantCell, got)
	case got.Cell != "" && !strings.Contains(got.Reason, got.Cell) || !strings.Contains(got.Reason, "G"):
		return fmt.Sprintf("the reason names neither cell nor rule: %+v", got)
	case got.Listed != listed:
		return fmt.Sprintf("listed: %+v", got)
	}
	return ""
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// TestAdmitUnknown: what Admit does not know admits nobody (Q8).
func TestAdmitUnknown(t *testing.T) {
	t.Parallel()
	all := policy.Scope{Name: "C1", Receive: "all", UnlistedNamed: "explicit", UnlistedUnnamed: "inferred"}
	for name, c := range map[string]struct {
		row    policy.Scope
		accept string
		by     actor.Actor
		named  trigger.Named
	}{
		"a kind of sender":          {all, "auto", actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1", Kind: "robot"}, trigger.Mention},
		"no kind":                   {all, "auto", actor.Actor{Provider: "slack", Workspace: "T1", ID: "U1"}, trigger.Mention},
		"no sender outside of CI":   {all, "auto", actor.Actor{Kind: actor.None}, trigger.NotAt},
		"a key":                     {all, "auto", actor.Actor{Provider: "key", ID: "k1", Kind: actor.Key}, trigger.Mention},
		"Postern itself":            {all, "auto", actor.System("gate"), trigger.Mention},
		"an accept mode":            {all, "yes", mallory, trigger.NotAt},
		"a cell's value":            {policy.Scope{Name: "C1", UnlistedNamed: "allow"}, "auto", mallory, trigger.Mention},
		"a cell that takes no such": {policy.Scope{Name: "C1", Receive: "all", UnlistedUnnamed: "explicit"}, "auto", mallory, trigger.NotAt},
		"a listed cell likewise":    {policy.Scope{Name: "C1", Receive: "all", ListedUnnamed: "explicit"}, "auto", ada, trigger.NotAt},
		"a way of receiving":        {policy.Scope{Name: "C1", Receive: "everything"}, "auto", ada, trigger.Mention},
		"a way of naming":           {policy.Scope{Name: "C1"}, "auto", ada, "reaction"},
		"a person without an id":    {policy.Scope{Name: "C1"}, "auto", actor.Actor{Provider: "slack", Workspace: "T1", Kind: actor.Human}, trigger.Mention},
		"another workspace's id":    {policy.Scope{Name: "C1"}, "auto", actor.Actor{Provider: "slack", Workspace: "T2", ID: "U1", Kind: actor.Human}, trigger.Mention},
		"another provider's id":     {policy.Scope{Name: "C1"}, "auto", actor.Actor{Provider: "feishu", Workspace: "T1", ID: "U1", Kind: actor.Human}, trigger.Mention},
		"a row that is off":         {policy.Scope{Name: "C1", Receive: "off"}, "auto", ada, trigger.Mention},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := policy.Admit(onePolicy(c.accept, c.row), said(c.by, c.named), policy.Facts{})
			if got.Strength != "not_admitted" || got.Reason == "" {
				t.Fatalf("%+v", got)
			}
		})
	}
}

func BenchmarkAdmit(b *testing.B) {
	for _, people := range []int{1, 100, 1000} {
		p := onePolicy("observe", policy.Scope{Name: "C1", Receive: "all"})
		p.Sources[0].Scopes = append([]policy.Scope{{Name: "other", Receive: "mentions"}, {Name: "direct"}, {Name: "C0"}}, p.Sources[0].Scopes...)
		p.Sources = append([]policy.Source{{Name: "code", Platform: "github", Accounts: []string{"acme"}, Scopes: []policy.Scope{{Name: "issues"}}}}, p.Sources...)
		var list []string
		for i := range people - 1 {
			list = append(list, fmt.Sprintf("slack:T1/V%d", 1000+i))
		}
		p.Sources[1].Listed = append(list, "slack:T1/U1") // the last one
		for name, by := range map[string]actor.Actor{"listed": ada, "unlisted": mallory} {
			b.Run(fmt.Sprintf("people=%d/%s", people, name), func(b *testing.B) {
				tr := said(by, trigger.Mention)
				b.ReportAllocs()
				for b.Loop() {
					policy.Admit(p, tr, policy.Facts{HasTicket: true})
				}
			})
		}
	}
}
