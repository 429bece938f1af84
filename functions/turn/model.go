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
	"github.com/postern-dev/postern/shared/edge/llm/price"
	"github.com/postern-dev/postern/shared/edge/llm/scripted"
	"github.com/postern-dev/postern/shared/flow/turn"
)

// models makes the models of one session.
type models struct {
	b       *wire.Base
	prices  price.Table
	session string
}

// find makes the model that "provider:model" names (S11), metered.
func (m models) find(name string) (turn.Model, string, error) {
	provider, id, _ := strings.Cut(name, ":")
	switch provider {
	case "bedrock": // no key: the function's role
		llm, err := bedrock.New(bedrockruntime.NewFromConfig(m.b.AWS), turn.ModelTime)
		return m.metered(llm, name, true), id, err
	case "scripted":
		return scripted.New(), id, nil
	case "openai", "anthropic":
		v, err := m.b.Secrets.Values(context.Background(), m.b.ModelSecret)
		if err != nil {
			return nil, "", err
		}
		var llm turn.Model
		if hc := (&http.Client{Timeout: turn.ModelTime}); provider == "openai" {
			llm, err = openai.New(openai.Config{BaseURL: v["base_url"], Key: v["api_key"], HTTP: hc})
		} else {
			llm, err = anthropic.New(anthropic.Config{BaseURL: v["base_url"], Key: v["api_key"], HTTP: hc})
		}
		return m.metered(llm, name, v["base_url"] == ""), id, err
	case "":
		return nil, "", fmt.Errorf("no model is configured; set the deployment's parameter BedrockModel or Model")
	}
	return nil, "", fmt.Errorf("there is no model provider %q here", provider)
}

// metered tells what a model's calls cost, in dollars. Behind another address
// than the provider's own its prices do not hold.
func (m models) metered(llm turn.Model, name string, listed bool) turn.Model {
	meter := price.Meter{Model: llm,
		Spent:   func(usd float64) { m.b.GaugeOf("model_cost", usd, map[string]string{"session": m.session}) },
		Unknown: func() { m.b.Count("unpriced_calls", "") }}
	if p, ok := m.prices[name]; ok && listed {
		meter.Price = &p
	}
	return meter
}
