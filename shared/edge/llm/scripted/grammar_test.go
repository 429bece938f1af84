package scripted

import (
	"testing"
)

func TestGrammar(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text string
		want [][][2]string // groups of tool and arguments
	}{
		{"hello there", nil},
		{"what do you fetch when you sleep?", nil},
		{"comment on acme/shop#12: looks good", [][][2]string{{{"github_comment", `{"body":"looks good","issue":"acme/shop#12"}`}}}},
		{"[message from Ada]\n@agent please comment on acme/shop#12: hi", [][][2]string{{{"github_comment", `{"body":"hi","issue":"acme/shop#12"}`}}}},
		{"comment on a/b#1: first this; then that\nand more", [][][2]string{{{"github_comment", `{"body":"first this; then that\nand more","issue":"a/b#1"}`}}}},
		{"comment on a/b#1: done then sleep 5", [][][2]string{
			{{"github_comment", `{"body":"done","issue":"a/b#1"}`}},
			{{"sleep_for", `{"note":"scripted model: go on","seconds":5}`}}}},
		{`post "all is well" to #C0OPS`, [][][2]string{{{"slack_send_message", `{"channel":"C0OPS","text":"all is well"}`}}}},
		{"post hello to everyone to <#C0OPS|ops>", [][][2]string{{{"slack_send_message", `{"channel":"C0OPS","text":"hello to everyone"}`}}}},
		{"fetch <https://example.com/a?b=c>.", [][][2]string{{{"web_fetch", `{"url":"https://example.com/a?b=c"}`}}}},
		{"fetch https://example.com/a, then check again in 90 seconds", [][][2]string{
			{{"web_fetch", `{"url":"https://example.com/a"}`}},
			{{"sleep_for", `{"note":"scripted model: go on","seconds":90}`}}}},
		{"ask me which colour [red | blue]?", [][][2]string{{{"ask_user", `{"options":["red","blue"],"question":"which colour"}`}}}},
		{"ask me how it went", [][][2]string{{{"ask_user", `{"question":"how it went"}`}}}},
		{"sleep 5m; wait for 2 hours", [][][2]string{
			{{"sleep_for", `{"note":"scripted model: go on","seconds":300}`}},
			{{"sleep_for", `{"note":"scripted model: go on","seconds":7200}`}}}},
		{"post a to #C1 and also post b to #C2\nfetch https://x.example and then post c to #C3", [][][2]string{
			{{"slack_send_message", `{"channel":"C1","text":"a"}`}, {"slack_send_message", `{"channel":"C2","text":"b"}`}},
			{{"web_fetch", `{"url":"https://x.example"}`}},
			{{"slack_send_message", `{"channel":"C3","text":"c"}`}}}},
		{"and also sleep 1", [][][2]string{{{"sleep_for", `{"note":"scripted model: go on","seconds":1}`}}}},
		{"call github_delete_repo {\"repo\":\"a/b; c\",\n\"x\":1}; sleep 1", [][][2]string{
			{{"github_delete_repo", "{\"repo\":\"a/b; c\",\n\"x\":1}"}},
			{{"sleep_for", `{"note":"scripted model: go on","seconds":1}`}}}},
	}
	for _, c := range cases {
		got := parse(c.text)
		if len(got) != len(c.want) {
			t.Errorf("%q: got %+v", c.text, got)
			continue
		}
		for i := range got {
			if len(got[i]) != len(c.want[i]) {
				t.Errorf("%q: group %d is %+v", c.text, i, got[i])
				continue
			}
			for k, s := range got[i] {
				if s.tool != c.want[i][k][0] || s.arguments != c.want[i][k][1] {
					t.Errorf("%q: got %s %s", c.text, s.tool, s.arguments)
				}
			}
		}
	}
}

func FuzzGrammar(f *testing.F) {
	for _, seed := range []string{"", "comment on a/b#1: x; sleep 5", "call x {", "post \" to #C then", "sleep 999999999d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, group := range parse(text) {
			if len(group) == 0 {
				t.Fatal("an empty group")
			}
			for _, call := range calls(group, 0) {
				if call.Tool == "" || len(call.Arguments) == 0 {
					t.Fatalf("%+v", call)
				}
			}
		}
	})
}
