package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/catalog"
	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/flow/turn"
)

// agents is the model and the tools. The model follows the plan in the newest
// message that has one; it is a function of the transcript alone.
type agents struct {
	w       *World
	effects map[string]*effect // by idempotency key
	bad     []string           // transcripts that a provider would refuse
}

// effect is what a tool did to the world under one key.
type effect struct {
	tool  string
	times int    // how often it was done
	args  string // with what
	asked int    // how often it was called
}

func newAgents(w *World) *agents { return &agents{w: w, effects: map[string]*effect{}} }

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
	switch {
	case a.w.fault(2):
		return model.Reply{}, &model.Error{Kind: model.Overloaded, Err: errors.New("busy")}
	case a.w.fault(0.5):
		return model.Reply{}, &model.Error{Kind: model.Refused, Err: errors.New("no")}
	}
	pause(ctx)
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
				plan, done = nil, 0
				if text != "" {
					plan = strings.Split(text, ";")
				}
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
		return model.NewCall("x", "github_comment", fmt.Sprintf(`{"issue":"acme/shop#1","body":"<act> & %s"}`, n))
	case "send":
		return model.NewCall("x", "slack_send_message", fmt.Sprintf(`{"channel":"C5","text":"send %s"}`, n))
	case "same":
		return model.NewCall("x", "github_comment", `{"body":"same","issue":"acme/shop#1"}`)
	case "read":
		return model.NewCall("x", "web_fetch", fmt.Sprintf(`{"url":"https://example.org/%s"}`, n))
	case "ask":
		return model.NewCall("x", "ask_user", fmt.Sprintf(`{"question":"what of %s?"}`, n))
	case "bad":
		return model.NewCall("x", "github_comment", `{"issue":`)
	case "unknown":
		return model.NewCall("x", "rm_rf", `{}`)
	}
	return model.NewCall("x", "sleep_for", fmt.Sprintf(`{"seconds":%s,"note":"slept"}`, n))
}

func (a *agents) tools() map[string]turn.Tool {
	return map[string]turn.Tool{
		"github_comment":     a.acts("github_comment"),
		"slack_send_message": a.acts("slack_send_message"),
		"web_fetch":          func(context.Context, json.RawMessage, string) (string, error) { return "page", nil },
	}
}

// acts is a tool that changes the world once per call of it, unless it says
// that it is idempotent: then once per key. The invocation may die or freeze
// before or after, and the reply may be lost or come after the deadline: the
// client gives up then, as an HTTP client does.
func (a *agents) acts(tool string) turn.Tool {
	entry, _ := catalog.Lookup(tool)
	return func(ctx context.Context, args json.RawMessage, key string) (string, error) {
		late := a.w.now.Add(entry.Timeout)
		e := a.effects[key]
		if e == nil {
			e = &effect{tool: tool, args: string(args)}
			a.effects[key] = e
		}
		e.asked++
		if e.args != string(args) || e.tool != tool {
			a.w.wrong("key %s was used for %s and then for %s (P25)", key, e.args, args)
		}
		pause(ctx)
		if !a.w.now.Before(late) {
			return "", a.gaveUp(tool)
		}
		if a.w.fault(3) || e.asked > 1 && a.w.fault(30) {
			return "", errors.New("refused by the platform")
		}
		if !entry.Idempotent || e.times == 0 {
			e.times++
			a.w.happened("effect " + key)
		}
		if a.w.fault(4) { // the answer never comes
			a.w.counts["tool_hung"]++
			running(ctx).stalls = a.w.now.Add(entry.Timeout + time.Second)
		}
		pause(ctx)
		if !a.w.now.Before(late) || a.w.fault(3) {
			return "", a.gaveUp(tool)
		}
		return "done by " + key, nil
	}
}

// gaveUp is a client that had no answer: in time, or at all.
func (a *agents) gaveUp(tool string) error {
	err := error(context.DeadlineExceeded)
	if a.w.chance(30) {
		err = &delivery.SendError{Code: "network", Err: io.ErrUnexpectedEOF}
	}
	return fmt.Errorf("%s: %w", tool, err)
}
