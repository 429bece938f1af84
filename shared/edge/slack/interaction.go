package slack

// interaction is what we read of a click. The message it echoes is read for
// three fields only; its blocks, which may hold anybody's elements, are not
// (B23). The trigger_id and response_url are bearer secrets and not read at all.
type interaction struct {
	Type              loose
	EnterpriseInstall loose
	Enterprise        object
	Team              object
	Channel           object
	User              object
	Container         object
	Message           object
	Actions           []object
}

// object is the few fields that the objects inside a click have in common.
type object struct {
	ID       loose
	Team     loose // team_id of a user, team of a message
	Name     loose
	Channel  loose
	TS       loose // message_ts, ts, or action_ts
	ThreadTS loose
	Value    loose
}

func (in *interaction) field(r reader, name string) error {
	switch name {
	case "type":
		return r.text(&in.Type)
	case "is_enterprise_install":
		return r.text(&in.EnterpriseInstall)
	case "enterprise":
		return r.object(in.Enterprise.field)
	case "team":
		return r.object(in.Team.field)
	case "channel":
		return r.object(in.Channel.field)
	case "user":
		return r.object(in.User.field)
	case "container":
		return r.object(in.Container.field)
	case "message":
		return r.object(in.Message.field)
	case "actions":
		return r.list(func(r reader) error {
			var a object
			err := r.object(a.field)
			in.Actions = append(in.Actions, a)
			return err
		})
	}
	return r.skip()
}

func (o *object) field(r reader, name string) error {
	switch name {
	case "id":
		return r.text(&o.ID)
	case "team_id", "team":
		return r.text(&o.Team)
	case "username":
		return r.text(&o.Name)
	case "channel_id":
		return r.text(&o.Channel)
	case "message_ts", "ts", "action_ts":
		return r.text(&o.TS)
	case "thread_ts":
		return r.text(&o.ThreadTS)
	case "value":
		return r.text(&o.Value)
	}
	return r.skip()
}
