package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/edge/llm/anthropic"
	"github.com/postern-dev/postern/shared/edge/llm/bedrock"
	"github.com/postern-dev/postern/shared/edge/llm/openai"
	"github.com/postern-dev/postern/shared/edge/llm/scripted"
	"github.com/postern-dev/postern/shared/flow/turn"
)

type models struct{ b *wire.Base }

// find makes the model that "provider:model" names (S11).
func (m models) find(name string) (turn.Model, string, error) {
	provider, model, _ := strings.Cut(name, ":")
	switch provider {
	case "bedrock": // no key: the function's role
		llm, err := bedrock.New(bedrockruntime.NewFromConfig(m.b.AWS), turn.ModelTime)
		return llm, model, err
	case "scripted":
		return scripted.New(), model, nil
	case "openai":
		v, err := m.b.Secrets.Values(context.Background(), m.b.ModelSecret)
		if err != nil {
			return nil, "", err
		}
		llm, err := openai.New(openai.Config{BaseURL: v["base_url"], Key: v["api_key"], HTTP: &http.Client{Timeout: turn.ModelTime}})
		return llm, model, err
	case "anthropic":
		v, err := m.b.Secrets.Values(context.Background(), m.b.ModelSecret)
		if err != nil {
			return nil, "", err
		}
		llm, err := anthropic.New(anthropic.Config{BaseURL: v["base_url"], Key: v["api_key"], HTTP: &http.Client{Timeout: turn.ModelTime}})
		return llm, model, err
	case "":
		return nil, "", fmt.Errorf("no model is configured; set the deployment's parameter BedrockModel or Model")
	}
	return nil, "", fmt.Errorf("there is no model provider %q here", provider)
}
