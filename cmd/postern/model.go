package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/edge/llm/anthropic"
	"github.com/postern-dev/postern/shared/edge/llm/openai"
	"github.com/postern-dev/postern/shared/edge/llm/scripted"
	"github.com/postern-dev/postern/shared/flow/turn"
)

// modelByName finds the model that "provider:model" names. The key of a real
// provider comes from the environment.
func modelByName(name string) (turn.Model, string, error) {
	provider, model, _ := strings.Cut(name, ":")
	switch provider {
	case "scripted":
		return scripted.New(), model, nil
	case "openai":
		m, err := openai.New(openai.Config{BaseURL: os.Getenv("OPENAI_BASE_URL"), Key: os.Getenv("OPENAI_API_KEY"),
			HTTP: &http.Client{Timeout: 2 * time.Minute}})
		return m, model, err
	case "anthropic":
		m, err := anthropic.New(anthropic.Config{BaseURL: os.Getenv("ANTHROPIC_BASE_URL"), Key: os.Getenv("ANTHROPIC_API_KEY"),
			HTTP: &http.Client{Timeout: 2 * time.Minute}})
		return m, model, err
	}
	return nil, "", fmt.Errorf("there is no model provider %q; use scripted:, openai:MODEL or anthropic:MODEL", provider)
}
