package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/postern-dev/postern/cmd/postern/internal/doctor"
	"github.com/postern-dev/postern/cmd/postern/internal/event"
	"github.com/postern-dev/postern/cmd/postern/internal/stack"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/llm/anthropic"
	"github.com/postern-dev/postern/shared/edge/llm/bedrock"
	"github.com/postern-dev/postern/shared/edge/llm/openai"
	"github.com/postern-dev/postern/shared/edge/secret"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/queue"
)

// lookTime bounds one call that doctor makes.
const lookTime = 20 * time.Second

func target(ctx context.Context, name string, w *where, url, model string) (doctor.Target, func(), error) {
	if name == "" {
		return devTarget(ctx, w, or(url, devURL), model)
	}
	s, err := stack.Open(ctx, name)
	if err != nil {
		return doctor.Target{}, nil, err
	}
	return stackTarget(ctx, s, url, model)
}

// looker is the client doctor looks with. Names under .localhost, which
// emulators use, are this machine wherever the resolver does not know them.
func looker() *http.Client {
	dial := (&net.Dialer{Timeout: lookTime}).DialContext
	return &http.Client{Timeout: lookTime, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if host, port, err := net.SplitHostPort(addr); err == nil && strings.HasSuffix(host, ".localhost") {
				addr = net.JoinHostPort("127.0.0.1", port)
			}
			return dial(ctx, network, addr)
		}}}
}

// devTarget is a postern dev with its stand-ins.
func devTarget(ctx context.Context, w *where, url, model string) (doctor.Target, func(), error) {
	p, err := w.open(ctx)
	if err != nil {
		return doctor.Target{}, nil, err
	}
	var cfg local.Config
	(&local.World{}).Connect(&cfg, url+"/platforms")
	t := doctor.Target{URL: url, HTTP: looker(), Store: p.Store, Now: now, Secrets: map[string]doctor.Secret{
		"link": {Name: "of postern dev", Values: map[string]string{"key": event.DevLinkKey}}}}
	for platform, x := range map[string]struct {
		values any
		api    string
	}{trigger.Slack: {cfg.Slack, cfg.SlackAPI}, trigger.Feishu: {cfg.Feishu, cfg.FeishuAPI}, trigger.GitHub: {cfg.GitHub, cfg.GitHubAPI}} {
		v, err := plain(x.values)
		if err != nil {
			return t, nil, errors.Join(err, p.close())
		}
		v["api"] = x.api
		t.Secrets[platform] = doctor.Secret{Name: "of the stand-ins", Values: v}
	}
	t.Queues = func(ctx context.Context) (map[string]doctor.Depth, error) { return folderDepths(ctx, w.dir) }
	model = or(model, "scripted:dev")
	t.Provider, _, _ = strings.Cut(model, ":")
	t.Model = func(ctx context.Context) (doctor.Talker, string, error) { return talker(model) }
	return t, func() { _ = p.close() }, nil
}

// plain gives a form of secrets as the strings that a stored one holds.
func plain(form any) (map[string]string, error) {
	raw, err := json.Marshal(form)
	if err != nil {
		return nil, err
	}
	fields, out := map[string]any{}, map[string]string{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	for k, v := range fields {
		if s, ok := v.(string); ok && s != "" {
			out[k] = s
		}
	}
	return out, nil
}

func folderDepths(ctx context.Context, dir string) (map[string]doctor.Depth, error) {
	q, err := queue.Open(filepath.Join(dir, "queues.db"), clock.Real{}, queue.Options{})
	if err != nil {
		return nil, err
	}
	depths, err := q.Depths(ctx)
	all := map[string]doctor.Depth{}
	for name, d := range depths {
		all[name] = doctor.Depth{Waiting: d.Ready + d.InFlight + d.Delayed, Dead: d.Dead}
	}
	return all, errors.Join(err, q.Close())
}

// stackTarget is a deployed stack: what it was deployed with says which
// secrets it reads.
func stackTarget(ctx context.Context, s *stack.Stack, url, model string) (doctor.Target, func(), error) {
	t := doctor.Target{URL: url, HTTP: looker(), Now: now, Since: s.Created, Stack: "--stack " + s.Name, Secrets: map[string]doctor.Secret{}}
	var err error
	if t.URL == "" {
		if t.URL, err = s.Output("Panel"); err != nil {
			return t, nil, err
		}
	}
	tableName, err := s.Output("TableName")
	if err != nil {
		return t, nil, err
	}
	p, err := (&where{table: tableName}).open(ctx)
	if err != nil {
		return t, nil, err
	}
	t.Store = p.Store
	secrets := secret.Manager{Client: secretsmanager.NewFromConfig(s.AWS)}
	arns := map[string]string{trigger.Slack: s.Parameters["SlackSecretArn"], trigger.Feishu: s.Parameters["FeishuSecretArn"],
		trigger.GitHub: s.Parameters["GithubSecretArn"]}
	if arns["link"], err = s.Physical(ctx, "LinkSecret"); err != nil {
		return t, nil, err
	}
	for connector, arn := range arns {
		if arn != "" {
			v, err := secrets.Read(ctx, arn)
			t.Secrets[connector] = doctor.Secret{Name: arn, Values: v, Err: err}
		}
	}
	t.Queues = func(ctx context.Context) (map[string]doctor.Depth, error) {
		depths, err := s.Depths(ctx)
		all := map[string]doctor.Depth{}
		for name, d := range depths {
			all[name] = doctor.Depth{Waiting: d.Ready + d.InFlight + d.Delayed, Dead: d.Dead}
		}
		return all, err
	}
	t.Reconciled = func(ctx context.Context) (time.Time, error) { return s.Reconciled(ctx, now().Add(-20*time.Minute)) }
	if model = or(model, s.Model()); model != "" {
		t.Provider, _, _ = strings.Cut(model, ":")
		t.Model = func(ctx context.Context) (doctor.Talker, string, error) { return stackTalker(ctx, s, secrets, model) }
	}
	return t, func() { _ = p.close() }, nil
}

// talker makes a model whose key is in the environment, nil for a scripted one.
func talker(name string) (doctor.Talker, string, error) {
	if strings.HasPrefix(name, "scripted:") {
		return nil, "", nil
	}
	return modelByName(name)
}

// stackTalker makes a stack's model with the stack's secret. Bedrock is asked
// with the caller's credentials, not the function's role.
func stackTalker(ctx context.Context, s *stack.Stack, secrets secret.Manager, name string) (doctor.Talker, string, error) {
	provider, model, _ := strings.Cut(name, ":")
	values := map[string]string{}
	if arn := s.Parameters["ModelSecretArn"]; arn != "" {
		var err error
		if values, err = secrets.Read(ctx, arn); err != nil {
			return nil, "", err
		}
	}
	hc := &http.Client{Timeout: lookTime}
	switch provider {
	case "scripted":
		return nil, "", nil
	case "openai":
		m, err := openai.New(openai.Config{BaseURL: values["base_url"], Key: values["api_key"], HTTP: hc})
		return m, model, err
	case "anthropic":
		m, err := anthropic.New(anthropic.Config{BaseURL: values["base_url"], Key: values["api_key"], HTTP: hc})
		return m, model, err
	case "bedrock":
		m, err := bedrock.New(bedrockruntime.NewFromConfig(s.AWS), lookTime)
		return m, model, err
	}
	return nil, "", fmt.Errorf("there is no model provider %q", provider)
}
