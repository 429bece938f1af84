package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/edge/calls"
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
	return models{&wire.Base{AWS: cfg}}, server
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
	if llm, id, err = m.find("bedrock:" + name); err != nil {
		t.Fatal(err)
	}
	if _, err = llm.Complete(t.Context(), ask); err == nil || len(server.Requests()) != 0 {
		t.Errorf("asked without being declared: %v", err)
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
