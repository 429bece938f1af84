package slack

import (
	"cmp"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// interaction reads the payload of a click. Only a button whose value we signed
// ourselves is an answer; everything else is dropped.
func (r *Receiver) interaction(payload []byte) (delivery.Delivery, error) {
	d := delivery.Delivery{Platform: trigger.Slack, Event: "interaction"}
	var in interaction
	if !read(payload, in.field) {
		return d, delivery.Unreadable("payload is not a JSON object")
	}
	d.Event = cmp.Or(short(in.Type), "interaction")
	if in.Type != "block_actions" {
		d.Drop = "unknown interaction"
		return d, nil
	}
	for i := range in.Actions {
		b, err := inbox.ParseButton(r.linkKey, string(in.Actions[i].Value))
		if err != nil {
			continue
		}
		d.ID = in.delivery(in.Actions[i])
		if !id(in.User.ID) || !id(cmp.Or(in.User.Team, in.Team.ID)) {
			d.Drop = "names no sender"
			return d, nil
		}
		d.Answer = &inbox.Answer{
			Item: b.Item, Digest: b.Digest, Choice: b.Choice,
			Actor: in.who(), Via: trigger.Slack, Delivery: d.ID, Shown: in.shown(),
			// Two choices of one instant are two attempts, never one repeated.
			ID: "slack:" + d.ID + ":" + b.Choice,
		}
		return d, nil
	}
	d.Drop = "not one of our buttons"
	return d, nil
}

// who clicked, with the clicker's own workspace, which in a shared channel is
// not ours.
func (in *interaction) who() actor.Actor {
	return actor.Actor{
		Provider: trigger.Slack, Workspace: string(cmp.Or(in.User.Team, in.Team.ID)), ID: string(in.User.ID),
		Name: short(in.User.Name), Kind: actor.Human,
	}
}

// shown is the message that was clicked. Channel and time stamp are the same
// for every viewer, the team is not (B19): the poster's team, which is ours,
// comes first. A parent's own thread is the channel, as when it was posted.
func (in *interaction) shown() inbox.Reference {
	ts := cmp.Or(in.Container.TS, in.Message.TS)
	channel := cmp.Or(in.Container.Channel, in.Channel.ID)
	if !stamp(ts) || !id(channel) {
		return inbox.Reference{}
	}
	thread := cmp.Or(in.Container.ThreadTS, in.Message.ThreadTS)
	if thread == ts || !stamp(thread) {
		thread = ""
	}
	account := cmp.Or(in.Message.Team, in.Team.ID)
	if in.EnterpriseInstall == "true" {
		account = in.Enterprise.ID
	}
	return inbox.Reference{
		Place: trigger.Place{
			Surface: trigger.Slack, Account: short(account), Channel: string(channel), Thread: string(thread),
		},
		Message: string(ts),
	}
}

// delivery names this click. Slack gives none: what does not change when the
// same request comes again is where, who and when. Not the team (B19), and not
// the trigger_id, which is a bearer secret.
func (in *interaction) delivery(a object) string {
	return strings.Join([]string{
		short(cmp.Or(in.Container.Channel, in.Channel.ID)), short(cmp.Or(in.Container.TS, in.Message.TS)),
		short(in.User.ID), short(a.TS),
	}, ":")
}
