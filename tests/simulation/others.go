package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/api"
	"github.com/postern-dev/postern/shared/store"
)

// others are agents that run elsewhere (S14): they open sessions, submit
// calls, ask again, spend grants and tell outcomes, each request now and then
// twice at once under one idempotency key.
type others struct {
	w        *World
	sessions map[string]map[string]bool // opening key: the ids it was told
	open     []session.Session
	calls    []*call
	spent    map[string]map[string]bool // item: the keys that were told it is spent
	outcomes map[string]bool            // item: the outcome that was told first
}

// call is one submitted call as its agent knows it.
type call struct {
	s        session.Session
	key      string
	tool     string
	args     string
	id       string
	item     string
	approved bool
	spent    bool
	refused  bool
}

func newOthers(w *World) *others {
	return &others{w: w, sessions: map[string]map[string]bool{}, spent: map[string]map[string]bool{}, outcomes: map[string]bool{}}
}

var theKey = store.APIKey{Hash: "k", Name: "laptop", Mode: "interactive", Queue: "default"}

// act lets one agent do one thing.
func (o *others) act() {
	switch r := o.w.rng.IntN(10); {
	case len(o.open) == 0 || r == 0 && len(o.open) < 4:
		o.opens()
	case r < 4 || len(o.calls) == 0:
		o.submits()
	case r < 6:
		o.looks(o.calls[o.w.rng.IntN(len(o.calls))])
	default:
		o.goesOn()
	}
}

// request spawns an API request, which its client repeats if it failed.
func (o *others) request(name string, f func(ctx context.Context) error) {
	o.w.spawn(name, f, func(p *proc) {
		var refusal *api.Problem
		if (p.err != nil || p.killed) && !errors.As(p.err, &refusal) && o.w.chance(70) {
			o.request(name, f)
		}
	})
}

// times is how often a request is sent at once.
func (o *others) times() int { return 1 + o.w.rng.IntN(10)/6 + o.w.rng.IntN(10)/8 }

func (o *others) opens() {
	o.w.ids++
	key := fmt.Sprintf("open-%d", o.w.ids)
	for range o.times() {
		o.request("open", func(ctx context.Context) error {
			s, err := o.w.api.Open(ctx, theKey, key, api.Opening{Title: "Agent"})
			if err != nil {
				return err
			}
			if o.sessions[key] == nil {
				o.sessions[key] = map[string]bool{}
				o.open = append(o.open, s)
			}
			o.sessions[key][s.ID] = true
			return nil
		})
	}
}

func (o *others) submits() {
	w := o.w
	w.ids++
	c := &call{s: o.open[w.rng.IntN(len(o.open))], key: fmt.Sprintf("call-%d", w.ids), tool: "deploy", args: fmt.Sprintf(`{"n":%d}`, w.ids)}
	switch w.rng.IntN(6) {
	case 0:
		c.tool, c.args = "Read", `{"file_path":"/x"}`
	case 1:
		c.tool, c.args = "Edit", `{"file_path":"/etc/passwd"}` // denied by a rule
	case 2, 3:
		if len(o.calls) > 0 { // the same call under another key: it joins (I3)
			was := o.calls[len(o.calls)-1-w.rng.IntN(min(len(o.calls), 4))]
			c.s, c.tool, c.args = was.s, was.tool, was.args
		}
	}
	o.calls = append(o.calls, c)
	for range o.times() {
		o.submit(c, c.args)
	}
	if w.chance(10) { // the key again, for something else
		o.submit(c, `{"n":"other"}`)
	}
}

func (o *others) submit(c *call, args string) {
	o.request("submit", func(ctx context.Context) error {
		told, err := o.w.api.Submit(ctx, c.s, c.key, api.Submission{Tool: c.tool, Arguments: json.RawMessage(args)})
		var refusal *api.Problem
		if errors.As(err, &refusal) {
			o.w.counts["submit_"+refusal.Code]++
			if refusal.Code != "key_reused" {
				o.w.wrong("submit %s: %v", c.key, err)
			}
			return err
		}
		if err != nil {
			return err
		}
		if c.id == "" {
			c.args = args // whichever of two calls under one key came first
		}
		o.told(c, told, args)
		return nil
	})
}

// told keeps what an agent was told and sees whether it fits what it was told
// before.
func (o *others) told(c *call, t api.Told, args string) {
	o.w.counts["told_"+t.Decision]++
	switch {
	case c.id != "" && t.Call != c.id:
		o.w.wrong("call %s is %s and then %s (S14)", c.key, c.id, t.Call)
	case c.item != "" && t.Item != "" && t.Item != c.item:
		o.w.wrong("call %s waits for %s and then for %s (I3)", c.key, c.item, t.Item)
	case c.approved && t.Decision == "deny", c.refused && t.Decision == "allow":
		o.w.wrong("call %s was told %s after it was told otherwise", c.key, t.Decision)
	}
	if t.Decision == "allow" && t.Grant != "" && string(t.Arguments) != args {
		o.w.wrong("call %s: approved with other arguments than were submitted (P25)", c.key)
	}
	c.id = t.Call
	if t.Item != "" {
		c.item = t.Item
	}
	c.approved = c.approved || t.Grant != ""
	c.refused = c.refused || t.Decision == "deny"
}

func (o *others) looks(c *call) {
	if c.id == "" || c.tool == "Read" {
		return
	}
	o.request("look", func(ctx context.Context) error {
		told, err := o.w.api.Look(ctx, c.s, c.id)
		if err != nil {
			return err
		}
		o.told(c, told, c.args)
		return nil
	})
}

// goesOn spends a grant, with one key or several at once, or tells how the
// call went, both ways at once.
func (o *others) goesOn() {
	var ready []*call
	for _, c := range o.calls {
		if c.approved {
			ready = append(ready, c)
		}
	}
	if len(ready) == 0 {
		for range 3 {
			o.looks(o.calls[o.w.rng.IntN(len(o.calls))])
		}
		return
	}
	c := ready[len(ready)-1-o.w.rng.IntN(min(len(ready), 5))]
	if c.spent && o.w.chance(70) {
		o.outcome(c, true)
		if o.w.chance(40) {
			o.outcome(c, false)
		}
		return
	}
	o.w.ids++
	for i := range o.times() {
		key := fmt.Sprintf("spend-%d", o.w.ids)
		if o.w.chance(40) {
			key += fmt.Sprint("-", i)
		}
		o.spend(c, key)
	}
}

func (o *others) spend(c *call, key string) {
	o.request("spend", func(ctx context.Context) error {
		t, err := o.w.api.Spend(ctx, c.s, c.id, key)
		var refusal *api.Problem
		if errors.As(err, &refusal) {
			o.w.counts["spend_"+refusal.Code]++
			if refusal.Code != "spent" {
				o.w.wrong("spend of approved call %s: %v", c.key, err)
			}
			return err
		}
		if err != nil {
			return err
		}
		c.spent = true
		if o.spent[t.Item] == nil {
			o.spent[t.Item] = map[string]bool{}
		}
		o.spent[t.Item][key] = true
		return nil
	})
}

func (o *others) outcome(c *call, ok bool) {
	o.request("outcome", func(ctx context.Context) error {
		return o.w.api.Outcome(ctx, c.s, c.id, api.Ended{OK: ok, Result: "r"})
	})
}
