package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/dynamo"
	"github.com/postern-dev/postern/tests/door"
)

type finding struct{ Check, Level, Says, Do string }

type examined struct {
	Wrong    int
	Findings []finding
}

func (x examined) red() (checks []string) {
	for _, f := range x.Findings {
		if f.Level == "wrong" {
			checks = append(checks, f.Check)
		}
	}
	return checks
}

func (t *trial) healthy() (string, error) {
	var x examined
	if err := t.ours(0, &x, "doctor", "--stack", t.stack); err != nil {
		return "", err
	}
	for _, want := range []string{"address", "slack.entrance", "slack", "slack.channel", "feishu.entrance", "feishu", "github.entrance", "github", "link", "policy", "queues"} {
		if !slices.ContainsFunc(x.Findings, func(f finding) bool { return f.Check == want && f.Level == "ok" }) {
			return "", fmt.Errorf("%s was not looked at: %+v", want, x.Findings)
		}
	}
	return fmt.Sprintf("%d findings, none wrong", len(x.Findings)), nil
}

type state struct {
	State  string
	Queues map[string]struct{ Ready, Dead int }
	Stuck  []string
}

func (t *trial) status() (string, error) {
	var x state
	if err := t.ours(0, &x, "status", "--stack", t.stack); err != nil {
		return "", err
	}
	if !strings.HasSuffix(x.State, "_COMPLETE") || len(x.Queues) != 4 {
		return "", fmt.Errorf("%+v", x)
	}
	return "stack " + x.State + ", four queues counted, nothing stuck", nil
}

func (t *trial) door() (string, error) {
	table, err := t.output("TableName")
	if err != nil {
		return "", err
	}
	cfg, err := t.aws()
	if err != nil {
		return "", err
	}
	client := &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	tries, through := door.Try(t.ctx, door.Target{URL: t.url, Client: client, Root: t.root, Now: func() time.Time { return time.Now().UTC() },
		Store: store.New(dynamo.New(dynamodb.NewFromConfig(cfg, dynamo.WithBufferedBodies), table))})
	if err := errors.Join(through...); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d tries, none got through; a link of postern login works once, within ten minutes", tries), t.login(table)
}

// login mints a link as a deployer does, and spends it twice.
func (t *trial) login(table string) error {
	var x struct {
		Link    string
		Expires time.Time
	}
	if err := t.ours(0, &x, "login", "--table", table, "--url", t.url); err != nil {
		return err
	}
	if left := time.Until(x.Expires); left <= 0 || left > 10*time.Minute {
		return fmt.Errorf("a link lasts %v", left)
	}
	at, key, _ := strings.Cut(x.Link, "?key=")
	if at != t.url+"/login" {
		return fmt.Errorf("the link leads to %s", at)
	}
	client := &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, want := range []int{http.StatusSeeOther, http.StatusForbidden} {
		resp, err := client.PostForm(at, url.Values{"key": {key}})
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			return fmt.Errorf("the link answers %d, want %d", resp.StatusCode, want)
		}
	}
	return nil
}

// rotate changes Slack's signing secret as a deployer does: both are taken
// until the old one is given up.
func (t *trial) rotate() (string, error) {
	old, next := t.world.keys.signing, t.world.keys.signing+"-2"
	t.world.keys.signing = next // watched for from now on; it holds the old one
	var x struct{ Changed, Restarted bool }
	if err := t.asked([]string{next, ""}, 0, &x, "setup", "slack", "--stack", t.stack); err != nil {
		return "", err
	}
	if !x.Changed || !x.Restarted {
		return "", fmt.Errorf("%+v", x)
	}
	for name, want := range map[string]int{next: 200, old: 200, "wrong-" + next: 401} {
		if got := t.knock(name); got != want {
			return "", fmt.Errorf("a delivery is answered %d, want %d (old %v)", got, want, name == old)
		}
	}
	if err := t.asked([]string{"", "", "y"}, 0, &x, "setup", "slack", "--stack", t.stack); err != nil {
		return "", err
	}
	if got := t.knock(old); got != 401 {
		return "", fmt.Errorf("a delivery signed with the old secret is answered %d after that was ended", got)
	}
	if got := t.knock(next); got != 200 {
		return "", fmt.Errorf("a delivery signed with the new secret is answered %d", got)
	}
	return "old and new are both taken, then only the new one", nil
}

// knock sends Slack's address check signed with a secret.
func (t *trial) knock(secret string) int {
	body := []byte(`{"type":"url_verification","challenge":"trial"}`)
	req, err := http.NewRequestWithContext(t.ctx, http.MethodPost, t.url+"/hooks/slack", strings.NewReader(string(body)))
	if err != nil {
		return 0
	}
	req.Header = slack.Sign(secret, body, time.Now())
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// dead puts a letter where dead ones lie: doctor and status see it, redrive
// sends it again, and it is gone.
func (t *trial) dead() (string, error) {
	if err := t.letter("WakesDeadQueueUrl", `{"ring":"wake","session":"none","wake":"none"}`); err != nil {
		return "", err
	}
	if err := t.letter("DispatchDeadQueueUrl", `{"DDBStreamBatchInfo":{}}`); err != nil {
		return "", err
	}
	var x examined
	if err := t.ours(1, &x, "doctor", "--stack", t.stack); err != nil {
		return "", err
	}
	if !slices.Equal(x.red(), []string{"queues.dead", "queues.dead"}) {
		return "", fmt.Errorf("doctor sees %v", x.red())
	}
	var s state
	if err := t.ours(3, &s, "status", "--stack", t.stack); err != nil {
		return "", err
	}
	var moved []struct {
		Queue string
		Moved int
	}
	if err := t.ours(0, &moved, "redrive", "all", "--stack", t.stack); err != nil {
		return "", err
	}
	n := 0
	for _, m := range moved {
		n += m.Moved
	}
	if n != 2 {
		return "", fmt.Errorf("redriven: %+v", moved)
	}
	return "two letters seen and redriven", t.ours(0, &s, "status", "--stack", t.stack)
}

func (t *trial) letter(output, body string) error {
	queue, err := t.output(output)
	if err != nil {
		return err
	}
	cfg, err := t.aws()
	if err != nil {
		return err
	}
	_, err = sqs.NewFromConfig(cfg).SendMessage(t.ctx, &sqs.SendMessageInput{QueueUrl: aws.String(queue), MessageBody: aws.String(body)})
	return err
}

// wrong takes the platforms away: doctor says of each what is wrong.
func (t *trial) wrong() (string, error) {
	t.world.stop()
	var x examined
	if err := t.ours(1, &x, "doctor", "--stack", t.stack); err != nil {
		return "", err
	}
	if got := x.red(); !slices.Equal(got, []string{"slack.silent", "feishu.silent", "github.silent"}) {
		return "", fmt.Errorf("doctor sees %v", got)
	}
	return "the three platforms are silent, and nothing else", nil
}

func (t *trial) outputs() (map[string]string, error) {
	cfg, err := t.aws()
	if err != nil {
		return nil, err
	}
	out, err := cloudformation.NewFromConfig(cfg).DescribeStacks(t.ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(t.stack)})
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, o := range out.Stacks[0].Outputs {
		all[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	return all, nil
}

func (t *trial) output(name string) (string, error) {
	all, err := t.outputs()
	if err == nil && all[name] == "" {
		err = fmt.Errorf("the stack has no output %s", name)
	}
	return all[name], err
}
