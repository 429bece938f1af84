package scripted

import (
	"regexp"
	"strings"

	"github.com/postern-dev/postern/shared/domain/model"
)

// outcome is one instruction with what came of it.
type outcome struct {
	step
	text string
	ok   bool
}

// standing is where a conversation stands.
type standing struct {
	todo   [][]step  // still to be called
	done   []outcome // since the last report
	asleep bool      // a sleep was the last thing, and nobody has come yet
	spoken int       // messages of the model
}

// follow reads the conversation from its beginning and does the next thing.
func follow(messages []model.Message) model.Reply {
	at := stand(messages)
	switch {
	case at.asleep && len(at.todo) > 0:
		return model.Reply{Text: label + "Asleep. I go on when I am woken."}
	case len(at.todo) > 0:
		var names []string
		for _, s := range at.todo[0] {
			names = append(names, s.doing)
		}
		return model.Reply{Text: label + "Next: " + strings.Join(names, ", ") + ".",
			Calls: calls(at.todo[0], at.spoken)}
	case len(at.done) > 0:
		return model.Reply{Text: label + report(at.done)}
	}
	return model.Reply{Text: label + "I am no language model and understand only: comment on OWNER/REPO#N: TEXT; " +
		"post TEXT to #CHANNEL; fetch URL; ask me QUESTION [A | B]; sleep N; call TOOL {JSON}; " +
		"joined by \";\", \"then\" or \"and also\"."}
}

// stand finds the standing. A message of the model with calls was its next
// group; if the tools differ, another model was at work, and nothing is taken
// off the list.
func stand(messages []model.Message) standing {
	var at standing
	var current []step
	for _, m := range messages {
		switch m.Role {
		case model.User:
			at.todo = append(at.todo, parse(m.Text)...)
			at.asleep = false
		case model.Assistant:
			at.spoken++
			current = nil
			if len(m.Calls) == 0 {
				at.done = nil
				continue
			}
			if len(at.todo) > 0 && same(at.todo[0], m.Calls) {
				current, at.todo = at.todo[0], at.todo[1:]
				continue
			}
			for _, c := range m.Calls {
				current = append(current, call([]string{"", c.Tool, ""}))
			}
		case model.Result:
			if len(current) == 0 {
				continue
			}
			s := current[0]
			current = current[1:]
			at.done = append(at.done, outcome{step: s, text: m.Text, ok: m.OK})
			at.asleep = at.asleep || (s.sleeps && m.OK)
		}
	}
	return at
}

func same(group []step, calls []model.Call) bool {
	if len(group) != len(calls) {
		return false
	}
	for i := range group {
		if group[i].tool != calls[i].Tool {
			return false
		}
	}
	return true
}

var refusal = regexp.MustCompile(`(?i)\bdenied\b`)

// report is one line about what was done, denied and not done.
func report(done []outcome) string {
	var did, denied, failed []string
	for _, o := range done {
		switch {
		case o.ok && (o.tool == "ask_user" || o.tool == "web_fetch"):
			did = append(did, o.did+": "+line(o.text))
		case o.ok:
			did = append(did, o.did)
		case refusal.MatchString(o.text):
			denied = append(denied, o.doing+" ("+line(o.text)+")")
		default:
			failed = append(failed, o.doing+" ("+line(o.text)+")")
		}
	}
	var out []string
	for _, part := range []struct {
		word string
		list []string
	}{{"Done", did}, {"Denied", denied}, {"Not done", failed}} {
		if len(part.list) > 0 {
			out = append(out, part.word+": "+strings.Join(part.list, "; ")+".")
		}
	}
	return strings.Join(out, " ")
}

// line is the beginning of a text, on one line.
func line(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > 160 {
		return string(runes[:160]) + "…"
	}
	return strings.TrimRight(string(runes), ".")
}
