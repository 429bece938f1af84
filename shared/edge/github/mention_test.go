package github

import (
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// B44: who is named and who is not. GitHub notifies nobody for code, quotes
// are text of another message, and a part of a longer name is another name.
func TestB44_Mentions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body string
		want bool
	}{
		"alone":                        {"@bot", true},
		"in a sentence":                {"hey @bot, please", true},
		"end of a sentence":            {"ask @bot.", true},
		"dots":                         {"ask @bot... now", true},
		"any case":                     {"@BoT run", true},
		"App's name":                   {"@bot[bot] run", true},
		"second line":                  {"a\n@bot", true},
		"after CJK":                    {"请@bot看一下", true},
		"parentheses":                  {"(@bot)", true},
		"colon":                        {"cc:@bot", true},
		"bold":                         {"**@bot** go", true},
		"italic by underscores":        {"_@bot_ go", true},
		"struck out":                   {"~~@bot~~", true},
		"in a list":                    {"- a\n- @bot", true},
		"deep in a list":               {"1. a\n\n    @bot, still the item", true},
		"in a heading":                 {"# @bot", true},
		"in a table":                   {"|a|b|\n|-|-|\n|@bot|x|", true},
		"after a longer name":          {"@bot-two and @bot", true},
		"after code":                   {"`x` @bot", true},
		"after a quote":                {"> @bot old\n\n@bot new", true},
		"after a closed fence":         {"```\nx\n```\n@bot", true},
		"after a comment":              {"<!-- x -->\n@bot", true},
		"comment that names a tag":     {"<!-- <code> -->\n\n@bot", true},
		"inside a detail":              {"<details>\n\n@bot\n\n</details>", true},
		"after a closed tag":           {"<code>x</code> @bot", true},
		"backslash":                    {`\@bot`, true},
		"lone backtick":                {"a ` b @bot", true},
		"longer name":                  {"@bot-two", false},
		"longer name by digit":         {"@bot2", false},
		"managed user's name":          {"@bot_acme", false},
		"domain":                       {"@bot.dev", false},
		"address":                      {"a@bot.dev", false},
		"address of that name":         {"a@bot", false},
		"team":                         {"@bot/team", false},
		"path":                         {"x/@bot", false},
		"twice at":                     {"@@bot", false},
		"no at":                        {"bot", false},
		"cut off":                      {"@bo", false},
		"empty":                        {"", false},
		"fence":                        {"```\n@bot\n```", false},
		"fence with a language":        {"```sh title=\"@bot\"\n@bot\n```", false},
		"tilde fence":                  {"~~~\n@bot\n~~~", false},
		"open fence":                   {"text\n\n```\n@bot\n\nmore @bot", false},
		"fence longer than its inside": {"````\n```\n@bot\n```\n````", false},
		"fence in a list":              {"- a\n  ```\n  @bot\n  ```", false},
		"indented code":                {"a\n\n    @bot", false},
		"code by tab":                  {"a\n\n\t@bot", false},
		"inline code":                  {"`@bot`", false},
		"two backticks":                {"``a ` @bot``", false},
		"inline over lines":            {"`a\n@bot b`", false},
		"right after code":             {"`x`@bot", false},
		"quote":                        {"> @bot", false},
		"quote continued lazily":       {"> a\n@bot", false},
		"quote in a list":              {"- > @bot", false},
		"quote in a quote":             {">> @bot", false},
		"comment":                      {"<!-- @bot -->", false},
		"inline comment":               {"a <!-- @bot --> b", false},
		"comment over lines":           {"<!--\n\n@bot\n\n-->", false},
		"open comment":                 {"<!-- \n\n@bot", false},
		"tag":                          {"<a title=\"@bot\">x</a>", false},
		"code tag":                     {"<code>@bot</code>", false},
		"pre tag":                      {"<pre>\n@bot\n</pre>", false},
		"quote tag":                    {"<blockquote>\n\n@bot\n\n</blockquote>", false},
		"link's address":               {"[x](https://e.example/@bot)", false},
		"link's title":                 {"[x](/y \"@bot\")", false},
		"link's text":                  {"[@bot](/y)", false},
		"reference":                    {"[x]\n\n[x]: /@bot '@bot'", false},
		"picture":                      {"![@bot](/y)", false},
		"bare address":                 {"https://e.example/?a=@bot", false},
		"pointed address":              {"<https://e.example/?a=@bot>", false},
		"address with parentheses":     {"[x](/a(b)@bot)", false},
		"address in points":            {"[x](</a b@bot>)", false},
		"link in a link's text":        {"[a [b](/c) @bot](/y)", true},
		"reference's text":             {"[@bot][x]\n\n[x]: /y", true},
		"brackets only":                {"[@bot] (x", true},
		"www":                          {"www.e.example/?a=@bot", false},
		"mail to":                      {"<mailto:x?to=@bot>", false},
		"less than":                    {"a <b and @bot", true},
		"arrow":                        {"-> @bot", true},
		"unclosed attribute":           {"<a href='@bot", true},
		"escaped backtick":             {"\\`@bot` x", false},
		"escaped run":                  {"\\``@bot`", false},
		"escaped fence":                {"\\`x @bot", true},
		"nested too deep":              {strings.Repeat("> ", 40) + "x\n\n@bot", false},
		"horizontal rule":              {"- - - - - - - - - -\n@bot", true},
		"long rule":                    {strings.Repeat("-", 80) + "\n@bot", true},
		"long numbers":                 {strings.Repeat("1", 80) + "\n@bot", true},
		"conflict":                     {">>>>>>> main\n\n@bot", true},
		"processing":                   {"a <?php @bot", false},
		"character data":               {"a <![CDATA[ @bot ]]>", false},
		"entity":                       {"&#64;bot", false},
	} {
		want := trigger.NotAt
		if tc.want {
			want = trigger.Mention
		}
		for _, body := range []string{tc.body, strings.ReplaceAll(tc.body, "\n", "\r\n")} {
			if got := named(body, "bot"); got != want {
				t.Errorf("%s: %q is %s, want %s", name, body, got, want)
			}
		}
	}
}

func FuzzMention(f *testing.F) {
	for _, s := range []string{"@bot", "`@bot`", "> @bot", "<!-- @bot -->", "[@bot](x)", "- > ```\n@bot", "<code>@bot", "\x00@bot\xff", "a\t@bot\r\n\r\n    @bot"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got := named(body, "bot")
		if got == trigger.Mention && !strings.Contains(strings.ToLower(body), "@bot") {
			t.Errorf("%q mentions nobody", body)
		}
		// A whole text in a fence that it cannot close names nobody.
		fence := strings.Repeat("`", strings.Count(body, "`")+3)
		if named(fence+"\n"+body+"\n"+fence, "bot") != trigger.NotAt {
			t.Errorf("a mention in code counts: %q", body)
		}
	})
}
