package github

import (
	"testing"
)

// I25: the whole first line of a created comment, with a code.
func TestI25_AnswerByComment(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][3]string{
		"/postern allow abc234":                      {"code:abc234", "allow", ""},
		"/postern allow ABC234\r\nthanks\r\n":        {"code:abc234", "allow", ""},
		"/postern  deny   abc234   too early \nmore": {"code:abc234", "deny", "too early"},
		"/postern\tdeny abc234":                      {"code:abc234", "deny", ""},
	} {
		d := receive(t, "issue_comment", comment(body))
		a := d.Answer
		if a == nil {
			t.Errorf("%q: dropped as %q", body, d.Drop)
			continue
		}
		if [3]string{a.Item, a.Choice, a.Text} != want || a.Digest != "" || a.Via != "github" || a.Delivery != "guid-1" ||
			a.Actor.Ref() != "github:11" || a.ID != "github:1001:comment:9001:created" {
			t.Errorf("%q: %+v", body, *a)
		}
	}
}

// What is addressed to Postern and cannot be read is no Trigger, and neither
// is a command of a bot or of an App in a person's name (I13).
func TestI25_CommandsThatDoNotCount(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"/postern", "/postern ", "/postern allow", "/postern approve abc234", "/postern allow abc234 please",
		"/postern allow abc23", "/postern allow abc2345", "/postern allow abc018", "/postern allow a-c234", "/postern Allow abc234",
	} {
		dropped(t, "issue_comment", comment(body), "command not understood")
	}
	bot := m{"id": 9, "login": "x[bot]", "type": "Bot"}
	dropped(t, "issue_comment", set(comment("/postern allow abc234"), bot, "sender"), "sender is not the author")
	dropped(t, "issue_comment", set(set(comment("/postern allow abc234"), bot, "sender"), bot, "comment", "user"), "command by a bot")
	via := set(comment("/postern allow abc234"), m{"id": 79, "slug": "other"}, "comment", "performed_via_github_app")
	dropped(t, "issue_comment", via, "command through an app")
	for _, body := range []string{
		"> /postern allow abc234", " /postern allow abc234", "\n/postern allow abc234", "yes\n/postern allow abc234",
		"`/postern allow abc234`", "```\n/postern allow abc234\n```", "/posternallow abc234", "<!-- -->/postern allow abc234",
	} {
		if got := triggerOf(t, "issue_comment", comment(body)); got.Text != body {
			t.Errorf("%q: %+v", body, got)
		}
	}
	// Only comments answer: an issue's own text does not.
	if got := triggerOf(t, "issues", opened("issue", "/postern allow abc234")); got.Kind != "issues" {
		t.Errorf("%+v", got)
	}
}
