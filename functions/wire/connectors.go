package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/slack"
)

// httpTime is the longest one call to a platform may take.
const httpTime = 25 * time.Second

func httpClient() *http.Client { return &http.Client{Timeout: httpTime} }

// values reads one connector's secret as its edge's form.
func (b *Base) values(ctx context.Context, name string, into any) error {
	v, err := b.Secrets.Values(ctx, name)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// LinkKey reads the key that signs buttons.
func (b *Base) LinkKey(ctx context.Context) ([]byte, error) {
	if err := need(map[string]string{"LINK_SECRET": b.LinkSecret}); err != nil {
		return nil, err
	}
	key, err := b.Secrets.Value(ctx, b.LinkSecret, "key")
	if err == nil && len(key) < 16 {
		err = fmt.Errorf("secret %s: key is shorter than 16 characters", b.LinkSecret)
	}
	return []byte(key), err
}

// Slack reads Slack's secret; ok is false where Slack is not configured.
func (b *Base) Slack(ctx context.Context) (s slack.Secrets, base string, ok bool, err error) {
	if b.SlackSecret == "" {
		return s, "", false, nil
	}
	if err = b.values(ctx, b.SlackSecret, &s); err != nil {
		return s, "", false, err
	}
	base, err = b.Secrets.Optional(ctx, b.SlackSecret, "api")
	return s, base, true, err
}

// Feishu reads Feishu's secret; ok is false where Feishu is not configured.
func (b *Base) Feishu(ctx context.Context) (s feishu.Secrets, base string, ok bool, err error) {
	if b.FeishuSecret == "" {
		return s, "", false, nil
	}
	if err = b.values(ctx, b.FeishuSecret, &s); err != nil {
		return s, "", false, err
	}
	base, err = b.Secrets.Optional(ctx, b.FeishuSecret, "api")
	return s, base, true, err
}

// GitHub reads GitHub's secret; ok is false where GitHub is not configured.
func (b *Base) GitHub(ctx context.Context) (s github.Secrets, base string, ok bool, err error) {
	if b.GitHubSecret == "" {
		return s, "", false, nil
	}
	if err = b.values(ctx, b.GitHubSecret, &s); err != nil {
		return s, "", false, err
	}
	base, err = b.Secrets.Optional(ctx, b.GitHubSecret, "api")
	return s, base, true, err
}

// SlackClient makes Slack's client, nil where Slack is not configured.
func (b *Base) SlackClient(ctx context.Context) (*slack.Client, error) {
	s, base, ok, err := b.Slack(ctx)
	if err != nil || !ok {
		return nil, err
	}
	return slack.NewClient(s, base, httpClient())
}

// FeishuClient makes Feishu's client, nil where Feishu is not configured.
func (b *Base) FeishuClient(ctx context.Context) (*feishu.Client, error) {
	s, base, ok, err := b.Feishu(ctx)
	if err != nil || !ok {
		return nil, err
	}
	return feishu.NewClient(s, base, httpClient(), Now)
}

// GitHubClient makes GitHub's client, nil where GitHub is not configured.
func (b *Base) GitHubClient(ctx context.Context) (*github.Client, error) {
	s, base, ok, err := b.GitHub(ctx)
	if err != nil || !ok {
		return nil, err
	}
	if base == "" {
		base = github.API
	}
	return github.NewClient(s, base, httpClient(), Now)
}
