package policy_test

import (
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// places is a policy with every sort of row.
var places = policy.Policy{Accept: "auto", Sources: []policy.Source{
	{Name: "slack-wide", Platform: "slack", Accounts: []string{"T1"}, Listed: []string{"slack:T1/U1"},
		Scopes: []policy.Scope{{Name: "other", Receive: "mentions"}, {Name: "direct"}}},
	{Name: "slack-ops", Platform: "slack", Accounts: []string{"T1"}, Listed: []string{"slack:T1/U1"},
		Scopes: []policy.Scope{{Name: "C1", Receive: "all"}, {Name: "C2", Receive: "off"}}},
	{Name: "slack-quiet", Platform: "slack", Accounts: []string{"T2"}, Listed: []string{"slack:T2/U1"},
		Scopes: []policy.Scope{{Name: "C1"}, {Name: "other"}}},
	{Name: "feishu", Platform: "feishu", Accounts: []string{"cli_1", "cli_2"}, Listed: []string{"feishu:cli_1/ou_1"},
		Scopes: []policy.Scope{{Name: "oc_1", Receive: "all"}}},
	{Name: "acme", Platform: "github", Accounts: []string{"Acme"}, Listed: []string{"github:11"},
		Scopes: []policy.Scope{{Name: "issues"}, {Name: "comments", Receive: "all"}}},
	{Name: "shop", Platform: "github", Accounts: []string{"acme/Shop"}, Listed: []string{"github:11"},
		Bots:   []string{"Dependabot[bot]", "github:77"},
		Scopes: []policy.Scope{{Name: "issues", Receive: "off"}, {Name: "pull_requests"}, {Name: "ci", Receive: "all", UnlistedUnnamed: "inferred"}}},
}}

func chat(platform, account, kind, channel string, named trigger.Named) trigger.Trigger {
	by := actor.Actor{Provider: platform, Workspace: account, ID: "U1", Kind: actor.Human}
	if platform == "feishu" {
		by.ID = "ou_1"
	}
	return trigger.Trigger{Platform: platform, Account: account, Kind: kind, Named: named, Sender: by,
		Thread: trigger.Place{Surface: platform, Account: account, Channel: channel}}
}

func code(repo, kind string, named trigger.Named) trigger.Trigger {
	return trigger.Trigger{Platform: "github", Account: repo, Kind: kind, Named: named,
		Sender: actor.Actor{Provider: "github", ID: "11", Name: "ada", Kind: actor.Human},
		Thread: trigger.Place{Surface: "github", Account: repo, Channel: "7"}}
}

// TestG20WhichRow: the row that judges a Trigger, and whether it is received.
func TestG20WhichRow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		t           trigger.Trigger
		source, row string
		received    bool
	}{
		"a channel's own row, although other comes first": {chat("slack", "T1", "channel", "C1", trigger.NotAt), "slack-ops", "C1", true},
		"a channel that is off is not judged by other":    {chat("slack", "T1", "channel", "C2", trigger.Mention), "slack-ops", "C2", false},
		"another channel":                                {chat("slack", "T1", "channel", "C3", trigger.Mention), "slack-wide", "other", true},
		"another channel, not naming":                    {chat("slack", "T1", "channel", "C3", trigger.NotAt), "slack-wide", "other", false},
		"a private chat":                                 {chat("slack", "T1", "direct", "D1", trigger.Direct), "slack-wide", "direct", true},
		"a private chat where no row says so":            {chat("slack", "T2", "direct", "D1", trigger.Direct), "", "", false},
		"other is off unless it says mentions":           {chat("slack", "T2", "channel", "C3", trigger.Mention), "slack-quiet", "other", false},
		"the same channel id of another team":            {chat("slack", "T2", "channel", "C1", trigger.Mention), "slack-quiet", "C1", true},
		"a team nobody listens to":                       {chat("slack", "T3", "channel", "C1", trigger.Mention), "", "", false},
		"team ids keep their case":                       {chat("slack", "t1", "channel", "C1", trigger.Mention), "", "", false},
		"no team":                                        {chat("slack", "", "channel", "C1", trigger.Mention), "", "", false},
		"a channel called like a row of private chats":   {chat("slack", "T1", "channel", "direct", trigger.Mention), "slack-wide", "other", true},
		"a kind of place that nobody knows":              {chat("slack", "T1", "huddle", "C1", trigger.Mention), "", "", false},
		"Slack's id on Feishu":                           {chat("feishu", "T1", "channel", "C1", trigger.Mention), "", "", false},
		"a Feishu chat":                                  {chat("feishu", "cli_1", "channel", "oc_1", trigger.NotAt), "feishu", "oc_1", true},
		"a Source's second account":                      {chat("feishu", "cli_2", "channel", "oc_1", trigger.Mention), "feishu", "oc_1", true},
		"a Feishu chat without a row":                    {chat("feishu", "cli_1", "channel", "oc_2", trigger.Mention), "", "", false},
		"owner/repo before owner":                        {code("acme/shop", "issues", trigger.Mention), "shop", "issues", false},
		"owner where owner/repo has no row":              {code("acme/shop", "comments", trigger.NotAt), "acme", "comments", true},
		"another repository of the owner, whatever case": {code("ACME/infra", "issues", trigger.Mention), "acme", "issues", true},
		"an issue that names nobody":                     {code("acme/infra", "issues", trigger.NotAt), "acme", "issues", false},
		"an owner with the same beginning":               {code("acme2/shop", "issues", trigger.Mention), "", "", false},
		"a repository with the same beginning":           {code("acme/shop2", "pull_requests", trigger.Mention), "", "", false},
		"a pull request":                                 {code("acme/shop", "pull_requests", trigger.Mention), "shop", "pull_requests", true},
		"a scope that GitHub does not have":              {code("acme/shop", "channel", trigger.Mention), "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := policy.Admit(places, c.t, policy.Facts{})
			if got.Source != c.source || got.Scope != c.row || got.Received != c.received || got.Reason == "" {
				t.Fatalf("%+v", got)
			}
			if !got.Received && got.Strength != policy.NotAdmitted {
				t.Fatalf("not received, and %s", got.Strength)
			}
		})
	}
}

// TestG52NoSource: with no Source nothing is received and nothing minds.
func TestG52NoSource(t *testing.T) {
	t.Parallel()
	if got := policy.Admit(policy.Policy{}, code("acme/shop", "issues", trigger.Mention), policy.Facts{HasTicket: true}); got.Received || got.Source != "" {
		t.Fatalf("%+v", got)
	}
}

// TestG19CI: a CI result has no sender; its row has only the last cell, and a
// Ticket on its Thread gives it nothing.
func TestG19CI(t *testing.T) {
	t.Parallel()
	result := code("acme/shop", "ci", trigger.NotAt)
	result.Sender = actor.Actor{Kind: actor.None}
	for _, f := range []policy.Facts{{}, {HasTicket: true}} {
		got := policy.Admit(places, result, f)
		if got.Strength != policy.Inferred || got.Cell != policy.UnlistedUnnamed {
			t.Fatalf("%+v", got)
		}
	}
	for receive, cell := range map[string]string{"": "inferred", "mentions": "inferred", "off": "inferred", "all": "ignore"} {
		p := places
		p.Sources = []policy.Source{{Name: "shop", Platform: "github", Accounts: []string{"acme/shop"},
			Scopes: []policy.Scope{{Name: "ci", Receive: receive, UnlistedUnnamed: cell, ListedUnnamed: "inferred", UnlistedNamed: "explicit"}}}}
		if got := policy.Admit(p, result, policy.Facts{HasTicket: true}); got.Strength != policy.NotAdmitted || got.Received != (receive == "all") {
			t.Fatalf("receive %q: %+v", receive, got)
		}
	}
	// Whoever is said to have sent it: a person is judged as nobody there.
	result.Sender = actor.Actor{Provider: "github", ID: "11", Kind: actor.Human}
	result.Named = trigger.Mention
	if got := policy.Admit(places, result, policy.Facts{}); got.Strength != policy.Inferred || got.Listed {
		t.Fatalf("%+v", got)
	}
}

// TestG22GitHubApps: a login that ends in [bot] is a bot whatever else is said
// of it; the list takes its login or its ref.
func TestG22GitHubApps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by   actor.Actor
		want string
	}{
		"listed by login":                       {actor.Actor{Provider: "github", ID: "49699333", Name: "dependabot[bot]", Kind: actor.Bot}, policy.Inferred},
		"listed by id":                          {actor.Actor{Provider: "github", ID: "77", Name: "renovate[bot]", Kind: actor.Bot}, policy.Inferred},
		"not listed":                            {actor.Actor{Provider: "github", ID: "78", Name: "other[bot]", Kind: actor.Bot}, policy.NotAdmitted},
		"a person's name like an App's":         {actor.Actor{Provider: "github", ID: "79", Name: "dependabot[bot]", Kind: actor.Human}, policy.NotAdmitted},
		"a listed person's id with a bot login": {actor.Actor{Provider: "github", ID: "11", Name: "ada[bot]", Kind: actor.Human}, policy.NotAdmitted},
		"a bot with a listed person's id":       {actor.Actor{Provider: "github", ID: "11", Name: "ada", Kind: actor.Bot}, policy.NotAdmitted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := code("acme/shop", "pull_requests", trigger.Mention)
			tr.Sender = c.by
			if got := policy.Admit(places, tr, policy.Facts{HasTicket: true}); got.Strength != c.want || got.Listed {
				t.Fatalf("%+v", got)
			}
		})
	}
}
