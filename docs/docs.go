// Package docs holds the files of this folder that the program itself hands
// out. It reads nothing of them.
package docs

import _ "embed"

// PolicySchema is the JSON Schema of policy.yaml, for editors (U12).
//
//go:embed policy.schema.json
var PolicySchema []byte
