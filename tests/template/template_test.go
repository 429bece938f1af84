package template

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/postern-dev/postern/shared/edge/calls"
)

const root = "../.."

var readForms = sync.OnceValues(func() (map[string]map[string]any, error) {
	paths := map[string]string{"template": root + "/template.yaml"}
	if p := os.Getenv("POSTERN_EXPANDED_TEMPLATE"); p != "" {
		paths["expanded"] = p
	}
	out := map[string]map[string]any{}
	for form, path := range paths {
		tree, err := read(path)
		if err != nil {
			return nil, err
		}
		out[form] = tree
	}
	return out, nil
})

// forms gives each form of the template there is: the file itself and, in make
// lint-template, what the transform made of it. Nobody changes them: see clone.
func forms(t testing.TB) map[string]map[string]any {
	t.Helper()
	out, err := readForms()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// clone copies a tree, to be broken.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = clone(e)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = clone(e)
		}
		return list
	}
	return v
}

// everything is a deployment with all that is optional.
func everything() map[string]string {
	return map[string]string{
		"SlackSecretArn": "arn:slack", "FeishuSecretArn": "arn:feishu", "GithubSecretArn": "arn:github",
		"ModelSecretArn": "arn:model", "Model": "openai:some", "PublicUrl": "https://postern.example",
	}
}

func declared(t testing.TB) map[string][]calls.Call {
	t.Helper()
	out := map[string][]calls.Call{}
	for _, name := range functionNames {
		list, err := declaredCalls(root + "/functions/" + strings.ToLower(name))
		if err != nil {
			t.Fatal(err)
		}
		out[name+"Function"] = list
	}
	return out
}

func mustResolve(t testing.TB, tree map[string]any, given map[string]string) *Stack {
	t.Helper()
	s, err := resolve(tree, given)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// usual is the model that a deployment has which names none.
const usual = "global.amazon.nova-2-lite-v1:0"

// placesOf says where what is declared lies in a deployment: a secret that was
// not given, and Bedrock beside another provider, nowhere.
func placesOf(given map[string]string) map[string]string {
	id, named := given["BedrockModel"]
	if !named {
		id = usual
	}
	if given["Model"] != "" {
		id = ""
	}
	all := bedrockARNs(id)
	for _, k := range []string{"SlackSecretArn", "FeishuSecretArn", "GithubSecretArn", "ModelSecretArn"} {
		all[k] = given[k]
	}
	return all
}

// deployments are the parameter sets that must all be right: each platform is
// optional (G52).
func deployments() map[string]map[string]string {
	return map[string]map[string]string{
		"everything":  everything(),
		"nothing":     {},
		"slack only":  {"SlackSecretArn": "arn:slack", "AlarmEmail": "a@b.example"},
		"feishu only": {"FeishuSecretArn": "arn:feishu", "BedrockModel": "eu.some.model-v1:0"},
		"github only": {"GithubSecretArn": "arn:github", "LogLevel": "debug"},
		"no model":    {"Model": "", "BedrockModel": ""},
	}
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	for form, tree := range forms(t) {
		for name, given := range deployments() {
			s := mustResolve(t, tree, given)
			for _, c := range checks {
				for _, f := range c.run(s) {
					t.Errorf("%s, %s, %s: %s", form, name, c.name, f)
				}
			}
		}
	}
}

// The emulator's short visibilities change nothing else.
func TestTemplateForTheEmulator(t *testing.T) {
	t.Parallel()
	for form, tree := range forms(t) {
		given := everything()
		given["Timing"] = emulatorTiming
		s := mustResolve(t, tree, given)
		for _, c := range checks {
			if c.name == "visibility" {
				continue
			}
			for _, f := range c.run(s) {
				t.Errorf("%s, %s: %s", form, c.name, f)
			}
		}
	}
}

// D2: nothing missing, nothing spare, whichever platforms are connected.
func TestRolesAgainstCalls(t *testing.T) {
	t.Parallel()
	list := declared(t)
	for form, tree := range forms(t) {
		for name, given := range deployments() {
			for _, f := range checkRoles(mustResolve(t, tree, given), list, placesOf(given)) {
				t.Errorf("%s, %s: %s", form, name, f)
			}
		}
	}
}

// An unconfigured platform's secret is named nowhere (G52).
func TestUnconfiguredPlatformsAreNamedNowhere(t *testing.T) {
	t.Parallel()
	for form, tree := range forms(t) {
		for _, f := range mustResolve(t, tree, map[string]string{"BedrockModel": ""}).functions() {
			for k := range f.Env {
				switch k {
				case "POSTERN_SLACK_SECRET", "POSTERN_FEISHU_SECRET", "POSTERN_GITHUB_SECRET", "POSTERN_MODEL_SECRET", "POSTERN_MODEL":
					t.Errorf("%s: %s has %s though nothing was given", form, f.ID, k)
				}
			}
		}
	}
}

// S11: a deployment that names no model has Bedrock's, one that names another
// provider's has that one and none of Bedrock.
func TestS11_TheModel(t *testing.T) {
	t.Parallel()
	for form, tree := range forms(t) {
		for name, given := range deployments() {
			want := given["Model"]
			if arn := placesOf(given)["BedrockModel/model"]; arn != "" {
				_, id, _ := strings.Cut(arn, "/")
				want = "bedrock:" + id
			}
			for _, f := range mustResolve(t, tree, given).functions() {
				if got := f.Env["POSTERN_MODEL"]; (f.ID == "TurnFunction" || f.ID == "GateFunction") && got != want {
					t.Errorf("%s, %s: %s has the model %q, want %q", form, name, f.ID, got, want)
				}
			}
		}
		for parameter, cases := range map[string]map[string]bool{
			"BedrockModel": {usual: true, "anthropic.claude-3-haiku-20240307-v1:0": true, "zai.glm-4.7": true, "": true,
				"*": false, "amazon.*": false, "us.amazon/x": false, "arn:aws:bedrock:eu-west-1:1:inference-profile/x": false, "amazon": false},
			"Model": {"openai:gpt-5": true, "anthropic:claude": true, "scripted:demo": true, "": true, "bedrock:" + usual: false, "openai:": false},
		} {
			pattern := regexp.MustCompile(text(under(tree, "Parameters", parameter)["AllowedPattern"]))
			for value, allowed := range cases {
				if pattern.MatchString(value) != allowed {
					t.Errorf("%s: %s %q: allowed is %v", form, parameter, value, !allowed)
				}
			}
		}
	}
}

// The dashboard is valid once its names are filled in, and shows every alarm.
func TestDashboard(t *testing.T) {
	t.Parallel()
	for form, tree := range forms(t) {
		s := mustResolve(t, tree, nil)
		body := text(s.Resources["Dashboard"].Properties["DashboardBody"])
		var d struct {
			Widgets []struct {
				Type       string
				Properties struct {
					Title   string
					Alarms  []string
					Metrics [][]any
				}
			}
		}
		if err := json.Unmarshal([]byte(body), &d); err != nil {
			t.Fatalf("%s: dashboard: %v", form, err)
		}
		shown := map[string]bool{}
		titles := map[string]bool{}
		for _, w := range d.Widgets {
			titles[w.Properties.Title] = true
			for _, a := range w.Properties.Alarms {
				shown[logical(a)] = true
			}
			if w.Type == "metric" && len(w.Properties.Metrics) == 0 {
				t.Errorf("%s: widget %q shows nothing", form, w.Properties.Title)
			}
		}
		for _, q := range []string{"Is anything stuck?", "Answer to wake (ms)", "What does it cost?"} {
			if !titles[q] {
				t.Errorf("%s: the dashboard does not answer %q", form, q)
			}
		}
		for id := range alarms {
			if !shown[id] {
				t.Errorf("%s: the dashboard does not show %s", form, id)
			}
		}
	}
}

func TestScheduleExpressions(t *testing.T) {
	t.Parallel()
	for e, valid := range map[string]bool{
		"rate(5 minutes)": true, "rate(1 minute)": true, "rate(1 minutes)": false, "rate(5 minute)": false, "rate(0 minutes)": false,
		"at(2030-01-02T03:04:05)": true, "at(2030-01-02T03:04:05Z)": false, "at(2030-02-30T00:00:00)": false,
		"cron(0 9 ? * MON *)": true, "cron(0 9 * * *)": false, "cron(0 9 * * * *)": false, "banana": false, "": false,
	} {
		if validSchedule(e) != valid {
			t.Errorf("validSchedule(%q) = %v", e, !valid)
		}
	}
}
