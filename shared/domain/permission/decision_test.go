package permission_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/permission"
)

func TestP13_FirstHitWins(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	comment := call(t, "", "github_comment", `{"issue":"a/b#1","body":"x"}`)
	// Everything that can let the call pass, taken away step by step.
	s := permission.State{
		Session: "s1", Task: "t1", Now: now, Mode: permission.Custom,
		Overrides: overrides(t, rule("github_comment", read)),
		Allowed:   []permission.Allowance{{Session: "s1", Tool: comment.Tool, Target: comment.Target, Granted: now}},
		Standing:  []permission.Standing{{Task: "t1", Tool: comment.Tool, Target: comment.Target}},
		Custom:    grammar(t, "github_comment"),
	}
	want := func(step int, o permission.Outcome, by string) {
		t.Helper()
		d := permission.Evaluate(comment, s)
		if d.Step != step || d.Outcome != o || d.By.String() != by {
			t.Errorf("step %d, %s by %q; want %d, %s by %q", d.Step, d.Outcome, d.By, step, o, by)
		}
	}
	want(4, permission.Allow, "override github_comment")
	s.Mode = permission.Plan
	want(1, permission.Deny, "mode plan")
	s.Mode = permission.Auto
	want(4, permission.Allow, "override github_comment")
	s.Overrides = nil
	want(5, permission.Allow, "mode auto")
	s.Mode = permission.Custom
	want(7, permission.Allow, "session github_comment")
	s.Allowed = nil
	want(8, permission.Allow, "standing github_comment → a/b#1")
	s.Standing = nil
	want(9, permission.Allow, "custom github_comment")
	s.Custom = nil
	want(10, permission.Ask, "mode custom")
	s.Mode = "" // the default
	want(10, permission.Ask, "mode interactive")
	s.Mode = "yolo" // no mode of ours allows nothing of its own
	want(10, permission.Ask, "mode yolo")
	s.Unattended = true
	want(10, permission.Route, "mode yolo")
}

func TestP18_TheDecisionIsAValue(t *testing.T) {
	t.Parallel()
	c := call(t, "", "github_comment", `{"body":"x","issue":"Acme/App#7"}`)
	got := permission.Evaluate(c, permission.State{Overrides: overrides(t, rule("github_*", exec))})
	want := permission.Decision{
		Outcome: permission.Ask, Reason: "a person has to allow it",
		By: permission.By{Kind: permission.ByMode, Name: "interactive"}, Step: 10,
		Base: external, Effective: exec, Target: "acme/app#7", Digest: c.Digest,
	}

	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !got.Consequential() {
		t.Error("not for the audit")
	}
	quiet := permission.Evaluate(call(t, "", "web_fetch", `{}`), permission.State{})
	if quiet.Consequential() {
		t.Errorf("a read is for the audit: %+v", quiet)
	}
	lowered := permission.Evaluate(c, permission.State{Overrides: overrides(t, rule("github_comment", read))})
	if !lowered.Consequential() {
		t.Errorf("lowered by an override, hence not audited: %+v", lowered)
	}
	if (permission.Decision{}).Outcome == permission.Allow || permission.Outcome("").Asks() {
		t.Error("the empty decision lets something happen")
	}
}

func TestP19_ExplainTellsEachStep(t *testing.T) {
	t.Parallel()
	c := call(t, "", "run_shell", `{"command":"go test ./... | tee x"}`)
	s := permission.State{Session: "s1", Mode: permission.Interactive, Commands: commands(t, "go test")}
	d, steps := permission.Explain(c, s)
	if d != permission.Evaluate(c, s) {
		t.Errorf("Explain decides %+v", d)
	}
	want := []permission.Step{
		{N: 1, Rule: "P13.1", Name: "read-only mode", Reached: true, Why: "the mode is not read-only"},
		{N: 2, Rule: "P13.2", Name: "paths inside the writable folders", Reached: true, Why: "the call writes no files"},
		{N: 3, Rule: "P13.3", Name: "irreversible tool", Reached: true, Why: "what the tool does can be undone"},
		{N: 4, Rule: "P13.4", Name: "not consequential", Reached: true, Why: "the call is consequential"},
		{N: 5, Rule: "P13.5", Name: "mode auto", Reached: true, Why: "the mode is not auto"},
		{N: 6, Rule: "P13.6", Name: "command allow list", Reached: true, Why: "it has an operator"},
		{N: 7, Rule: "P13.7", Name: "allowed for this session", Reached: true, Why: "nothing is allowed for this session"},
		{N: 8, Rule: "P13.8", Name: "standing approval", Reached: true, Why: "this is no task's run"},
		{N: 9, Rule: "P13.9", Name: "custom grammar", Reached: true, Why: "the mode is not custom"},
		{N: 10, Rule: "P13.10", Name: "ask a person", Reached: true, Hit: true, Outcome: permission.Ask, Why: "a person has to allow it"},
	}
	if !reflect.DeepEqual(steps, want) {
		t.Errorf("got %+v", steps)
	}
	s.Mode = permission.Plan
	if d, steps = permission.Explain(c, s); d.Step != 1 || !steps[0].Hit || steps[1].Reached || steps[9].Why != "step 1 decided" || len(steps) != 10 {
		t.Errorf("plan: %+v", steps)
	}
}
