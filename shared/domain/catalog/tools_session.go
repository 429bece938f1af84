package catalog

// session is what every session has, whatever its persona names (S10, W1). Its
// tools are of class read: they only ask, note, or read the session's own
// state. Where they ask a person, the answer is the consent.
var session = Capability{
	ID: "session", Name: "Session", Description: "Ask people, sleep and be woken.",
	Tools: []Tool{
		{
			Name: "ask_user", Risk: Read, Hosted: true,
			Description: "Ask a person a question and wait for the answer.",
			Schema: object(`"question":{"type":"string"},
"options":{"type":"array","items":{"type":"string"},"description":"Choices to offer."},
"allow_text":{"type":"boolean","description":"Whether free text is an answer; true unless said."},
"multi":{"type":"boolean","description":"Whether several options may be chosen."}`, "question"),
		},
		{
			Name: "propose_plan", Risk: Read,
			Description: "In plan mode: propose a plan and wait until a person approves or rejects it.",
			Schema:      object(`"plan":{"type":"string","description":"The plan, as Markdown."}`, "plan"),
		},
		{
			Name: "request_directory", Risk: Read,
			Description: "Ask a person to grant a folder or repository.",
			Schema: object(`"reason":{"type":"string"},"path":{"type":"string"},"writable":{"type":"boolean"}`,
				"reason"),
		},
		{
			Name: "notify", Risk: Read,
			Description: "Tell the session's people something; nobody has to answer.",
			Schema:      object(`"title":{"type":"string"},"text":{"type":"string"}`, "title"),
		},
		{
			Name: "sleep_for", Risk: Read, Hosted: true,
			Description: "End the turn and be woken after some seconds.",
			Schema: object(`"seconds":{"type":"integer","minimum":0,"maximum":31536000},`+noteProperty,
				"seconds"),
		},
		{
			Name: "sleep_until", Risk: Read,
			Description: "End the turn and be woken at a time.",
			Schema: object(`"time":{"type":"string","description":"RFC 3339, for example 2026-01-31T09:00:00Z."},`+
				noteProperty, "time"),
		},
		{
			Name: "wake_on", Risk: Read,
			Description: "End the turn and be woken when a job has ended.",
			Schema:      object(`"job":{"type":"string"},`+noteProperty, "job"),
		},
		{
			Name: "wake_on_event", Risk: Read,
			Description: "End the turn and be woken by an event.",
			Schema: object(`"key":{"type":"string","description":"For example github:pr:OWNER/REPO#N:merged."},`+
				noteProperty, "key"),
		},
		{
			Name: "list_wakes", Risk: Read,
			Description: "List this session's pending wakes.",
			Schema:      object(``),
		},
		{
			Name: "cancel_wake", Risk: Read,
			Description: "Cancel one of this session's wakes.",
			Schema:      object(`"wake":{"type":"string"}`, "wake"),
		},
	},
}
