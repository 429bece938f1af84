package slack

import (
	"cmp"
	"strings"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// interaction is what we read of a click. The message it echoes is read for
// three fields only; its blocks, which may hold anybody's elements, are not.
type interaction struct {
	Type              loose     `json:"type"`
	App               loose     `json:"api_app_id"`
	EnterpriseInstall loose     `json:"is_enterprise_install"`
	Enterprise        reference `json:"enterprise"`
	Team              reference `json:"team"`
	Channel           reference `json:"channel"`
	User              person    `json:"user"`
	Container         shown     `json:"container"`
	Message           echoed    `json:"message"`
	Trigger           loose     `json:"trigger_id"`
	Actions           []action  `json:"actions"`
}

type reference struct {
	ID loose `json:"id"`
}

type person struct {
	ID       loose `json:"id"`
	Team     loose `json:"team_id"`
	Username loose `json:"username"`
	Name     loose `json:"name"`
}

type shown struct {
	Channel   loose `json:"channel_id"`
	MessageTS loose `json:"message_ts"`
	ThreadTS  loose `json:"thread_ts"`
}

type echoed struct {
	TS       loose `json:"ts"`
	ThreadTS loose `json:"thread_ts"`
	Team     loose `json:"team"`
}

type action struct {
	Value loose `json:"value"`
	TS    loose `json:"action_ts"`
}

// interaction reads the payload of a click. Only a button whose value we signed
// ourselves is an answer; everything else is dropped.
func (r *Receiver) interaction(payload []byte) (delivery.Delivery, error) {
	d := delivery.Delivery{Platform: trigger.Slack, Event: "interaction"}
	var in interaction
	if !decode(payload, &in) {
		return d, delivery.Unreadable("payload is not JSON")
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
		Name: short(cmp.Or(in.User.Username, in.User.Name)), Kind: actor.Human,
	}
}

// shown is the message that was clicked. Channel and time stamp are the same
// for every viewer, the team is not (B19): the poster's team, which is ours,
// comes first. A parent's own thread is the channel, as when it was posted.
func (in *interaction) shown() inbox.Reference {
	ts := cmp.Or(in.Container.MessageTS, in.Message.TS)
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
func (in *interaction) delivery(a action) string {
	return strings.Join([]string{
		short(cmp.Or(in.Container.Channel, in.Channel.ID)), short(cmp.Or(in.Container.MessageTS, in.Message.TS)),
		short(in.User.ID), short(a.TS),
	}, ":")
}
