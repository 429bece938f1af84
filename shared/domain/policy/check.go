package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// policy notes what the shape of a file cannot show: values, names given twice
// or to nothing.
func (r *reader) policy(p Policy) {
	if p.Accept != "" {
		r.oneOf("accept", p.Accept, Off, Observe, Auto)
	}
	r.approvers("owners", p.Owners)
	queues := map[string]bool{DefaultQueue: true}
	seen := map[string]string{}
	for i, q := range p.Queues {
		key := fmt.Sprintf("queues[%d]", i)
		r.name(key+".name", q.Name, seen)
		queues[q.Name] = true
		r.queue(key, q)
	}
	seen, claimed := map[string]string{}, map[string]string{}
	for i, s := range p.Sources {
		key := fmt.Sprintf("sources[%d]", i)
		r.name(key+".name", s.Name, seen)
		r.source(key, s, claimed)
		if s.Queue != "" && !queues[s.Queue] {
			r.add(key+".queue", fmt.Sprintf("no queue is called %q; name one under queues, or %s", s.Queue, DefaultQueue))
		}
	}
}

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// name notes a name that is malformed, reserved, or given before.
func (r *reader) name(key, name string, seen map[string]string) {
	switch {
	case !namePattern.MatchString(name):
		r.add(key, fmt.Sprintf("%q is not a name; write 1 to 63 of a-z, 0-9, - and _", name))
	case name == All:
		r.add(key, `"all" means every one; choose another name`)
	case seen[name] != "":
		r.add(key, fmt.Sprintf("%q is taken by %s; each name is given once", name, seen[name]))
	default:
		seen[name] = strings.TrimSuffix(key, ".name")
	}
}

// queue notes what is wrong with one queue (I10, I12, I20).
func (r *reader) queue(key string, q Queue) {
	if q.Approvers != nil {
		r.approvers(key+".approvers", *q.Approvers)
	}
	if _, _, err := parseExpiry(q.Expiry); err != nil {
		r.add(key+".expiry", err.Error())
	}
	seen := map[string]bool{}
	for i, b := range q.Bindings {
		at := fmt.Sprintf("%s.bindings[%d]", key, i)
		if !r.oneOf(at+".surface", b.Surface, platforms...) {
			continue
		}
		if !bindingAccount[b.Surface].MatchString(b.Account) {
			r.add(at+".account", badForm(b.Account, bindingAccountForm[b.Surface]))
		}
		if !bindingChannel[b.Surface].MatchString(b.Channel) {
			r.add(at+".channel", badForm(b.Channel, bindingChannelForm[b.Surface]))
		}
		place := b.Surface + " " + strings.ToLower(b.Account) + " " + b.Channel
		if seen[place] {
			r.add(at, "the same place twice in one queue; name each once")
		}
		seen[place] = true
	}
}

// parseExpiry reads a queue's expiry: empty for the usual, "never", or a
// duration of one minute to 365 days (I10).
func parseExpiry(s string) (d time.Duration, never bool, err error) {
	switch s {
	case "":
		return WithoutSay, false, nil
	case "never":
		return 0, true, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n int
		if n, err = strconv.Atoi(days); err == nil && n > 0 && n <= 365 {
			return time.Duration(n) * 24 * time.Hour, false, nil
		}
	} else if d, err = time.ParseDuration(s); err == nil && d >= time.Minute && d <= 365*24*time.Hour {
		return d, false, nil
	}
	return 0, false, fmt.Errorf(`%q is not an expiry; write "never" or a duration from 1m to 365d, such as 48h`, s)
}
