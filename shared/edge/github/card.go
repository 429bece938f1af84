package github

import (
	"strings"

	"github.com/postern-dev/postern/shared/domain/inbox"
)

// Limits of a card's parts, in bytes after escaping. Together they stay far
// under MaxComment.
const (
	maxCardLine = 600
	maxCardText = 12 << 10
	maxCardArgs = 12 << 10
)

var headings = map[inbox.Kind][2]string{ // pending, settled
	inbox.Approval:     {"Approval needed", "Approval"},
	inbox.Question:     {"Question", "Question"},
	inbox.Notification: {"For your information", "For your information"},
	inbox.Directory:    {"Access to a folder asked for", "Access to a folder"},
	inbox.Plan:         {"Plan to approve", "Plan"},
}

// RenderCard writes an item's present state as a comment (I22). GitHub has no
// buttons on issues, so the card says where to answer: in the panel, or by a
// typed line where the card has a code (I25). A settled card keeps what was
// asked and ends with what became of it; nothing on it asks any more (I23).
// logins are those to mention.
func RenderCard(card inbox.Card, logins []string) string {
	var b strings.Builder
	heading, ok := headings[card.Kind]
	if !ok {
		heading = [2]string{"Item", "Item"}
	}
	say := func(parts ...string) {
		for _, p := range parts {
			b.WriteString(p)
		}
	}
	if card.Settled {
		say("**", heading[1], "**")
	} else {
		say("**", heading[0], "**")
	}
	if t := line(card.Title); t != "" {
		say(": ", clamp(t, maxCardLine))
	}
	say("\n")
	if t := strings.TrimSpace(plain(card.Text)); t != "" {
		say("\n", clamp(t, maxCardText), "\n")
	}
	if facts := facts(card); facts != "" {
		say("\n", facts, "\n")
	}
	if len(card.Arguments) > 0 {
		args := indented(card.Arguments)
		if len(args) > maxCardArgs {
			args = clamp(args, maxCardArgs)
			say("\nArguments, cut; the rest is behind the link:\n\n")
		} else {
			say("\nArguments:\n\n")
		}
		say(block(args, "json"), "\n")
	}
	if card.Status != "" {
		say("\n**", clamp(line(card.Status), maxCardLine), "**\n")
	}
	if !card.Settled {
		say(howToAnswer(card))
	}
	if addr := webAddress(card.Link); addr != "" {
		say("\n[Open in the panel](", addr, ")\n")
	}
	if !card.Settled && len(logins) > 0 {
		say("\n@", strings.Join(logins, " @"), "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func facts(card inbox.Card) string {
	var rows []string
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, name+": "+value)
		}
	}
	if card.Tool != "" {
		add("Tool", span(clamp(card.Tool, maxCardLine)))
	}
	add("Risk", clamp(line(card.Risk), maxCardLine))
	add("Asked by", clamp(line(card.Asked), maxCardLine))
	add("Session", clamp(line(card.Session), maxCardLine))
	return strings.Join(rows, "\n")
}

// howToAnswer says what the choices are and what each does.
func howToAnswer(card inbox.Card) string {
	var b strings.Builder
	if card.Kind != inbox.Approval && len(card.Buttons) > 0 {
		b.WriteString("\nChoices:\n\n")
		for _, button := range card.Buttons {
			b.WriteString("- " + clamp(line(button.Label), maxCardLine) + "\n")
		}
	}
	switch {
	case card.Kind == inbox.Approval && isCode(card.Code):
		b.WriteString("\nAllowing runs this call once, as shown. To answer, open the panel, or make this the first line of a new comment:\n\n" +
			block(command+" "+inbox.Allow+" "+card.Code+"\n"+command+" "+inbox.Deny+" "+card.Code+" why not", "") + "\n")
	case card.Kind == inbox.Approval:
		b.WriteString("\nAllowing runs this call once, as shown. Open the panel to answer.\n")
	case card.FreeText || len(card.Buttons) > 0:
		b.WriteString("\nOpen the panel to answer.\n")
	}
	return b.String()
}
