package catalog

import "time"

var slack = Capability{
	ID: "slack", Name: "Slack", Description: "Write to Slack channels and threads.",
	Requires: []string{"connector:slack"},
	Tools: []Tool{{
		Name: "slack_send_message", Risk: External, Hosted: true, Timeout: 15 * time.Second,
		Description: "Send a message to a Slack conversation.",
		Target:      Target{Arg: "channel", Kind: Channel, Covers: []string{"text", "thread_ts"}},
		Schema: object(`"channel":{"type":"string","description":"The conversation's id, for example C0123456789."},
"text":{"type":"string"},"thread_ts":{"type":"string","description":"Answer in this thread."},`+accountProperty,
			"channel", "text"),
	}},
}

var feishu = Capability{
	ID: "feishu", Name: "Feishu", Description: "Write to Feishu chats.",
	Requires: []string{"connector:feishu"},
	Tools: []Tool{{
		Name: "feishu_send_message", Risk: External, Timeout: 15 * time.Second,
		Description: "Send a message to a Feishu chat.",
		Target:      Target{Arg: "chat", Kind: Chat, Covers: []string{"text", "reply_to"}},
		Schema: object(`"chat":{"type":"string","description":"The chat's id, oc_...; or a person's, ou_...."},
"text":{"type":"string"},"reply_to":{"type":"string","description":"Answer this message id."},`+accountProperty,
			"chat", "text"),
	}},
}

var email = Capability{
	ID: "email", Name: "Mail", Description: "Send mail.",
	Requires: []string{"connector:email"},
	Tools: []Tool{{
		Name: "email_send", Risk: External, Timeout: 30 * time.Second,
		Description: "Send a mail.",
		Target:      Target{Arg: "to", Kind: Address, Covers: []string{"subject", "body"}},
		Schema: object(`"to":{"type":"string"},"cc":{"type":"array","items":{"type":"string"}},
"bcc":{"type":"array","items":{"type":"string"}},"subject":{"type":"string"},"body":{"type":"string"},
"attachments":{"type":"array","items":{"type":"string"}},`+accountProperty, "to", "subject", "body"),
	}},
}
