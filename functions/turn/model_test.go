package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/edge/calls"
	"github.com/postern-dev/postern/shared/edge/llm/price"
	standin "github.com/postern-dev/postern/shared/local/standin/bedrock"
)

// world is a function's base whose Bedrock is a stand-in.
func world(t *testing.T, list []calls.Call) (models, *standin.Server) {
	t.Helper()
	server := standin.New()
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	cfg := aws.Config{Region: "eu-west-1", BaseEndpoint: aws.String(web.URL),
		Credentials: credentials.NewStaticCredentialsProvider("AKIDTEST", "secret-access-key", "")}
	cfg.APIOptions = append(cfg.APIOptions, calls.Guard(list))
	prices, err := price.Load()
	if err != nil {
		t.Fatal(err)
	}
	b := &wire.Base{AWS: cfg, Count: func(string, string) {}, GaugeOf: func(string, float64, map[string]string) {}}
	return models{b: b, prices: prices, session: "s1"}, server
}

// S11, D2: Bedrock answers by the function's credentials alone, under the calls
// that the function declares, and under fewer it is not asked.
func TestS11_Bedrock(t *testing.T) {
	t.Parallel()
	const name = "global.amazon.nova-2-lite-v1:0"
	m, server := world(t, Calls)
	llm, id, err := m.find("bedrock:" + name)
	if err != nil || id != name {
		t.Fatal(id, err)
	}
	server.Play(model.Reply{Text: "Here.", Input: 7, Output: 1})
	ask := model.Request{Model: id, Messages: []model.Message{{Role: model.User, Text: "Are you there?"}}}
	got, err := llm.Complete(t.Context(), ask)
	if err != nil || got.Text != "Here." || got.Input != 7 {
		t.Errorf("%+v %v", got, err)
	}
	if seen := server.Requests(); len(seen) != 1 || seen[0].Model != name {
		t.Errorf("%+v", seen)
	}

	m, server = world(t, calls.Table())
	if llm, _, err = m.find("bedrock:" + name); err != nil {
		t.Fatal(err)
	}
	if _, err = llm.Complete(t.Context(), ask); err == nil || len(server.Requests()) != 0 {
		t.Errorf("asked without being declared: %v", err)
	}
}

// D8: what a call costs is told in dollars with its session beside it; one
// whose price is not known is counted.
func TestD8_Cost(t *testing.T) {
	t.Parallel()
	m, server := world(t, Calls)
	var said []string
	m.b.GaugeOf = func(name string, value float64, members map[string]string) {
		said = append(said, fmt.Sprintf("%s %g %s", name, value, members["session"]))
	}
	m.b.Count = func(name, label string) { said = append(said, name+label) }
	server.Play(model.Reply{Text: "x", Input: 1_000_000, Output: 10_000}, model.Reply{Text: "x", Input: 5})
	for _, name := range []string{"global.amazon.nova-2-lite-v1:0", "eu.some.model-v1:0"} {
		llm, id, err := m.find("bedrock:" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := llm.Complete(t.Context(), model.Request{Model: id, Messages: []model.Message{{Role: model.User, Text: "go"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(said) != "[model_cost 0.325 s1 unpriced_calls]" {
		t.Errorf("%q", said)
	}
	if meter, ok := m.metered(nil, "bedrock:global.amazon.nova-2-lite-v1:0", false).(price.Meter); !ok || meter.Price != nil {
		t.Errorf("a listed price behind another address: %+v", meter.Price)
	}
}

// Q8: a model that cannot be made says what to set.
func TestQ8_NoSuchModel(t *testing.T) {
	t.Parallel()
	m, _ := world(t, Calls)
	for name, says := range map[string]string{"": "BedrockModel", "else:x": `"else"`} {
		if _, _, err := m.find(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
