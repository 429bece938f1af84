package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

func (t *trial) deploy(answers ...string) (string, error) {
	out, errs, code, err := t.command(answers, "infra/deploy/run.sh", t.stack)
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	return out + errs, err
}

// first answers every question as somebody with three apps would.
func (t *trial) first() (string, error) {
	k := t.world.keys
	said, err := t.deploy("ops@example.com", t.url, "scripted:demo", "y", "y", "y",
		k.signing, k.bot,
		t.world.feishu, "cli_dev", k.appSecret, k.encryptKey, k.verification,
		k.webhook, "postern-agent", "", k.token,
		"infra/policy/dev.yaml")
	if err != nil {
		return "", err
	}
	for _, want := range []string{"request_url: " + t.url + "/hooks/slack", "github.com/settings/apps/new?", t.url + "/hooks/feishu", "/login?key=", "Nothing is wrong."} {
		if !strings.Contains(said, want) {
			return "", fmt.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	got, err := t.secret("slack")
	if err != nil || got["signing_secret"] != k.signing || got["bot_token"] != k.bot {
		return "", fmt.Errorf("the secret holds %d keys, %w", len(got), err)
	}
	return "asked, deployed twice, manifests with the real address, a policy, a sign-in link, and doctor finds nothing wrong", nil
}

// clean looks for a key where none may be.
func (t *trial) clean() (string, error) {
	if t.holds([]byte(t.said)) {
		return "", errors.New("a key was printed")
	}
	n := 0
	for _, dir := range []string{t.tmp, filepath.Join(t.root, ".aws-sam", "build")} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			raw, err := os.ReadFile(path)
			if n++; err == nil && t.holds(raw) {
				err = fmt.Errorf("a key lies in %s", path)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("none in what was printed, in any command line, or in the %d files that were left", n), nil
}

// again answers everything with Enter: what is there is kept.
func (t *trial) again() (string, error) {
	said, err := t.deploy("", "", "", "", "", "", "", "", "")
	if err != nil {
		return "", err
	}
	if !strings.Contains(said, "[ops@example.com]") || !strings.Contains(said, "Slack is connected") || strings.Contains(said, "No policy is saved") {
		return "", errors.New("it does not offer what is there:\n" + said)
	}
	got, err := t.secret("github")
	if err != nil || got["token"] != t.world.keys.token {
		return "", fmt.Errorf("the secret changed: %d keys, %w", len(got), err)
	}
	return "everything was offered and kept", nil
}

func (t *trial) aws() (aws.Config, error) { return config.LoadDefaultConfig(t.ctx) }

func (t *trial) secret(connector string) (map[string]string, error) {
	cfg, err := t.aws()
	if err != nil {
		return nil, err
	}
	out, err := secretsmanager.NewFromConfig(cfg).GetSecretValue(context.WithoutCancel(t.ctx), &secretsmanager.GetSecretValueInput{SecretId: aws.String(t.stack + "/" + connector)})
	if err != nil {
		return nil, err
	}
	var values map[string]string
	return values, json.Unmarshal([]byte(aws.ToString(out.SecretString)), &values)
}
