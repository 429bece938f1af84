package playground

import (
	"slices"
	"strings"
)

// Person is somebody who is played, with his account on each platform.
type Person struct {
	Name   string // in small letters
	Slack  string // user id
	Feishu string // open id
	GitHub string // login
}

// Title is the name as people write it.
func (p Person) Title() string {
	if p.Name == "" {
		return ""
	}
	return strings.ToUpper(p.Name[:1]) + p.Name[1:]
}

// people are those who have an account on any of the platforms, by name. An
// account of the same name is the same person's.
func (p *Page) people() []Person {
	all := map[string]*Person{}
	of := func(name string) *Person {
		name = strings.ToLower(name)
		if all[name] == nil {
			all[name] = &Person{Name: name}
		}
		return all[name]
	}
	for id, x := range p.Slack.Config().People {
		of(x.Name).Slack = id
	}
	for _, c := range p.Feishu.Chats() {
		if c.Person != "" {
			of(p.Feishu.Name(c.Person)).Feishu = c.Person
		}
	}
	for login := range p.GitHub.Config().People {
		of(login).GitHub = login
	}
	out := make([]Person, 0, len(all))
	for _, x := range all {
		out = append(out, *x)
	}
	slices.SortFunc(out, func(a, b Person) int { return strings.Compare(a.Name, b.Name) })
	return out
}
