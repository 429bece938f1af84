package slack

// message is what we read of the inner event.
type message struct {
	Type        loose
	Subtype     loose
	Channel     loose
	ChannelType loose
	User        loose
	UserTeam    loose
	SourceTeam  loose
	Team        loose
	Username    loose
	Text        loose
	TS          loose
	ThreadTS    loose
	BotID       loose
	App         loose
	BotProfile  *profile
	Blocks      []element
}

// profile is what a bot's message says of its app.
type profile struct {
	App  loose
	Name loose
}

func (m *message) field(r reader, name string) error {
	switch name {
	case "type":
		return r.text(&m.Type)
	case "subtype":
		return r.text(&m.Subtype)
	case "channel":
		return r.text(&m.Channel)
	case "channel_type":
		return r.text(&m.ChannelType)
	case "user":
		return r.text(&m.User)
	case "user_team":
		return r.text(&m.UserTeam)
	case "source_team":
		return r.text(&m.SourceTeam)
	case "team":
		return r.text(&m.Team)
	case "username":
		return r.text(&m.Username)
	case "text":
		return r.text(&m.Text)
	case "ts":
		return r.text(&m.TS)
	case "thread_ts":
		return r.text(&m.ThreadTS)
	case "bot_id":
		return r.text(&m.BotID)
	case "app_id":
		return r.text(&m.App)
	case "bot_profile":
		return m.profile(r)
	case "blocks":
		return elements(r, &m.Blocks)
	}
	return r.skip()
}

// profile reads bot_profile. That there is one, of whatever type, already says
// that a bot wrote this.
func (m *message) profile(r reader) error {
	if r.null() {
		return r.skip()
	}
	m.BotProfile = &profile{}
	return r.object(func(r reader, name string) error {
		switch name {
		case "app_id":
			return r.text(&m.BotProfile.App)
		case "name":
			return r.text(&m.BotProfile.Name)
		}
		return r.skip()
	})
}

// element is a block or a part of one. Only what a mention needs is read; every
// other kind of block, known to us or not, passes through unread (B23).
type element struct {
	Type     loose
	User     loose
	Code     loose // style.code
	Elements []element
}

func elements(r reader, into *[]element) error {
	return r.list(func(r reader) error {
		var e element
		err := r.object(e.field)
		*into = append(*into, e)
		return err
	})
}

func (e *element) field(r reader, name string) error {
	switch name {
	case "type":
		return r.text(&e.Type)
	case "user_id":
		return r.text(&e.User)
	case "elements":
		return elements(r, &e.Elements)
	case "style":
		return r.object(func(r reader, name string) error {
			if name == "code" {
				return r.text(&e.Code)
			}
			return r.skip()
		})
	}
	return r.skip()
}
