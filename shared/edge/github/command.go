package github

import (
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// CodePrefix stands before a short code in Answer.Item, where an answer names
// an item by the code of its card and not by its id (I25). Its Digest is empty
// then. The flow refuses such an answer until it can find items by code.
const CodePrefix = "code:"

const command = "/postern"

// isCommand reports whether a comment's first line is addressed to Postern. Such a
// comment is never a Trigger, whether it can be read or not.
func isCommand(body string) bool {
	rest, ok := strings.CutPrefix(firstLine(body), command)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// answer reads "/postern allow CODE" or "/postern deny CODE [reason]" from the
// whole first line. Only a person's own hand answers: not a bot, and not
// another App in a person's name (I13).
func (r *Receiver) answer(d *delivery.Delivery, c *post, who actor.Actor, id string) {
	if who.Kind != actor.Human {
		d.Drop = "command by a bot"
		return
	}
	if c.Via != nil {
		d.Drop = "command through an app"
		return
	}
	choice, rest, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(firstLine(c.Body), command)), " ")
	code, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	code, reason = strings.ToLower(code), strings.TrimSpace(reason)
	if choice != inbox.Allow && choice != inbox.Deny || !isCode(code) || choice == inbox.Allow && reason != "" {
		d.Drop = "command not understood"
		return
	}
	d.Answer = &inbox.Answer{
		Item:     CodePrefix + code,
		Choice:   choice,
		Text:     cut(reason, 2<<10),
		Actor:    who,
		Via:      trigger.GitHub,
		Delivery: d.ID,
		ID:       id,
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimRight(s, " \t\r")
}

// isCode accepts what inbox.Code makes: six characters of lower-case base32.
func isCode(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return len(s) == 6
}
