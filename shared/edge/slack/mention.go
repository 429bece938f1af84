package slack

import (
	"strings"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// named says how a message names the agent (G1). Where the bot user is not
// known a message names nobody (fail closed), while an app_mention still does:
// Slack itself says so, and its identity is the message's own, so it can follow
// and count (B05).
func named(m *message, bot loose, kind string) trigger.Named {
	switch {
	case mentions(m, bot):
		return trigger.Mention
	case kind == "direct":
		return trigger.Direct
	}
	return trigger.NotAt
}

// mentions judges by the rich text where there is one, since only that shows
// what is code; else by the text. What is quoted or in code mentions nobody.
func mentions(m *message, bot loose) bool {
	if bot == "" {
		return m.Type == "app_mention"
	}
	rich := false
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Type == "rich_text" {
			rich = true
			if mentionsIn(b.Elements, bot) {
				return true
			}
		}
	}
	return !rich && mentionsInText(string(m.Text), string(bot))
}

func mentionsIn(of []element, bot loose) bool {
	for i := range of {
		e := &of[i]
		switch e.Type {
		case "rich_text_preformatted", "rich_text_quote":
			continue
		case "user":
			if e.User == bot && !e.Code.on() {
				return true
			}
		}
		if mentionsIn(e.Elements, bot) {
			return true
		}
	}
	return false
}

// mentionsInText looks for <@bot> in text as it came, before any unescaping, so
// that a typed &lt;@bot&gt; is no mention (B26). Fenced code, code spans and
// quoted lines are left out; a fence that never closes is none.
func mentionsInText(s, bot string) bool {
	for {
		before, rest, open := strings.Cut(s, "```")
		_, after, closed := strings.Cut(rest, "```")
		if !open || !closed {
			return mentionsInLines(s, bot)
		}
		if mentionsInLines(before, bot) {
			return true
		}
		s = after
	}
}

func mentionsInLines(s, bot string) bool {
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimLeft(line, " \t")
		if strings.HasPrefix(line, "&gt;&gt;&gt;") {
			return false
		}
		if !strings.HasPrefix(line, "&gt;") && mentionsInLine(line, bot) {
			return true
		}
	}
	return false
}

func mentionsInLine(s, bot string) bool {
	for {
		before, rest, open := strings.Cut(s, "`")
		_, after, closed := strings.Cut(rest, "`")
		if !open || !closed {
			return token(s, bot)
		}
		if token(before, bot) {
			return true
		}
		s = after
	}
}

// token reports whether s holds <@bot> or the older <@bot|name>.
func token(s, bot string) bool {
	for {
		_, rest, ok := strings.Cut(s, "<@"+bot)
		if !ok {
			return false
		}
		if rest != "" && (rest[0] == '>' || rest[0] == '|') {
			return true
		}
		s = rest
	}
}
