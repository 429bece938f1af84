package playground

import (
	"errors"
	"slices"
)

// composer is the form in which a person writes on a chat platform.
type composer struct {
	Platform string
	Places   []place
	In       string // the place that is chosen
	To       string // the thread or message that is answered, if any
	Said     string // the beginning of what it says
	Leave    string // the page without it
}

// place is one conversation as a person sees it.
type place struct {
	ID, Name string
	Direct   bool // with the agent
	Threads  []thread
}

// thread is a message with what was said below it. Newest threads come first.
type thread struct {
	TS    string // of its first message, or that message's id
	Notes []note
}

// note is one message as a person sees it.
type note struct {
	ID      string // fit for a name in HTML
	TS      string // of a Slack message
	Who     string
	Bot     bool
	State   string // posted, updated, ephemeral, recalled
	Lines   []line
	HTML    any // in place of lines, where it is markup already
	Buttons []button
	Toast   string // what was shown to the person who tapped
	Bad     bool   // the toast tells of an error
}

type button struct {
	Label, Style string
	N            int
}

// into puts a message into its thread.
func (p *place) into(root string, n note) {
	for i := range p.Threads {
		if p.Threads[i].TS == root {
			p.Threads[i].Notes = append(p.Threads[i].Notes, n)
			return
		}
	}
	p.Threads = append(p.Threads, thread{TS: root, Notes: []note{n}})
}

func has(places []place, id string) bool {
	return slices.ContainsFunc(places, func(p place) bool { return p.ID == id })
}

// What people ask for that cannot be.
var (
	errNotThere = errors.New("that person is not in there")
	errNoText   = errors.New("there is no text")
	errNoButton = errors.New("there is no such button")
)
