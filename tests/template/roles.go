package template

import (
	"fmt"
	"sort"
	"strings"

	"github.com/postern-dev/postern/shared/edge/calls"
)

// grant is one action that a role allows on one resource, in the words of
// package calls.
type grant struct{ Action, Resource string }

// statements lists a policy document's statements.
func statements(doc map[string]any) []map[string]any {
	var out []map[string]any
	list, _ := doc["Statement"].([]any)
	for _, e := range list {
		if m, ok := e.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// grants lists what a role allows, in order.
func (s *Stack) grants(role string) []grant {
	var list []grant
	policies, _ := s.Resources[role].Properties["Policies"].([]any)
	for _, e := range policies {
		p, _ := e.(map[string]any)
		for _, st := range statements(under(p, "PolicyDocument")) {
			for _, action := range texts(st["Action"]) {
				for _, resource := range texts(st["Resource"]) {
					list = append(list, grant{action, place(resource) + by(st)})
				}
			}
		}
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].Action+list[i].Resource < list[j].Action+list[j].Resource
	})
	return list
}

const scheduleARN = "arn:${AWS::Partition}:scheduler:${AWS::Region}:${AWS::AccountId}:schedule/${ScheduleGroup}/*"

// place names a resource as package calls does.
func place(ref string) string {
	switch ref {
	case "${Table.Arn}/index/*":
		return "Table/index/*"
	case scheduleARN:
		return "ScheduleGroup/*"
	}
	return logical(ref)
}

// profileKey is the condition that holds models to those that an inference
// profile leads to.
const profileKey = "bedrock:InferenceProfileArn"

// by says through which inference profile a statement allows, if it says so.
func by(st map[string]any) string {
	if p := text(under(st, "Condition", "StringEquals")[profileKey]); p != "" {
		return " by " + p
	}
	return ""
}

// bedrockARNs are the places of calls.Converse for a model's id.
func bedrockARNs(id string) map[string]string {
	if id == "" {
		return map[string]string{"BedrockModel/model": "", "BedrockModel/profile": "", "BedrockModel/profile/*": ""}
	}
	profile := "arn:${AWS::Partition}:bedrock:${AWS::Region}:${AWS::AccountId}:inference-profile/" + id
	return map[string]string{
		"BedrockModel/model":     "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/" + id,
		"BedrockModel/profile":   profile,
		"BedrockModel/profile/*": "arn:${AWS::Partition}:bedrock:*::foundation-model/* by " + profile,
	}
}

// lambdaNeeds lists what Lambda itself does under the function's role: logs,
// traces, reading the mapping's source, keeping what was given up.
func lambdaNeeds(f Function) []grant {
	need := []grant{
		{"logs:CreateLogStream", f.LogGroup}, {"logs:PutLogEvents", f.LogGroup},
		{"xray:PutTraceSegments", "*"}, {"xray:PutTelemetryRecords", "*"},
	}
	for _, m := range f.Mappings {
		actions := []string{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
		if m.Source == "Table.StreamArn" {
			actions = []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"}
		}
		for _, a := range actions {
			need = append(need, grant{a, m.Source})
		}
		if dead := text(under(m.Props, "DestinationConfig", "OnFailure")["Destination"]); dead != "" {
			need = append(need, grant{"sqs:SendMessage", logical(dead)})
		}
	}
	return need
}

// checkRoles compares each function's role with what it declares and what
// Lambda needs, both ways: nothing missing, nothing spare (D2). given says where
// a declared name lies in this deployment; empty, nowhere: what was not given
// is not expected.
func checkRoles(s *Stack, declared map[string][]calls.Call, given map[string]string) []finding {
	var bad []finding
	for _, f := range s.functions() {
		need := map[grant]bool{}
		for _, g := range lambdaNeeds(f) {
			need[g] = true
		}
		for _, c := range declared[f.ID] {
			resource := c.Resource
			if value, isParameter := given[resource]; isParameter {
				resource = value
			}
			if resource != "" {
				need[grant{c.Service + ":" + c.Action, resource}] = true
			}
		}
		have := map[grant]bool{}
		for _, g := range s.grants(f.Role) {
			if have[g] {
				bad = append(bad, fmt.Sprintf("%s allows %s on %s twice", f.Role, g.Action, g.Resource))
			}
			have[g] = true
		}
		for g := range need {
			if !have[g] {
				bad = append(bad, fmt.Sprintf("%s lacks %s on %s, which %s calls (D2)", f.Role, g.Action, g.Resource, f.ID))
			}
		}
		for g := range have {
			if !need[g] {
				bad = append(bad, fmt.Sprintf("%s allows %s on %s, which %s does not call (D2)", f.Role, g.Action, g.Resource, f.ID))
			}
		}
	}
	sort.Strings(bad)
	return bad
}

// checkTrust: each function has a role of its own that only Lambda takes, made
// of plain statements; nothing but X-Ray is allowed everywhere; the schedule
// role is passed to Scheduler only (D2).
func checkTrust(s *Stack) []finding {
	var bad []finding
	for _, f := range s.functions() {
		want(&bad, f.ID+" role", f.Role, strings.TrimSuffix(f.ID, "Function")+"Role")
		for _, st := range statements(under(s.Resources[f.Role].Properties, "AssumeRolePolicyDocument")) {
			want(&bad, f.Role+" principal", fmt.Sprint(under(st, "Principal")), "map[Service:lambda.amazonaws.com]")
		}
	}
	for _, t := range []string{"AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"} {
		for _, id := range s.ofType(t) {
			bad = append(bad, id+" is a policy apart from its role, which nobody compares")
		}
	}
	for _, id := range s.ofType("AWS::IAM::Role") {
		p := s.Resources[id].Properties
		if _, has := p["ManagedPolicyArns"]; has {
			bad = append(bad, id+" has managed policies, which nobody compares")
		}
		policies, _ := p["Policies"].([]any)
		for _, e := range policies {
			m, _ := e.(map[string]any)
			for _, st := range statements(under(m, "PolicyDocument")) {
				bad = append(bad, statementFindings(id, st)...)
			}
		}
	}
	return bad
}

func statementFindings(role string, st map[string]any) []finding {
	var bad []finding
	want(&bad, role+" Effect", st["Effect"], "Allow")
	for _, key := range []string{"NotAction", "NotResource"} {
		if _, has := st[key]; has {
			bad = append(bad, role+" uses "+key)
		}
	}
	for _, action := range texts(st["Action"]) {
		if strings.Contains(action, "*") {
			bad = append(bad, role+" allows "+action)
		}
		for _, resource := range texts(st["Resource"]) {
			if resource == "*" && !strings.HasPrefix(action, "xray:") {
				bad = append(bad, role+" allows "+action+" on * (D2)")
			}
			if strings.HasPrefix(action, "bedrock:") && strings.Contains(resource, "*") && by(st) == "" {
				bad = append(bad, role+" allows "+action+" on "+resource+" by no one inference profile (D2)")
			}
		}
		if action == "iam:PassRole" && text(under(st, "Condition", "StringEquals")["iam:PassedToService"]) != "scheduler.amazonaws.com" {
			bad = append(bad, role+" passes a role to more than Scheduler")
		}
	}
	return bad
}
