package github

import (
	"testing"

	"github.com/postern-dev/postern/shared/domain/actor"
)

func TestBots(t *testing.T) {
	t.Parallel()
	bot := m{"id": 49699333, "login": "dependabot[bot]", "type": "Bot"}
	p := set(set(comment("@postern-agent rebase"), bot, "sender"), bot, "comment", "user")
	if got := triggerOf(t, "issue_comment", p); got.Sender.Kind != actor.Bot || got.Sender.Ref() != "github:49699333" {
		t.Errorf("G22: %+v", got.Sender)
	}
	for name, user := range map[string]m{
		"type only":  {"id": 11, "login": "x", "type": "Bot"},
		"login only": {"id": 11, "login": "x[bot]", "type": "User"},
	} {
		for _, path := range [][]string{{"sender"}, {"comment", "user"}} {
			if got := triggerOf(t, "issue_comment", set(comment("x"), user, path...)); got.Sender.Kind != actor.Bot {
				t.Errorf("%s %v: %+v", name, path, got.Sender)
			}
		}
	}
}

// What we wrote ourselves never comes back in (B11, B45): by the App's bot, by a
// machine user, through the App, or under a person's token.
func TestB45_OwnMessagesAreDropped(t *testing.T) {
	t.Parallel()
	ours := m{"id": 500, "login": "postern-agent[bot]", "type": "Bot"}
	machine := m{"id": 501, "login": "Postern-Agent", "type": "User"}
	for name, p := range map[string]m{
		"bot":       set(set(comment("@postern-agent"), ours, "sender"), ours, "comment", "user"),
		"sender":    set(comment("x"), ours, "sender"),
		"author":    set(comment("x"), ours, "comment", "user"),
		"machine":   set(set(comment("@postern-agent"), machine, "sender"), machine, "comment", "user"),
		"app id":    set(comment("x"), m{"id": 77, "slug": "renamed"}, "comment", "performed_via_github_app"),
		"app slug":  set(comment("x"), m{"id": 78, "slug": "postern-agent"}, "comment", "performed_via_github_app"),
		"marker":    comment("<!-- postern:0123 -->\n@postern-agent said"),
		"a command": comment("<!-- postern:0123 -->/postern allow abc234"),
	} {
		t.Run(name, func(t *testing.T) { dropped(t, "issue_comment", p, "own message") })
	}
	other := set(comment("x"), m{"id": 79, "slug": "someone"}, "comment", "performed_via_github_app")
	if got := triggerOf(t, "issue_comment", other); got.Sender.Kind != actor.Human {
		t.Errorf("%+v", got)
	}
}

// An issue that somebody moved here was not written by who sends it.
func TestSenderIsTheAuthor(t *testing.T) {
	t.Parallel()
	p := set(opened("issue", "@postern-agent"), m{"id": 13, "login": "mallory", "type": "User"}, "sender")
	dropped(t, "issues", p, "sender is not the author")
	p = set(opened("issue", "x"), nil, "issue", "user")
	if got := triggerOf(t, "issues", p); got.Sender.ID != "11" {
		t.Errorf("%+v", got)
	}
	dropped(t, "issues", set(p, m{}, "sender"), "no sender")
}
