package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// table reads the policy, which tells whether the table can be reached.
func (d *doctor) table(ctx context.Context) (policy.Policy, bool) {
	p, err := d.Store.Policy(ctx)
	if err != nil {
		d.bad("table.silent", "The table cannot be read: "+err.Error()+".",
			"Are these credentials of the right account and region, and may they read the table? After a deletion of the stack the table is still there.")
		return p, false
	}
	return p, true
}

// rules looks at the policy for what makes a deployment silent: nobody may
// start, nobody may answer, nothing listens (Q8 makes all of that the default).
func (d *doctor) rules() {
	if !d.known {
		return
	}
	p := d.policy
	if p.Version == 0 {
		d.bad("policy.none", "No policy is saved: nobody may start work and nobody may answer.",
			"Write one (infra/policy/example.yaml says what each key means): postern policy apply policy.yaml")
		return
	}
	before := d.wrong
	if len(p.Owners) == 0 {
		d.bad("policy.owners", "The policy names no owners: nobody may change it in the panel.", "Name one under owners, such as panel:ada, and apply it.")
	}
	for _, q := range append([]policy.Queue{{Name: policy.DefaultQueue}}, p.Queues...) {
		if refs, from := p.Approvers(q.Name); len(refs) == 0 && (q.Name != policy.DefaultQueue || !named(p)) {
			d.bad("policy.approvers", "Nobody may answer queue "+q.Name+": the list of "+from+" is empty.", "List approvers for it, or owners, and apply the policy.")
		}
	}
	for _, s := range p.Sources {
		if _, ok := d.Secrets[s.Platform]; !ok {
			d.bad("policy.source", "Source "+s.Name+" listens to "+s.Platform+", which is not connected.", "postern setup "+s.Platform+" "+d.Stack+", or take the Source out.")
		}
		if len(s.Listed) == 0 {
			d.note("policy.listed", "Source "+s.Name+" lists nobody: only what its table admits of strangers starts work there.", "")
		}
	}
	for _, platform := range []string{trigger.Slack, trigger.Feishu, trigger.GitHub} {
		if _, ok := d.Secrets[platform]; ok && !d.sourced(platform) {
			d.note("policy.unheard", platform+" is connected, and no Source listens to it: its messages are not received.", "")
		}
		if _, ok := d.Secrets[platform]; !ok {
			for _, b := range d.bindings(platform) {
				d.bad("policy.binding", "Queue "+b.queue+" shows its cards on "+platform+", which is not connected.", "Connect it, or take the binding out.")
			}
		}
	}
	for _, w := range p.Warnings() {
		if strings.Contains(w, "(I26)") {
			d.note("policy.mixed", w+".", "")
		}
	}
	if len(p.Paused) > 0 {
		d.note("policy.paused", "Paused: "+strings.Join(p.Paused, ", ")+". What comes in is kept and starts nothing.", "postern unpause ends it.")
	}
	if d.wrong == before {
		d.ok("policy", fmt.Sprintf("Policy version %d: %d owners, %d Sources, %d queues.", p.Version, len(p.Owners), len(p.Sources), len(p.Queues)))
	}
}

// named reports whether the policy has a default queue of its own, which is
// then looked at in its turn.
func named(p policy.Policy) bool {
	return slices.ContainsFunc(p.Queues, func(q policy.Queue) bool { return q.Name == policy.DefaultQueue })
}

func (d *doctor) sourced(platform string) bool {
	return slices.ContainsFunc(d.policy.Sources, func(s policy.Source) bool { return s.Platform == platform })
}

// listens reports whether some Source of a platform listens to such an
// account. A policy that is not known, or has no Source of it, is no fault.
func (d *doctor) listens(platform string, is func(account string) bool) bool {
	for _, s := range d.policy.Sources {
		if s.Platform == platform && slices.ContainsFunc(s.Accounts, is) {
			return true
		}
	}
	return !d.sourced(platform)
}

type binding struct{ queue, account, channel string }

func (d *doctor) bindings(surface string) []binding {
	var out []binding
	for _, q := range d.policy.Queues {
		for _, b := range q.Bindings {
			if b.Surface == surface {
				out = append(out, binding{q.Name, b.Account, b.Channel})
			}
		}
	}
	return out
}
