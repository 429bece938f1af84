package feishu

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// Limits of a card. The platform takes 30 KB of request, in which the card is
// a string within JSON.
const (
	maxCard    = 28 << 10
	maxWords   = 6 << 10 // of the text, and of the arguments
	maxLine    = 300
	maxLabel   = 60
	maxButtons = 20
	maxAt      = 10
)

// RenderCard is the card's JSON, in the platform's first card structure, which
// every client shows and which a click's answer may return (B32). It is pure.
//
// What people or agents wrote is plain_text only, where no markup is live;
// lark_md holds nothing but mentions and the panel's link, both checked. The
// card may always be updated for everybody (update_multi, B33, B34). Long text
// is cut until the whole fits, and says so (I22).
func RenderCard(c inbox.Card) []byte {
	for words := maxWords; ; words /= 2 {
		b := encode(render(c, words))
		if words < 64 || len(encode(string(b))) <= maxCard {
			return b
		}
	}
}

type node map[string]any

func render(c inbox.Card, words int) node {
	els := []node{}
	add := func(n node) {
		if n != nil {
			els = append(els, n)
		}
	}
	add(div(cutMore(c.Text, words)))
	add(facts(c))
	add(arguments(c.Arguments, words))
	if c.Status != "" {
		add(div(cut(c.Status, 2*maxLine)))
	}
	if !c.Settled {
		add(mentions(c.Mentions))
		add(buttons(withOpen(c)))
	}
	add(link(c.Link))
	add(note(c))
	return node{
		"config":   node{"update_multi": true, "wide_screen_mode": true},
		"header":   node{"template": color(c), "title": plainText(title(c))},
		"elements": els,
	}
}

func plainText(s string) node { return node{"tag": "plain_text", "content": s} }

func div(s string) node {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return node{"tag": "div", "text": plainText(s)}
}

func title(c inbox.Card) string {
	if t := cut(strings.TrimSpace(c.Title), maxLine); t != "" {
		return t
	}
	return "Postern: " + string(c.Kind)
}

func color(c inbox.Card) string {
	switch {
	case c.Settled:
		return "grey"
	case c.Kind == inbox.Notification:
		return "blue"
	default:
		return "orange"
	}
}

// facts are the short lines: tool, risk, who asked, session.
func facts(c inbox.Card) node {
	var fs []node
	for _, f := range [][2]string{{"Tool", c.Tool}, {"Risk", c.Risk}, {"Asked by", c.Asked}, {"Session", c.Session}} {
		if f[1] != "" {
			fs = append(fs, node{"is_short": true, "text": plainText(f[0] + ": " + cut(f[1], maxLine))})
		}
	}
	if fs == nil {
		return nil
	}
	return node{"tag": "div", "fields": fs}
}

// arguments are shown indented, or as they are if they are no JSON.
func arguments(raw json.RawMessage, words int) node {
	if len(raw) == 0 {
		return nil
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw)
	}
	return div("Arguments:\n" + cutMore(b.String(), words))
}

// mentions names those who may answer, if they are people of a Feishu app.
func mentions(refs []string) node {
	var b strings.Builder
	n := 0
	for _, ref := range refs {
		a, ok := actor.ParseRef(ref)
		if !ok || a.Provider != trigger.Feishu || !isID(a.ID, "ou_") || n == maxAt {
			continue
		}
		b.WriteString("<at id=" + a.ID + "></at> ")
		n++
	}
	if n == 0 {
		return nil
	}
	return node{"tag": "div", "text": node{"tag": "lark_md", "content": strings.TrimSpace(b.String())}}
}

// isID reports whether s is an id of the platform with that prefix and nothing
// that could end a tag or a path.
func isID(s, prefix string) bool {
	if !strings.HasPrefix(s, prefix) || len(s) == len(prefix) || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !letter(c) && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// withOpen are the choices and beside them Open (I22), which is never the one
// left out.
func withOpen(c inbox.Card) []inbox.CardButton {
	if c.Open == "" {
		return c.Buttons
	}
	choices := c.Buttons[:min(len(c.Buttons), maxButtons-1)]
	return append(slices.Clone(choices), inbox.CardButton{Label: "Open", Value: c.Open})
}

func buttons(bs []inbox.CardButton) node {
	var as []node
	for _, b := range bs {
		if len(as) == maxButtons {
			break
		}
		style := b.Style
		if style != "primary" && style != "danger" {
			style = "default"
		}
		as = append(as, node{
			"tag": "button", "type": style, "text": plainText(cut(b.Label, maxLabel)),
			"value": node{buttonField: b.Value},
		})
	}
	if as == nil {
		return nil
	}
	return node{"tag": "action", "actions": as}
}

// link leads to the panel, where nothing changes by opening it (I21).
func link(address string) node {
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return nil
	}
	address = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20", "\n", "", "\r", "", "[", "%5B", "]", "%5D").Replace(address)
	return node{"tag": "div", "text": node{"tag": "lark_md", "content": "[Open in the panel](" + address + ")"}}
}

// note says what a tap does, and the item's code.
func note(c inbox.Card) node {
	var parts []string
	if !c.Settled {
		parts = append(parts, hint(c))
		if c.Open != "" {
			parts = append(parts, "Open answers nothing: you get a link of your own.")
		}
	}
	if c.Code != "" {
		parts = append(parts, "Code "+cut(c.Code, maxLabel))
	}
	words := strings.TrimSpace(strings.Join(parts, " "))
	if words == "" {
		return nil
	}
	return node{"tag": "note", "elements": []node{plainText(words)}}
}

func hint(c inbox.Card) string {
	switch {
	case len(c.Buttons) > maxButtons || c.Open != "" && len(c.Buttons) == maxButtons:
		return "The panel has more choices than fit here. The first answer counts."
	case c.FreeText && len(c.Buttons) == 0:
		return "Open the panel to answer."
	case c.FreeText:
		return "One tap answers; for an answer in words, open the panel. The first answer counts."
	case len(c.Buttons) == 0:
		return ""
	case c.Kind == inbox.Approval:
		return "Allow runs exactly this call, once. Deny tells the agent no. The first answer counts."
	default:
		return "One tap answers. The first answer counts."
	}
}
