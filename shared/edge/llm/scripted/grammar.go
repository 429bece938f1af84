package scripted

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// step is one instruction: a tool call and the words for it.
type step struct {
	tool      string
	arguments string // JSON, or what a person wrote instead
	doing     string // "comment on acme/shop#1", for what was not done
	did       string // "commented on acme/shop#1"
	sleeps    bool
}

// joints are what instructions are joined by; the first group holds the one
// that joins into one message.
var joints = regexp.MustCompile(`(?i)(,?\s+and also\s+)|\s*;\s*|\s*\n\s*|,?\s+(?:and\s+)?then\s+`)

// parse reads the instructions of a message, in groups: the calls of one
// message each.
func parse(text string) [][]step {
	type part struct {
		text string
		with bool // joined to the one before by "and also"
	}
	var parts []part
	add := func(joint, piece string, with bool) {
		if n := len(parts); n > 0 && read(piece) == nil {
			parts[n-1].text += joint + piece // no instruction: text of the one before
		} else if read(piece) != nil {
			parts = append(parts, part{piece, with && n > 0})
		}
	}
	at, joint, with := 0, "", false
	for _, found := range joints.FindAllStringSubmatchIndex(text, -1) {
		add(joint, text[at:found[0]], with)
		at, joint, with = found[1], text[found[0]:found[1]], found[2] >= 0
	}
	add(joint, text[at:], with)

	var groups [][]step
	for _, p := range parts {
		s := read(p.text)
		if p.with {
			groups[len(groups)-1] = append(groups[len(groups)-1], *s)
		} else {
			groups = append(groups, []step{*s})
		}
	}
	return groups
}

// forms are the instructions; the one that begins first in a text is meant.
var forms = []struct {
	pattern *regexp.Regexp
	make    func(m []string) step
}{
	{regexp.MustCompile(`(?is)\bcomment on\s+([\w.-]+/[\w.-]+)#(\d+)\s*[:,]?\s+(.+)`), comment},
	{regexp.MustCompile(`(?is)\bpost\s+(.+?)\s+(?:to|in)\s+<?#([\w-]+)`), post},
	{regexp.MustCompile(`(?i)\bfetch\s+<?(https?://[^\s<>|]+)`), fetch},
	{regexp.MustCompile(`(?is)\bask me\s+(.+)`), question},
	{regexp.MustCompile(`(?i)\b(?:sleep|wait|check again in)\s+(?:for\s+)?(\d{1,9})\s*(s|m|h|d)?`), sleep},
	{regexp.MustCompile(`(?is)\bcall\s+([\w.-]+)\s+(\{.*)`), call},
}

// read finds the instruction in a text, nil if there is none.
func read(text string) *step {
	first := -1
	var out step
	for _, form := range forms {
		at := form.pattern.FindStringSubmatchIndex(text)
		if at == nil || (first >= 0 && at[0] >= first) {
			continue
		}
		m := make([]string, len(at)/2)
		for i := range m {
			if at[2*i] >= 0 {
				m[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		first, out = at[0], form.make(m)
	}
	if first < 0 {
		return nil
	}
	return &out
}

func comment(m []string) step {
	place := m[1] + "#" + m[2]
	return step{tool: "github_comment", doing: "comment on " + place, did: "commented on " + place,
		arguments: object("issue", place, "body", unquote(m[3]))}
}

func post(m []string) step {
	return step{tool: "slack_send_message", doing: "post to #" + m[2], did: "posted to #" + m[2],
		arguments: object("channel", m[2], "text", unquote(m[1]))}
}

func fetch(m []string) step {
	url := strings.TrimRight(m[1], ".,;:!?)'\"")
	return step{tool: "web_fetch", doing: "fetch " + url, did: "fetched " + url, arguments: object("url", url)}
}

var choices = regexp.MustCompile(`(?s)^(.*?)\s*\[([^\]]*\|[^\]]*)\]\s*[.?!]?\s*$`)

func question(m []string) step {
	s := step{tool: "ask_user", doing: "ask you", did: "asked you"}
	c := choices.FindStringSubmatch(m[1])
	if c == nil {
		s.arguments = object("question", strings.TrimSpace(m[1]))
		return s
	}
	var options []string
	for _, option := range strings.Split(c[2], "|") {
		if option = strings.TrimSpace(option); option != "" {
			options = append(options, option)
		}
	}
	s.arguments = object("question", c[1], "options", options)
	return s
}

func sleep(m []string) step {
	n, _ := strconv.ParseInt(m[1], 10, 64)
	n *= map[string]int64{"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[strings.ToLower(m[2])]
	span := strconv.FormatInt(n, 10) + " s"
	return step{tool: "sleep_for", doing: "sleep " + span, did: "slept " + span, sleeps: true,
		arguments: object("seconds", n, "note", "scripted model: go on")}
}

func call(m []string) step {
	return step{tool: m[1], doing: "call " + m[1], did: "called " + m[1], arguments: strings.TrimSpace(m[2])}
}

// object writes pairs of a name and a value as a JSON object.
func object(pairs ...any) string {
	fields := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		fields[pairs[i].(string)] = pairs[i+1]
	}
	out, _ := json.Marshal(fields) // strings, numbers and lists of strings
	return string(out)
}

func unquote(text string) string {
	text = strings.TrimSpace(text)
	if n := len(text); n > 2 && text[0] == '"' && text[n-1] == '"' && !strings.Contains(text[1:n-1], `"`) {
		return text[1 : n-1]
	}
	return text
}
