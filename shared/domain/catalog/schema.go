package catalog

import "encoding/json"

// object writes the JSON Schema of a tool's arguments: an object with these
// properties and no others. properties is the inside of a JSON object.
func object(properties string, required ...string) json.RawMessage {
	need, _ := json.Marshal(append([]string{}, required...))
	return json.RawMessage(`{"type":"object","properties":{` + properties +
		`},"required":` + string(need) + `,"additionalProperties":false}`)
}

const (
	accountProperty = `"account":{"type":"string","description":"Which connected account to use; leave out for the default one."}`
	noteProperty    = `"note":{"type":"string","description":"What to remember; it comes back on waking."}`
)
