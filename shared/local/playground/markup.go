package playground

import (
	"regexp"
	"strings"
)

// line is one line of a message; span is a stretch of it.
type line struct {
	Kind  string // text, quote, code, small
	Spans []span
}

type span struct {
	Text string
	Href string // http or https, or empty
	Kind string // mention, bold, or empty
}

// slackTag is one of Slack's tags: a person, a channel, a link. What somebody
// wrote has its own signs escaped and is never one.
var slackTag = regexp.MustCompile(`<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>`)

var slackPlain = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// slackLines shows a paragraph as Slack does: fences, quotes, bold, tags.
func slackLines(p paragraph, names map[string]string) []line {
	var out []line
	for i, piece := range strings.Split(p.Text, "```") {
		if i%2 == 1 {
			out = append(out, line{Kind: "code", Spans: []span{{Text: slackPlain.Replace(strings.Trim(piece, "\n"))}}})
			continue
		}
		for text := range strings.Lines(strings.Trim(piece, "\n")) {
			text = strings.TrimSuffix(text, "\n")
			l := line{Kind: "text"}
			if p.Small {
				l.Kind = "small"
			}
			if rest, ok := strings.CutPrefix(text, "> "); ok {
				l.Kind, text = "quote", rest
			}
			bold := ""
			if n := len(text); n > 2 && text[0] == '*' && text[n-1] == '*' {
				text, bold = text[1:n-1], "bold"
			}
			l.Spans = slackSpans(text, bold, names)
			out = append(out, l)
		}
	}
	return out
}

func slackSpans(text, kind string, names map[string]string) []span {
	var out []span
	at := 0
	add := func(s string) {
		if s != "" {
			out = append(out, span{Text: slackPlain.Replace(s), Kind: kind})
		}
	}
	for _, m := range slackTag.FindAllStringSubmatchIndex(text, -1) {
		add(text[at:m[0]])
		at = m[1]
		mark, inside, label := text[m[2]:m[3]], slackPlain.Replace(text[m[4]:m[5]]), ""
		if m[6] >= 0 {
			label = slackPlain.Replace(text[m[6]:m[7]])
		}
		switch {
		case mark == "@":
			name := names[inside]
			if name == "" {
				name = inside
			}
			out = append(out, span{Text: "@" + name, Kind: "mention"})
		case mark != "":
			out = append(out, span{Text: mark + inside, Kind: "mention"})
		default:
			out = append(out, link(inside, label))
		}
	}
	add(text[at:])
	return out
}

// link is a link, if it leads where a browser may go.
func link(to, label string) span {
	if label == "" {
		label = to
	}
	if !strings.HasPrefix(to, "https://") && !strings.HasPrefix(to, "http://") {
		return span{Text: label}
	}
	return span{Text: label, Href: to}
}

// larkTag is one of the tags of Feishu's marked-up text that are live in a
// card: a link or a mention.
var larkTag = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]+)\)|<at (?:user_)?id="?([\w-]+)"?>[^<]*</at>`)

func larkSpans(text string, name func(string) string) []span {
	var out []span
	at := 0
	for _, m := range larkTag.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > at {
			out = append(out, span{Text: text[at:m[0]]})
		}
		at = m[1]
		if m[2] >= 0 {
			out = append(out, link(text[m[4]:m[5]], text[m[2]:m[3]]))
			continue
		}
		out = append(out, span{Text: "@" + name(text[m[6]:m[7]]), Kind: "mention"})
	}
	if at < len(text) {
		out = append(out, span{Text: text[at:]})
	}
	return out
}

func plainLines(text, kind string) []line {
	var out []line
	for l := range strings.Lines(text) {
		out = append(out, line{Kind: kind, Spans: []span{{Text: strings.TrimSuffix(l, "\n")}}})
	}
	return out
}

// beginning is the beginning of a message, to know it again.
func beginning(text string, names map[string]string) string {
	s := ""
	for _, x := range slackSpans(text, "", names) {
		s += x.Text
	}
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
