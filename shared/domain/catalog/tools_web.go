package catalog

import "time"

var web = Capability{
	ID: "web", Name: "Web", Description: "Read public pages.",
	Tools: []Tool{{
		Name: "web_fetch", Risk: Read, Hosted: true, Idempotent: true, Timeout: 30 * time.Second,
		Description: "Fetch a public page and return its text.",
		Schema:      object(`"url":{"type":"string","description":"http or https."}`, "url"),
	}},
}
