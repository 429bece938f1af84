package playground

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/postern-dev/postern/shared/local/standin/feishu"
)

func (p *Page) feishuColumn(v *view) (seen, forms any) {
	places := p.chats(v)
	c := composer{Platform: "feishu", Places: places, Leave: v.Answering("")}
	for i := range places {
		for _, m := range p.Feishu.Messages(places[i].ID) {
			places[i].into(cmp.Or(m.Root, m.ID), p.feishuNote(m, v))
			if m.ID == v.state.Feishu {
				c.In, c.To, c.Said = m.Chat, m.ID, beginning(m.Text, nil)
			}
		}
		slices.Reverse(places[i].Threads)
	}
	return places, c
}

// chats are the groups, and the person's own direct chat with the agent.
func (p *Page) chats(v *view) []place {
	var groups, direct []place
	for _, c := range p.Feishu.Chats() {
		switch {
		case v.As.Feishu == "":
		case c.Kind != feishu.Direct:
			groups = append(groups, place{ID: c.ID, Name: c.Name})
		case c.Person == v.As.Feishu:
			direct = append(direct, place{ID: c.ID, Name: toAgent, Direct: true})
		}
	}
	return append(groups, direct...)
}

func (p *Page) feishuNote(m feishu.Message, v *view) note {
	n := note{ID: m.ID, Who: p.Feishu.Name(m.Sender), Bot: m.FromBot, State: m.State}
	if m.State == "recalled" {
		return n
	}
	if m.Kind == "interactive" {
		n.Lines = p.cardLines(m.Card)
	} else {
		n.Lines = plainLines(m.Text, "text")
	}
	for i, b := range m.Buttons {
		n.Buttons = append(n.Buttons, button{Label: b.Label, Style: b.Style, N: i})
	}
	for _, x := range p.Feishu.Presses() {
		if x.Message != m.ID || x.Person != v.As.Feishu {
			continue
		}
		n.Toast, n.Bad = x.Toast, x.ToastType != "success" || x.Trouble != ""
		if x.Trouble != "" {
			n.Toast = "Feishu shows error " + x.Trouble
		}
	}
	return n
}

type cardText struct{ Tag, Content string }

// cardLines reads the words of a card; only in its lark_md is markup live.
func (p *Page) cardLines(card json.RawMessage) []line {
	var c struct {
		Header   struct{ Title cardText }
		Elements []struct {
			Tag      string
			Text     cardText
			Fields   []struct{ Text cardText }
			Elements []cardText
		}
	}
	if json.Unmarshal(card, &c) != nil {
		return nil
	}
	var out []line
	add := func(t cardText, kind string) {
		if t.Tag == "lark_md" {
			out = append(out, line{Kind: kind, Spans: larkSpans(t.Content, p.Feishu.Name)})
		} else {
			out = append(out, plainLines(t.Content, kind)...)
		}
	}
	if c.Header.Title.Content != "" {
		out = append(out, line{Kind: "text", Spans: []span{{Text: c.Header.Title.Content, Kind: "bold"}}})
	}
	for _, e := range c.Elements {
		add(e.Text, "text")
		for _, f := range e.Fields {
			add(f.Text, "small")
		}
		for _, t := range e.Elements {
			add(t, "small")
		}
	}
	return out
}

func (p *Page) feishuHook() feishu.Hook {
	return feishu.Hook{URL: p.Hooks + "/feishu", Client: p.Client}
}

func (p *Page) feishuSay(r *http.Request, v *view) (int, error) {
	v.Tab = "feishu"
	s := feishu.Speech{Person: v.As.Feishu, Chat: r.PostFormValue("in"), ReplyTo: r.PostFormValue("to"),
		Text: strings.TrimSpace(r.PostFormValue("text"))}
	s.Mention = r.PostFormValue("mention") != "" && s.Chat != p.Feishu.DirectChat(s.Person)
	if s.Text == "" {
		return 0, errNoText
	}
	if !has(p.chats(v), s.Chat) {
		return 0, errNotThere
	}
	a, err := p.Feishu.Say(r.Context(), p.feishuHook(), s)
	return a.Status, err
}

func (p *Page) feishuTap(r *http.Request, v *view) (int, error) {
	v.Tab = "feishu"
	n, err := strconv.Atoi(r.PostFormValue("n"))
	if err != nil {
		return 0, errNoButton
	}
	m, ok := p.Feishu.Message(r.PostFormValue("message"))
	if !ok || !has(p.chats(v), m.Chat) {
		return 0, errNotThere
	}
	a, err := p.Feishu.Click(r.Context(), p.feishuHook(), v.As.Feishu, m.ID, n)
	return a.Status, err
}
