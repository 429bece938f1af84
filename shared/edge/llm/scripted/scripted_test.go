package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/model"
)

func user(text string) model.Message { return model.Message{Role: model.User, Text: text} }

// play lets the model speak and answers its calls until it makes none.
func play(t *testing.T, m *Model, messages []model.Message, answer func(model.Call) (string, bool)) ([]model.Message, model.Reply) {
	t.Helper()
	for range 20 {
		reply, err := m.Complete(t.Context(), model.Request{Messages: messages})
		if err != nil {
			t.Fatal(err)
		}
		again, err := New(m.script...).Complete(t.Context(), model.Request{Messages: messages})
		if err != nil || !reflect.DeepEqual(reply, again) {
			t.Fatalf("a restart changed the reply: %+v, %+v", reply, again)
		}
		messages = append(messages, model.Message{Role: model.Assistant, Text: reply.Text, Calls: reply.Calls})
		if len(reply.Calls) == 0 {
			return messages, reply
		}
		for _, call := range reply.Calls {
			text, ok := answer(call)
			messages = append(messages, model.Message{Role: model.Result, CallID: call.ID, ToolName: call.Tool, Text: text, OK: ok})
		}
	}
	t.Fatal("it does not end")
	return nil, model.Reply{}
}

func TestDoesAllInOrderAndReports(t *testing.T) {
	t.Parallel()
	var called []string
	_, got := play(t, New(), []model.Message{user("comment on a/b#1: hi; post x to #C1 and also fetch https://e.example; ask me ok? [yes|no]")},
		func(c model.Call) (string, bool) {
			called = append(called, c.ID+" "+c.Tool)
			switch c.Tool {
			case "slack_send_message":
				return "A person denied this call: not now.", false
			case "web_fetch":
				return "The call failed: 404", false
			case "ask_user":
				return "yes", true
			}
			return "ok", true
		})
	want := []string{"scripted_0_0 github_comment", "scripted_1_0 slack_send_message", "scripted_1_1 web_fetch", "scripted_2_0 ask_user"}
	if !reflect.DeepEqual(called, want) {
		t.Errorf("called %q", called)
	}
	report := "(scripted model) Done: commented on a/b#1; asked you: yes. Denied: post to #C1 (A person denied this call: not now). " +
		"Not done: fetch https://e.example (The call failed: 404)."
	if got.Text != report || got.Model != Name || got.Stop != model.Ended || got.Input <= 0 || got.Output <= 0 {
		t.Errorf("got %+v", got)
	}
}

// W1: after a sleep nothing is done until somebody comes; then the rest is.
func TestW1_GoesOnWhenWoken(t *testing.T) {
	t.Parallel()
	ok := func(model.Call) (string, bool) { return "fine", true }
	messages, got := play(t, New(), []model.Message{user("sleep 60 then post up to #C1")}, ok)
	if !strings.Contains(got.Text, "Asleep") {
		t.Fatalf("got %+v", got)
	}
	messages, got = play(t, New(), append(messages, user("[woken by timer] scripted model: go on")), ok)
	if got.Text != "(scripted model) Done: posted to #C1." {
		t.Errorf("got %q", got.Text)
	}
	// A refused sleep does not wait.
	_, got = play(t, New(), append(messages, user("sleep 60 then fetch https://e.example")), func(c model.Call) (string, bool) {
		return "x", c.Tool != "sleep_for"
	})
	if got.Text != "(scripted model) Done: fetched https://e.example: x. Not done: sleep 60 s (x)." {
		t.Errorf("got %q", got.Text)
	}
}

// S3: what is said while it works queues up.
func TestS3_SteeredWhileWorking(t *testing.T) {
	t.Parallel()
	m := New()
	messages := []model.Message{user("fetch https://a.example; fetch https://b.example")}
	reply, err := m.Complete(t.Context(), model.Request{Messages: messages})
	if err != nil {
		t.Fatal(err)
	}
	messages = append(messages, model.Message{Role: model.Assistant, Calls: reply.Calls},
		model.Message{Role: model.Result, CallID: reply.Calls[0].ID, Text: "x", OK: true}, user("fetch https://c.example"))
	_, got := play(t, m, messages, func(model.Call) (string, bool) { return "x", true })
	if got.Text != "(scripted model) Done: fetched https://a.example: x; fetched https://b.example: x; fetched https://c.example: x." {
		t.Errorf("got %q", got.Text)
	}
}

func TestOtherModelsCalls(t *testing.T) {
	t.Parallel()
	messages := []model.Message{user("fetch https://a.example"),
		{Role: model.Assistant, Calls: []model.Call{{ID: "x", Tool: "other", Arguments: json.RawMessage("{}")}}},
		{Role: model.Result, CallID: "x", Text: "y", OK: true}}
	_, got := play(t, New(), messages, func(model.Call) (string, bool) { return "z", true })
	if got.Text != "(scripted model) Done: called other; fetched https://a.example: z." {
		t.Errorf("got %q", got.Text)
	}
}

func TestExplainsItself(t *testing.T) {
	t.Parallel()
	_, got := play(t, New(), []model.Message{user("hello")}, nil)
	if !strings.HasPrefix(got.Text, label) || !strings.Contains(got.Text, "comment on") {
		t.Errorf("got %q", got.Text)
	}
}

func TestTableOfReplies(t *testing.T) {
	t.Parallel()
	m := New(
		model.Reply{Calls: []model.Call{{ID: "1", Tool: "a", Arguments: json.RawMessage("{}")}}, Input: 1000, Output: 1},
		model.Reply{Text: "done"})
	reply, err := m.Complete(t.Context(), model.Request{Messages: []model.Message{user("x")}})
	if err != nil || reply.Stop != model.Called || reply.Input != 1000 {
		t.Fatalf("%+v, %v", reply, err)
	}
	messages, got := play(t, m, []model.Message{user("x")}, func(model.Call) (string, bool) { return "y", true })
	if got.Text != "done" {
		t.Errorf("got %+v", got)
	}
	if _, got = play(t, m, append(messages, user("more")), nil); !strings.Contains(got.Text, "Nothing more") {
		t.Errorf("got %+v", got)
	}
}

func TestFailsLikeAProvider(t *testing.T) {
	t.Parallel()
	if _, err := New().Complete(t.Context(), model.Request{}); model.KindOf(err) != model.BadRequest {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().Complete(ctx, model.Request{Messages: []model.Message{user("x")}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
