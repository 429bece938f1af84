package simulation

import (
	"context"
	"errors"
	"slices"

	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/store"
)

// The people of the world. U0 and U1 are listed and may answer; U2 is listed
// and may not; U3 is a stranger.
var (
	deciders = []string{"slack:T1/U0", "slack:T1/U1", "panel:ada"}
	opsTeam  = []string{"feishu:cli_1/ou_0", "feishu:cli_1/ou_1", "slack:T1/U0", "panel:ada"}
)

func thePolicy() policy.Policy {
	a, b := slices.Clone(deciders), slices.Clone(opsTeam)
	return policy.Policy{
		Owners: []string{"panel:ada"},
		Sources: []policy.Source{
			{Name: "slack", Platform: "slack", Accounts: []string{"T1"}, Listed: []string{"slack:T1/U0", "slack:T1/U1", "slack:T1/U2"},
				Scopes: []policy.Scope{{Name: "C1", Receive: "all"}, {Name: "C2"}, {Name: "direct"}}, Mode: "interactive", TellRefused: true},
			{Name: "feishu", Platform: "feishu", Accounts: []string{"cli_1"}, Listed: []string{"feishu:cli_1/ou_0", "feishu:cli_1/ou_2"},
				Scopes: []policy.Scope{{Name: "oc_1"}}, Mode: "interactive", Queue: "ops"},
			{Name: "github", Platform: "github", Accounts: []string{"acme/shop"}, Listed: []string{"github:100"},
				Scopes: []policy.Scope{{Name: "issues"}, {Name: "comments", Receive: "all"}}, Mode: "auto", Queue: "ops"},
		},
		Queues: []policy.Queue{
			{Name: "default", Approvers: &a, Expiry: "1h",
				Bindings: []policy.Binding{{Surface: "slack", Account: "T1", Channel: "CQ", Private: true}}},
			{Name: "ops", Approvers: &b, Expiry: "10m", NoSelf: true, Bindings: []policy.Binding{
				{Surface: "feishu", Account: "cli_1", Channel: "oc_q", Private: true},
				{Surface: "github", Account: "acme/shop", Channel: "9"}}},
		},
	}
}

// editPolicy is an owner who takes an approver off a queue's list, or puts him
// back, or for a while lets nobody answer (I12). What he saved counts from then
// on.
func (w *World) editPolicy() {
	queue, all := w.rng.IntN(2), deciders
	if queue == 1 {
		all = opsTeam
	}
	var kept []string
	whole := w.chance(60)
	for _, ref := range all {
		if whole || !w.chance(30) {
			kept = append(kept, ref)
		}
	}
	if w.chance(5) {
		kept = nil // nobody
	}
	w.spawn("policy", func(ctx context.Context) error {
		p, err := w.store.Policy(ctx)
		if err != nil {
			return err
		}
		queues := slices.Clone(p.Queues)
		queues[queue].Approvers = &kept
		if kept == nil {
			queues[queue].Approvers = &[]string{}
		}
		p.Queues = queues
		actions, err := store.SavePolicy(p.Version, p, "", "panel:ada", w.now)
		if err != nil {
			return err
		}
		lost, err := w.store.Do(ctx, w.id(), actions...)
		if lost != nil {
			return errors.New("saved by somebody else meanwhile")
		}
		w.counts["policy_edits"]++
		return err
	}, func(*proc) {})
}

// everyone gives the queues their lists back, so that what is clicked at the
// end is answered.
func (w *World) everyone() {
	p, err := w.clean.Policy(context.Background())
	if err != nil {
		panic(err)
	}
	p.Queues = thePolicy().Queues
	actions, err := store.SavePolicy(p.Version, p, "", "panel:ada", w.now)
	if err != nil {
		panic(err)
	}
	if _, err := w.clean.Do(context.Background(), "everyone", actions...); err != nil {
		panic(err)
	}
}
