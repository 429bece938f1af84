package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/flow/turn"
)

// agents is the model and the tools. The model follows the plan in the newest
// message that has one; it is a function of the transcript alone.
type agents struct {
	w       *World
	effects map[string]int    // by idempotency key: how often the world changed
	args    map[string]string // what it was changed with
	bad     []string          // transcripts that a provider would refuse
}

func newAgents(w *World) *agents {
	return &agents{w: w, effects: map[string]int{}, args: map[string]string{}}
}

func (a *agents) model(string) (turn.Model, string, error) { return a, "sim", nil }

// Complete implements turn.Model.
func (a *agents) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	pause(ctx)
	if err := model.Check(r.Messages); err != nil {
		a.bad = append(a.bad, err.Error())
	}
	for _, m := range r.Messages {
		if strings.Contains(m.Text, "no result was recorded") {
			a.bad = append(a.bad, "a call went to the model without its result")
		}
	}
	if a.w.fault(2) {
		return model.Reply{}, &model.Error{Kind: model.Overloaded, Err: errors.New("busy")}
	}
	plan, done := progress(r.Messages)
	if done >= len(plan) {
		return model.Reply{Text: "done", Stop: model.Ended, Model: "sim"}, nil
	}
	var calls []model.Call
	for _, c := range strings.Split(plan[done], "+") {
		calls = append(calls, planned(c))
	}
	return model.Reply{Calls: calls, Stop: model.Called, Model: "sim"}, nil
}

// progress finds the newest plan and how many messages of it were made.
func progress(ms []model.Message) (plan []string, done int) {
	for _, m := range ms {
		if m.Role == model.User {
			if _, text, ok := strings.Cut(m.Text, "plan:"); ok {
				plan, done = strings.Split(text, ";"), 0
			}
		}
		if m.Role == model.Assistant && len(m.Calls) > 0 {
			done++
		}
	}
	return plan, done
}

func planned(c string) model.Call {
	verb, n, _ := strings.Cut(strings.TrimSpace(c), " ")
	switch verb {
	case "act":
		return model.NewCall("x", "github_comment", fmt.Sprintf(`{"issue":"acme/shop#1","body":"act %s"}`, n))
	case "same":
		return model.NewCall("x", "github_comment", `{"issue":"acme/shop#1","body":"same"}`)
	case "read":
		return model.NewCall("x", "web_fetch", fmt.Sprintf(`{"url":"https://example.org/%s"}`, n))
	case "ask":
		return model.NewCall("x", "ask_user", fmt.Sprintf(`{"question":"what of %s?"}`, n))
	}
	return model.NewCall("x", "sleep_for", fmt.Sprintf(`{"seconds":%s,"note":"slept"}`, n))
}

func (a *agents) tools() map[string]turn.Tool {
	return map[string]turn.Tool{
		"github_comment": a.act,
		"web_fetch":      func(context.Context, json.RawMessage, string) (string, error) { return "page", nil },
	}
}

// act changes the world once per call of it. The invocation may die before or
// after, and the reply may be lost.
func (a *agents) act(ctx context.Context, args json.RawMessage, key string) (string, error) {
	pause(ctx)
	a.effects[key]++
	a.args[key] = string(args)
	pause(ctx)
	switch {
	case a.w.fault(3):
		return "", errors.New("refused by the platform")
	case a.w.fault(3):
		return "", fmt.Errorf("post: %w", context.DeadlineExceeded)
	}
	return "commented", nil
}
