package playground

import (
	"net/url"
	"strconv"
)

// state is what of the page is in its address: who one is, and what one looks
// at. Forms carry it along.
type state struct {
	As     Person
	Tab    string // the platform that a phone shows
	Slack  string // "CHANNEL TS": the thread that is answered there
	Feishu string // the message that is answered there
	Issue  int64  // the issue that is open; 0: the newest
}

func readState(v url.Values, people []Person) state {
	s := state{Tab: v.Get("tab"), Slack: v.Get("slack"), Feishu: v.Get("feishu")}
	s.Issue, _ = strconv.ParseInt(v.Get("issue"), 10, 64)
	if s.Tab != "feishu" && s.Tab != "github" {
		s.Tab = "slack"
	}
	name := v.Get("as")
	for i, p := range people {
		if p.Name == name || name == "" && i == 0 {
			s.As = p
		}
	}
	return s
}

// Query is the state as an address holds it.
func (s state) Query() string {
	v := url.Values{"as": {s.As.Name}, "tab": {s.Tab}}
	for name, x := range map[string]string{"slack": s.Slack, "feishu": s.Feishu} {
		if x != "" {
			v.Set(name, x)
		}
	}
	if s.Issue > 0 {
		v.Set("issue", strconv.FormatInt(s.Issue, 10))
	}
	return v.Encode()
}

// The addresses of the same page, but for one thing.

func (s state) link() string { return Path + "?" + s.Query() }

// Being is the page as somebody else.
func (s state) Being(p Person) string {
	s.As, s.Slack, s.Feishu = p, "", ""
	return s.link()
}

// On is the page with another tab in front.
func (s state) On(tab string) string { s.Tab = tab; return s.link() }

// InThread is the page with a Slack thread to be answered; none if ts is empty.
func (s state) InThread(channel, ts string) string {
	s.Tab, s.Slack = "slack", ""
	if ts != "" {
		s.Slack = channel + " " + ts
	}
	return s.link() + "#say-slack"
}

// Answering is the page with a Feishu message to be answered; none if id is empty.
func (s state) Answering(id string) string {
	s.Tab, s.Feishu = "feishu", id
	return s.link() + "#say-feishu"
}

// WithIssue is the page with another issue open.
func (s state) WithIssue(n int64) string { s.Tab, s.Issue = "github", n; return s.link() }
