package event

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/slack"
	devfeishu "github.com/postern-dev/postern/shared/local/standin/feishu"
	devgithub "github.com/postern-dev/postern/shared/local/standin/github"
	devslack "github.com/postern-dev/postern/shared/local/standin/slack"
)

// DevLinkKey signs the buttons of cards in development, the demo and the event
// files. It protects nothing.
const DevLinkKey = "dev-link-key-000000000000000000000"

// Secrets are what deliveries are verified and signed with. A platform without
// any is not configured.
type Secrets struct {
	Slack   *slack.Secrets
	Feishu  *feishu.Secrets
	GitHub  *github.Secrets
	LinkKey []byte
}

// DevSecrets are those of development: the stand-ins and the event files use
// them.
func DevSecrets() Secrets {
	s, f, g := devslack.DevSecrets(), devfeishu.DevSecrets(), devgithub.DevSecrets()
	return Secrets{Slack: &s, Feishu: &f, GitHub: &g, LinkKey: []byte(DevLinkKey)}
}

// ParseSecrets reads a secrets file: one JSON object with a member for each
// configured platform, in the form its connector's secret has, and link for
// the key of buttons. No error repeats a value.
func ParseSecrets(raw []byte) (Secrets, error) {
	var in struct {
		Slack, Feishu, GitHub json.RawMessage
		Link                  struct {
			Key string `json:"key"`
		} `json:"link"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return Secrets{}, errors.New(`the secrets file is no JSON object of the form {"slack": {...}, "feishu": {...}, "github": {...}, "link": {"key": "..."}}`)
	}
	out := Secrets{LinkKey: []byte(DevLinkKey)}
	if in.Link.Key != "" {
		out.LinkKey = []byte(in.Link.Key)
	}
	err := errors.Join(one(in.Slack, &out.Slack, slack.ParseSecrets), one(in.Feishu, &out.Feishu, feishu.ParseSecrets), one(in.GitHub, &out.GitHub, github.ParseSecrets))
	if err == nil && out.Slack == nil && out.Feishu == nil && out.GitHub == nil {
		err = fmt.Errorf("the secrets file names no platform; it takes the members slack, feishu and github")
	}
	return out, err
}

func one[T any](raw json.RawMessage, into **T, parse func([]byte) (T, error)) error {
	if raw == nil {
		return nil
	}
	v, err := parse(raw)
	*into = &v
	return err
}
