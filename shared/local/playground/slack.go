package playground

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/postern-dev/postern/shared/local/standin/slack"
)

func (p *Page) slackColumn(v *view) (seen, forms any) {
	places := p.channels(v)
	c := composer{Platform: "slack", Places: places, Leave: v.InThread("", "")}
	in, to, _ := strings.Cut(v.state.Slack, " ")
	if has(places, in) {
		c.In, c.To, c.Said = in, to, "an earlier message"
	}
	for i := range places {
		for _, m := range p.Slack.Messages() {
			if m.Channel != places[i].ID || m.Deleted || m.To != "" && m.To != v.As.Slack {
				continue
			}
			places[i].into(cmp.Or(m.Thread, m.TS), p.slackNote(m))
			if m.Channel == in && m.TS == to {
				c.Said = beginning(m.Text, p.slackNames())
			}
		}
		slices.Reverse(places[i].Threads)
	}
	return places, c
}

// channels are the channels, and the person's own direct chat with the agent:
// #ops first, direct last, as the main job goes.
func (p *Page) channels(v *view) []place {
	var out []place
	for id, name := range p.Slack.Config().Channels {
		direct := strings.HasPrefix(id, "D")
		if direct && name != v.As.Name || v.As.Slack == "" {
			continue
		}
		c := place{ID: id, Name: "#" + name, Direct: direct}
		if direct {
			c.Name = toAgent
		}
		out = append(out, c)
	}
	rank := func(c place) int {
		switch {
		case c.Name == "#ops":
			return 0
		case c.Direct:
			return 2
		}
		return 1
	}
	slices.SortFunc(out, func(a, b place) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a.Name, b.Name)) })
	return out
}

const toAgent = "Direct messages with the agent"

func (p *Page) slackNames() map[string]string {
	cfg := p.Slack.Config()
	names := map[string]string{cfg.BotUser: "agent"}
	for id, x := range cfg.People {
		names[id] = x.Name
	}
	return names
}

func (p *Page) slackNote(m slack.Message) note {
	names := p.slackNames()
	n := note{TS: m.TS, ID: m.Channel + "-" + strings.ReplaceAll(m.TS, ".", "-"), Who: names[m.User], Bot: m.User == p.Slack.Config().BotUser, State: m.State()}
	paragraphs := slackParagraphs(m.Blocks)
	if len(paragraphs) == 0 {
		paragraphs = []paragraph{{Text: m.Text}}
	}
	for _, x := range paragraphs {
		n.Lines = append(n.Lines, slackLines(x, names)...)
	}
	for i, b := range m.Buttons() {
		n.Buttons = append(n.Buttons, button{Label: b.Label, Style: b.Style, N: i})
	}
	return n
}

// paragraph is the text of one block.
type paragraph struct {
	Text  string
	Small bool
}

// slackParagraphs reads the texts of a message's blocks, buttons left out.
func slackParagraphs(blocks json.RawMessage) []paragraph {
	var list []struct {
		Type     string
		Text     struct{ Text string }
		Elements []struct{ Text json.RawMessage }
	}
	if json.Unmarshal(blocks, &list) != nil {
		return nil
	}
	var out []paragraph
	for _, b := range list {
		if b.Text.Text != "" {
			out = append(out, paragraph{Text: b.Text.Text})
		}
		if b.Type != "context" {
			continue
		}
		for _, e := range b.Elements {
			var text string
			if json.Unmarshal(e.Text, &text) == nil && text != "" {
				out = append(out, paragraph{Text: text, Small: true})
			}
		}
	}
	return out
}

func (p *Page) slackHook() slack.Hook { return slack.Hook{URL: p.Hooks + "/slack", Client: p.Client} }

func (p *Page) slackSay(r *http.Request, v *view) (int, error) {
	v.Tab = "slack"
	l := slack.Line{User: v.As.Slack, Channel: r.PostFormValue("in"), Thread: r.PostFormValue("to"),
		Text: strings.TrimSpace(r.PostFormValue("text")), Mention: r.PostFormValue("mention") != "" && !strings.HasPrefix(r.PostFormValue("in"), "D")}
	if l.Text == "" {
		return 0, errNoText
	}
	if !has(p.channels(v), l.Channel) {
		return 0, errNotThere
	}
	_, answers, err := p.Slack.Say(r.Context(), p.slackHook(), l)
	status := http.StatusOK
	for _, a := range answers {
		if a.Status != http.StatusOK {
			status = a.Status
		}
	}
	return status, err
}

func (p *Page) slackPress(r *http.Request, v *view) (int, error) {
	v.Tab = "slack"
	n, err := strconv.Atoi(r.PostFormValue("n"))
	if err != nil {
		return 0, errNoButton
	}
	in := r.PostFormValue("channel")
	if !has(p.channels(v), in) {
		return 0, errNotThere
	}
	a, err := p.Slack.Press(r.Context(), p.slackHook(), v.As.Slack, in, r.PostFormValue("ts"), n)
	return a.Status, err
}
