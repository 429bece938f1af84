package slack

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// Limits of Slack, in UTF-16 units, which is the strictest way of counting.
const (
	maxSection  = 3000
	maxContext  = 1900
	maxTitle    = 240
	maxLabel    = 75
	maxValue    = 2000
	maxRow      = 25 // buttons in one row
	maxRows     = 4
	maxMentions = 20
	maxFallback = 1000
	cutInCard   = "\n[cut: the rest is behind the link]"
)

// Rendered is a card as Slack takes it: blocks, and the text that notifications
// and clients without blocks show.
type Rendered struct {
	Text   string        `json:"text"`
	Blocks []slack.Block `json:"blocks"`
}

// RenderCard shows a card. It is pure. What the agent or a person supplied is
// escaped, then cut; the agent's own words stand in a quote and its arguments
// in a code fence, so neither can pass for a line of ours. A settled card has
// no buttons and mentions nobody; its status stays (I22, I23).
func RenderCard(c inbox.Card) Rendered {
	r := Rendered{Text: fallback(c)}
	cut := false
	r.section("*"+upTo(oneLine(c.Title), maxTitle, "(no title)")+"*", &cut)
	if c.Text != "" {
		r.section("> "+strings.ReplaceAll(escape(c.Text), "\n", "\n> "), &cut)
	}
	if c.Tool != "" {
		r.tool(c, &cut)
	}
	if c.Status != "" {
		r.section("*"+upTo(oneLine(c.Status), 1000, "")+"*", &cut)
	}
	r.context(facts(c))
	if !c.Settled {
		r.section(mentioned(c.Mentions), &cut)
		r.buttons(withOpen(c))
	}
	r.context(onTap(c))
	r.context(where(c, cut))
	return r
}

func (r *Rendered) section(text string, cut *bool) {
	if text == "" {
		return
	}
	text, was := clamp(text, maxSection, cutInCard)
	*cut = *cut || was
	r.Blocks = append(r.Blocks, slack.NewSectionBlock(mrkdwn(text), nil, nil))
}

func (r *Rendered) context(text string) {
	if text == "" {
		return
	}
	text, _ = clamp(text, maxContext, "…")
	r.Blocks = append(r.Blocks, slack.NewContextBlock("", mrkdwn(text)))
}

// tool shows the tool and, where the card may, its arguments.
func (r *Rendered) tool(c inbox.Card, cut *bool) {
	head := "Tool: " + upTo(oneLine(c.Tool), 200, "")
	if len(c.Arguments) == 0 {
		r.section(head, cut)
		return
	}
	body, was := clamp(arguments(c.Arguments), maxSection-units(head)-16, cutInCard)
	*cut = *cut || was
	r.section(head+"\n```\n"+body+"\n```", cut)
}

// withOpen are the choices and beside them Open (I22), which is never the one
// left out.
func withOpen(c inbox.Card) []inbox.CardButton {
	if c.Open == "" {
		return c.Buttons
	}
	choices := c.Buttons[:min(len(c.Buttons), maxRow*maxRows-1)]
	return append(slices.Clone(choices), inbox.CardButton{Label: "Open", Value: c.Open})
}

// buttons are rows of at most 25. A value goes out as it is.
func (r *Rendered) buttons(all []inbox.CardButton) {
	var row []slack.BlockElement
	for i, b := range all {
		if len(b.Value) > maxValue || i == maxRow*maxRows {
			break
		}
		label := slack.NewTextBlockObject(slack.PlainTextType, upTo(oneLine(b.Label), maxLabel, "?"), false, false)
		e := slack.NewButtonBlockElement("postern:"+strconv.Itoa(i), b.Value, label)
		switch b.Style {
		case "primary", "danger":
			e.Style = slack.Style(b.Style)
		}
		row = append(row, e)
		if len(row) == maxRow {
			r.Blocks, row = append(r.Blocks, slack.NewActionBlock("", row...)), nil
		}
	}
	if len(row) > 0 {
		r.Blocks = append(r.Blocks, slack.NewActionBlock("", row...))
	}
}

// onTap says in short what a tap does.
func onTap(c inbox.Card) string {
	if c.Settled {
		return ""
	}
	words := ""
	switch {
	case len(c.Buttons) == 0:
	case c.Kind == inbox.Approval:
		words = "Allow runs this call once. Deny tells the agent no, and nothing runs."
	case c.Kind == inbox.Plan:
		words = "Allow lets the agent follow this plan. Deny tells it no."
	case c.Kind == inbox.Directory:
		words = "Allow lets the agent use this folder. Deny tells it no."
	default:
		words = "One tap answers, once."
	}
	if c.Open != "" {
		words += " Open answers nothing: you get a link of your own."
	}
	return strings.TrimSpace(words)
}

// where says what the panel has that the card has not.
func where(c inbox.Card, cut bool) string {
	to := link(c.Link)
	switch {
	case to == "" && c.FreeText && !c.Settled:
		return "Open the panel to answer in your own words."
	case to == "":
		return ""
	case c.FreeText && !c.Settled:
		return "<" + to + "|Open the panel> to answer in your own words."
	case cut:
		return "<" + to + "|Open the panel> for the rest."
	}
	return "<" + to + "|Open in the panel>"
}

func facts(c inbox.Card) string {
	var f []string
	add := func(name, value string) {
		if value != "" {
			f = append(f, name+" "+upTo(oneLine(value), 200, ""))
		}
	}
	add("Risk:", c.Risk)
	add("Asked by", c.Asked)
	add("Session", c.Session)
	add("Code", c.Code)
	return strings.Join(f, " · ")
}

// mentioned names those who may answer; only those of Slack can be mentioned here.
func mentioned(refs []string) string {
	var who []string
	more := 0
	for _, ref := range refs {
		a, ok := actor.ParseRef(ref)
		switch {
		case !ok || a.Provider != trigger.Slack || !id(loose(a.ID)):
		case len(who) == maxMentions:
			more++
		default:
			who = append(who, "<@"+a.ID+">")
		}
	}
	if len(who) == 0 {
		return ""
	}
	s := "For " + strings.Join(who, ", ")
	if more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

func fallback(c inbox.Card) string {
	s := oneLine(c.Title)
	if c.Status != "" {
		s += ": " + oneLine(c.Status)
	}
	return upTo(s, maxFallback, "A card")
}

// upTo cuts escaped text to max, and gives a word for none.
func upTo(s string, max int, none string) string {
	if s == "" {
		return none
	}
	s, _ = clamp(s, max, "…")
	return s
}

func mrkdwn(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.MarkdownType, text, false, false)
}
