package template

import (
	"fmt"
	"sort"
	"strings"
)

// functionNames are the nine of O1.
var functionNames = []string{"Api", "Deliver", "Dispatch", "Feishu", "Gate", "Github", "Slack", "Turn", "Wake"}

// timeouts in seconds, least and most. A webhook's platform waits 3 to 10
// seconds; a turn runs long; the HTTP API waits 30 at most.
var timeouts = map[string][2]int{
	"Slack": {5, 10}, "Feishu": {5, 10}, "Github": {5, 10}, "Gate": {5, 30}, "Dispatch": {5, 60},
	"Turn": {300, 900}, "Deliver": {5, 60}, "Wake": {30, 120}, "Api": {5, 29},
}

// checkFunctions: nine, of the right runtime and build, nothing provisioned, no
// network of one's own (D1).
func checkFunctions(s *Stack) []finding {
	var bad []finding
	var names []string
	for _, f := range s.functions() {
		name := strings.TrimSuffix(f.ID, "Function")
		names = append(names, name)
		want(&bad, f.ID+" Runtime", f.Props["Runtime"], "provided.al2023")
		want(&bad, f.ID+" Handler", f.Props["Handler"], "bootstrap")
		want(&bad, f.ID+" Architectures", texts(f.Props["Architectures"]), []string{"arm64"})
		want(&bad, f.ID+" BuildMethod", under(s.Resources[f.ID].Rest, "Metadata")["BuildMethod"], "makefile")
		want(&bad, f.ID+" RecursiveLoop", f.Props["RecursiveLoop"], "Terminate")
		if f.Props["Tracing"] != "Active" && under(f.Props, "TracingConfig")["Mode"] != "Active" {
			bad = append(bad, f.ID+" is not traced (D8)")
		}
		if t := timeouts[name]; f.Timeout < t[0] || f.Timeout > t[1] {
			bad = append(bad, fmt.Sprintf("%s Timeout is %d, want %d to %d", f.ID, f.Timeout, t[0], t[1]))
		}
		for _, p := range []string{"VpcConfig", "ProvisionedConcurrencyConfig", "ReservedConcurrentExecutions", "Layers"} {
			if _, has := f.Props[p]; has {
				bad = append(bad, f.ID+" has "+p+" (D1)")
			}
		}
	}
	sort.Strings(names)
	want(&bad, "the set of functions", names, functionNames)
	return bad
}

// wires says for each function which variables it reads and where each leads.
// A name in angle brackets is a parameter's value; the tests set each to its
// own name, and an empty one takes the variable away.
var wires = map[string]map[string]string{
	"Slack":    {"TRIGGERS_QUEUE": "${TriggersQueue}", "SLACK_SECRET": "<SlackSecretArn>", "LINK_SECRET": "${LinkSecret.Id}", "PUBLIC_URL": "<PublicUrl>"},
	"Feishu":   {"TRIGGERS_QUEUE": "${TriggersQueue}", "FEISHU_SECRET": "<FeishuSecretArn>", "LINK_SECRET": "${LinkSecret.Id}", "PUBLIC_URL": "<PublicUrl>"},
	"Github":   {"TRIGGERS_QUEUE": "${TriggersQueue}", "GITHUB_SECRET": "<GithubSecretArn>"},
	"Gate":     {"TRIGGERS_QUEUE": "${TriggersQueue}", "MODEL": "<Model>"},
	"Dispatch": {"TRIGGERS_QUEUE": "${TriggersQueue}", "OUTBOUND_QUEUE": "${OutboundQueue}", "TURNS_QUEUE": "${TurnsQueue}", "WAKES_QUEUE": "${WakesQueue}", "WAKES_QUEUE_ARN": "${WakesQueue.Arn}", "SCHEDULE_GROUP": "${ScheduleGroup}", "SCHEDULE_ROLE_ARN": "${ScheduleRole.Arn}"},
	"Turn":     {"TURNS_QUEUE": "${TurnsQueue}", "SLACK_SECRET": "<SlackSecretArn>", "FEISHU_SECRET": "<FeishuSecretArn>", "GITHUB_SECRET": "<GithubSecretArn>", "MODEL_SECRET": "<ModelSecretArn>", "MODEL": "<Model>", "PUBLIC_URL": "<PublicUrl>|" + ownAddress},
	"Deliver":  {"OUTBOUND_QUEUE": "${OutboundQueue}", "SLACK_SECRET": "<SlackSecretArn>", "FEISHU_SECRET": "<FeishuSecretArn>", "GITHUB_SECRET": "<GithubSecretArn>", "LINK_SECRET": "${LinkSecret.Id}", "PUBLIC_URL": "<PublicUrl>|" + ownAddress},
	"Wake":     {"WAKES_QUEUE": "${WakesQueue}", "TRIGGERS_QUEUE": "${TriggersQueue}", "GITHUB_SECRET": "<GithubSecretArn>"},
	"Api":      {"PUBLIC_URL": "<PublicUrl>"},
}

// ownAddress is the HTTP API's. The functions behind it cannot be told it in
// their environment, since it depends on them: they take it from the request.
const ownAddress = "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}"

// sources says which queue or stream each mapped function reads.
var sources = map[string]string{
	"Gate": "TriggersQueue", "Turn": "TurnsQueue", "Deliver": "OutboundQueue", "Wake": "WakesQueue", "Dispatch": "Table.StreamArn",
}

// checkWires: every variable leads to the right place, no function has one
// that it does not read, every queue is read by the right function (O1).
func checkWires(s *Stack) []finding {
	var bad []finding
	for _, f := range s.functions() {
		name := strings.TrimSuffix(f.ID, "Function")
		allowed := map[string]string{"TABLE": "${Table}", "LOG_LEVEL": "<LogLevel>"}
		for k, v := range wires[name] {
			allowed[k] = v
		}
		for k, got := range f.Env {
			wanted, known := allowed[strings.TrimPrefix(k, "POSTERN_")]
			if !known || !strings.HasPrefix(k, "POSTERN_") {
				bad = append(bad, f.ID+" has "+k+", which it does not read")
			} else if !leads(got, wanted) {
				bad = append(bad, fmt.Sprintf("%s %s leads to %s, want %s", f.ID, k, got, wanted))
			}
		}
		for k, v := range allowed {
			if _, has := f.Env["POSTERN_"+k]; !has && strings.HasPrefix(v, "${") {
				bad = append(bad, f.ID+" lacks POSTERN_"+k)
			}
		}
		var read []string
		for _, m := range f.Mappings {
			read = append(read, m.Source)
		}
		want(&bad, f.ID+" reads", strings.Join(read, " "), sources[name])
	}
	return bad
}

func leads(got, wanted string) bool {
	for _, w := range strings.Split(wanted, "|") {
		if got == w || (strings.HasPrefix(w, "<") && !strings.HasPrefix(got, "$") && got != "") {
			return true
		}
	}
	return false
}

// checkRoutes: the three entrances and the panel, each with the function's own
// time to answer (D3).
func checkRoutes(s *Stack) []finding {
	wanted := map[string]string{
		"POST /hooks/slack": "SlackFunction", "POST /hooks/feishu": "FeishuFunction", "POST /hooks/github": "GithubFunction",
		"ANY /v1/{proxy+}": "ApiFunction", "ANY /{proxy+}": "ApiFunction", "ANY /": "ApiFunction",
	}
	timeout := map[string]int{}
	for _, f := range s.functions() {
		timeout[f.ID] = f.Timeout
	}
	var bad []finding
	for _, r := range s.routes() {
		key := r.Method + " " + r.Path
		want(&bad, "route "+key, r.Function, wanted[key])
		want(&bad, "route "+key+" milliseconds", r.TimeoutMillis, timeout[r.Function]*1000)
		delete(wanted, key)
	}
	for key := range wanted {
		bad = append(bad, "no route "+key)
	}
	throttled := under(s.Resources["Api"].Properties, "RouteSettings")
	for _, id := range s.ofType("AWS::ApiGatewayV2::Stage") {
		throttled = under(s.Resources[id].Properties, "RouteSettings")
	}
	for _, hook := range []string{"slack", "feishu", "github"} {
		if number(under(throttled, "POST /hooks/"+hook)["ThrottlingRateLimit"]) < 1 {
			bad = append(bad, "route POST /hooks/"+hook+" is not throttled (D3)")
		}
	}
	return bad
}
