package github

import (
	"strings"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// maxRead is the most bytes of a text that are searched for a mention: all of
// the 65,536 characters that GitHub takes.
const maxRead = 256 << 10

// named reports whether a Markdown text mentions the agent in its writer's own
// words: not in code of any form, a quote, a comment, a link or an address
// (B44). A text without "@slug" is never parsed.
func named(body, slug string) trigger.Named {
	body = body[:min(len(body), maxRead)]
	var parts []part
	for i := 0; ; i++ {
		at := strings.IndexByte(body[i:], '@')
		if at < 0 {
			return trigger.NotAt
		}
		i += at
		end := i + 1 + len(slug)
		if end > len(body) || !strings.EqualFold(body[i+1:end], slug) || !opens(body[:i]) || !closes(body[end:]) {
			continue
		}
		if parts == nil {
			parts = partsOf(body)
		}
		if parts[i] == prose && parts[end-1] == prose {
			return trigger.Mention
		}
	}
}

// opens judges what stands before the "@".
func opens(before string) bool {
	// "_@bot_" is emphasis; in "a_@bot" the mark is part of a word.
	word := strings.TrimRight(before, "_")
	if word == "" {
		return true
	}
	c := word[len(word)-1]
	return !isAlnum(c) && (len(word) < len(before) || c != '/' && c != '@' && c != '`')
}

// closes judges what stands behind the name: "@bot" is not in "@bot-two",
// "@bot_acme", "@bot.dev" or "@bot/team".
func closes(after string) bool {
	rest := strings.TrimLeft(after, "_")
	if rest == "" {
		return true
	}
	switch c := rest[0]; {
	case isAlnum(c) || c == '-':
		return false
	case c == '.' || c == '/':
		return len(rest) == 1 || !isAlnum(rest[1]) && rest[1] != '_'
	}
	return true
}
