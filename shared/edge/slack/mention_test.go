package slack

import (
	"testing"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

func namedOf(t *testing.T, more obj) trigger.Named {
	t.Helper()
	return triggerOf(t, envelopeOf(said(more), nil)).Named
}

func TestG1_MentionsInText(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{
		"<@UB> hi":                 true,
		"hi <@UB>":                 true,
		"<@UB|agent> hi":           true,
		"<@UBB> hi":                false,
		"<@ub> hi":                 false,
		"<@U2> and <@UB> hi":       true,
		"@UB hi":                   false,
		"UB":                       false,
		"<!subteam^UB|@x>":         false,
		"<!here> <!channel>":       false,
		"&lt;@UB&gt; hi":           false,
		"see `<@UB>` there":        false,
		"`a` <@UB> `b`":            true,
		"one ` tick <@UB>":         true,
		"```\n<@UB> deploy\n```":   false,
		"```x``` <@UB> ```y```":    true,
		"``` open <@UB>":           true, // a fence that never closes is none
		"&gt; <@UB> deploy":        false,
		"&gt; said\n<@UB> do so":   true,
		"&gt;&gt;&gt; a\n<@UB> b":  false,
		"  &gt; <@UB> deploy":      false,
		"1 &gt; 0, right <@UB>?":   true,
		"<@UB":                     false,
		"<@UB\n> x":                false,
		"line\n`code\n<@UB>` tick": true, // a span ends with its line
	}
	for text, want := range cases {
		if got := namedOf(t, obj{"text": text}) == trigger.Mention; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func section(elements ...any) obj { return obj{"type": "rich_text_section", "elements": elements} }
func rich(elements ...any) []any {
	return []any{obj{"type": "rich_text", "block_id": "b", "elements": elements}}
}

// Where there is rich text it alone decides, since only it shows what is code.
func TestG1_MentionsInRichText(t *testing.T) {
	t.Parallel()
	user := obj{"type": "user", "user_id": "UB"}
	code := obj{"type": "user", "user_id": "UB", "style": obj{"code": true}}
	bold := obj{"type": "user", "user_id": "UB", "style": obj{"bold": true, "code": false}}
	other := obj{"type": "user", "user_id": "U2"}
	typed := obj{"type": "text", "text": "<@UB>"}
	cases := []struct {
		name   string
		blocks any
		want   bool
	}{
		{"plain", rich(section(user)), true},
		{"bold", rich(section(bold)), true},
		{"code span", rich(section(code)), false},
		{"code span and plain", rich(section(code, user)), true},
		{"preformatted", rich(obj{"type": "rich_text_preformatted", "elements": []any{user}}), false},
		{"quoted", rich(obj{"type": "rich_text_quote", "elements": []any{user}}), false},
		{"quoted and plain", rich(obj{"type": "rich_text_quote", "elements": []any{user}}, section(user)), true},
		{"in a list", rich(obj{"type": "rich_text_list", "style": "bullet", "elements": []any{section(other), section(user)}}), true},
		{"somebody else", rich(section(other)), false},
		{"typed as text", rich(section(typed)), false},
		{"unknown parts", rich(obj{"type": "new"}, section(obj{"type": "new", "user_id": "UB"}, user)), true},
		{"other blocks only", []any{obj{"type": "section", "text": obj{"type": "mrkdwn", "text": "x"}}}, true}, // by the text
		{"none", nil, true}, // by the text
	}
	for _, c := range cases {
		if got := namedOf(t, obj{"blocks": c.blocks}) == trigger.Mention; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	// An app_mention whose mention is code is none either.
	if got := namedOf(t, obj{"type": "app_mention", "blocks": rich(section(code))}); got != trigger.NotAt {
		t.Errorf("app_mention in code: %s", got)
	}
}

// A message whose bot user is not known names nobody; the app_mention of the
// same identity does, and can follow.
func TestB05_UnknownBotUserDoesNotClaimTheMention(t *testing.T) {
	t.Parallel()
	for _, auth := range []any{nil, []any{}, []any{obj{"team_id": "T1", "user_id": "UB", "is_bot": false}}, []any{obj{"team_id": "T1", "is_bot": true}}} {
		more := obj{"authorizations": auth}
		m := triggerOf(t, envelopeOf(said(nil), more))
		a := triggerOf(t, envelopeOf(said(obj{"type": "app_mention"}), more))
		if m.Named != trigger.NotAt || a.Named != trigger.Mention || m.ID != a.ID {
			t.Errorf("%v: message %s, app_mention %s, %s, %s", auth, m.Named, a.Named, m.ID, a.ID)
		}
	}
}
