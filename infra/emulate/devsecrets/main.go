// Command devsecrets prints the secrets of the stand-ins as one JSON object,
// one member for each connector, in the form that the connector reads. An
// emulated deployment is seeded with them, so that stand-ins and event files
// fit. It is never used where anything real is connected.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/postern-dev/postern/shared/local/standin/feishu"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

func main() {
	err := json.NewEncoder(os.Stdout).Encode(map[string]any{
		"slack":  slack.DevSecrets(),
		"feishu": feishu.DevSecrets(),
		"github": github.DevSecrets(),
	})
	if err != nil {
		log.Fatal(err)
	}
}
