package template

import (
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/edge/calls"
)

// D2: what a function declares is what its wiring holds, no more, no less.
func TestDeclarationsAgainstWiring(t *testing.T) {
	t.Parallel()
	list := declared(t)
	for _, name := range functionNames {
		wired, err := wiredCalls(root+"/functions/"+strings.ToLower(name), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range checkWiring(name, list[name+"Function"], wired) {
			t.Error(f)
		}
	}
}

const main = `package main
func main() {
	b, err := wire.Start(ctx, "gate", Calls)
	queues, err := b.Queues()
	lambda.Start(lambda.Handler{Log: b.Log, Visibility: queues})
}`

func TestWiringIsRead(t *testing.T) {
	t.Parallel()
	full := calls.Join(calls.Table(), calls.Shorten("TriggersQueue"))
	for name, c := range map[string]struct {
		src      string
		declared []calls.Call
		says     string
	}{
		"as declared":          {main, full, ""},
		"a client more":        {strings.Replace(main, "queues, err", "s, err := b.SlackClient(ctx); queues, err", 1), full, "Gate can call secretsmanager:GetSecretValue on SlackSecretArn"},
		"a schedule more":      {strings.Replace(main, "queues, err", "t, err := b.Timer(); queues, err", 1), full, "Gate can call"},
		"a ring more":          {strings.Replace(main, "lambda.Start", "h := &ingest.Handler{Queue: queues}; lambda.Start", 1), full, "Gate can call sqs:SendMessage on TriggersQueue"},
		"a model more":         {strings.Replace(main, "queues, err", "_ = m.b.ModelSecret; queues, err", 1), full, "ModelSecretArn"},
		"Bedrock too":          {strings.Replace(main, "queues, err", "c := bedrockruntime.NewFromConfig(b.AWS); queues, err", 1), full, "Gate can call bedrock:InvokeModel on BedrockModel/profile"},
		"visibility given up":  {strings.Replace(main, ", Visibility: queues", "", 1), full, "Gate declares sqs:ChangeMessageVisibility on TriggersQueue"},
		"declared for nothing": {main, calls.Join(full, calls.Secret("LinkSecret")), "Gate declares secretsmanager:GetSecretValue on LinkSecret"},
	} {
		w := &wiring{own: calls.Shorten("TriggersQueue"), found: map[calls.Call]bool{}}
		if err := w.read("main.go", []byte(c.src)); err != nil {
			t.Fatal(err)
		}
		found := strings.Join(checkWiring("Gate", c.declared, w.found), "\n")
		if (c.says == "") != (found == "") || !strings.Contains(found, c.says) {
			t.Errorf("%s: found %q, want %q named", name, found, c.says)
		}
	}
}
