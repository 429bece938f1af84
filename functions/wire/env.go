// Package wire is what the functions' mains share: the environment, the AWS
// clients, the connectors' edges (D1 to D3). Each main takes what it needs and
// starts.
//
// It holds no decision and no handler. A configured connector whose secret is
// missing or empty stops the start with a message (Q8).
package wire

import (
	"fmt"
	"os"
	"strings"
)

// Env is the environment of a function. Empty means not set; an absent secret
// means that its Source is not configured (G52).
type Env struct {
	Table         string
	TriggersQueue string
	OutboundQueue string
	TurnsQueue    string
	WakesQueue    string
	WakesQueueARN string
	ScheduleGroup string
	ScheduleRole  string
	SlackSecret   string
	FeishuSecret  string
	GitHubSecret  string
	ModelSecret   string
	LinkSecret    string
	PublicURL     string
	Model         string
	LogLevel      string
}

// FromEnv reads the environment.
func FromEnv() Env {
	get := func(name string) string { return strings.TrimSpace(os.Getenv("POSTERN_" + name)) }
	return Env{
		Table: get("TABLE"), TriggersQueue: get("TRIGGERS_QUEUE"), OutboundQueue: get("OUTBOUND_QUEUE"),
		TurnsQueue: get("TURNS_QUEUE"), WakesQueue: get("WAKES_QUEUE"), WakesQueueARN: get("WAKES_QUEUE_ARN"),
		ScheduleGroup: get("SCHEDULE_GROUP"), ScheduleRole: get("SCHEDULE_ROLE_ARN"),
		SlackSecret: get("SLACK_SECRET"), FeishuSecret: get("FEISHU_SECRET"), GitHubSecret: get("GITHUB_SECRET"),
		ModelSecret: get("MODEL_SECRET"), LinkSecret: get("LINK_SECRET"),
		PublicURL: strings.TrimSuffix(get("PUBLIC_URL"), "/"), Model: get("MODEL"), LogLevel: get("LOG_LEVEL"),
	}
}

// need says which variables are missing.
func need(vars map[string]string) error {
	var missing []string
	for name, value := range vars {
		if value == "" {
			missing = append(missing, "POSTERN_"+name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the environment lacks %s; deploy with the project's template", strings.Join(missing, ", "))
	}
	return nil
}
