package template

import (
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/edge/calls"
)

// allowed are a role's statements in a tree, to be broken.
func allowed(tree map[string]any, role string) (doc map[string]any, list []any) {
	p := under(tree, "Resources", role, "Properties")["Policies"].([]any)[0].(map[string]any)
	doc = under(p, "PolicyDocument")
	return doc, doc["Statement"].([]any)
}

// Each single permission taken away from each role turns the check red, and the
// finding names it (D2).
func TestOnePermissionTooFew(t *testing.T) {
	t.Parallel()
	list := declared(t)
	for form, tree := range forms(t) {
		n := 0
		for _, given := range []map[string]string{everything(), {}} {
			whole := mustResolve(t, tree, given)
			for _, f := range whole.functions() {
				for i, g := range whole.grants(f.Role) {
					found := checkRoles(without(whole, f.Role, i), list, placesOf(given))
					if len(found) != 1 || !strings.HasPrefix(found[0], f.Role+" lacks "+g.Action+" on "+g.Resource) {
						t.Errorf("%s: %s without %v gives %q", form, f.Role, g, found)
					}
					n++
				}
			}
		}
		if n < 2*9*10 {
			t.Errorf("%s: only %d permissions were taken away", form, n)
		}
	}
}

// without is the stack with one grant of a role left out.
func without(s *Stack, role string, leave int) *Stack {
	var kept []any
	for i, g := range s.grants(role) {
		if i != leave {
			kept = append(kept, map[string]any{"Effect": "Allow", "Action": g.Action, "Resource": g.Resource})
		}
	}
	return withStatements(s, role, kept)
}

func withStatements(s *Stack, role string, list []any) *Stack {
	out := &Stack{Resources: map[string]Resource{}, Outputs: s.Outputs}
	for id, r := range s.Resources {
		out.Resources[id] = r
	}
	r := out.Resources[role]
	r.Properties = merge(r.Properties, map[string]any{"Policies": []any{
		map[string]any{"PolicyDocument": map[string]any{"Statement": list}},
	}})
	out.Resources[role] = r
	return out
}

// One permission too many in each role: another action on what it may touch,
// the right action on another queue, another's secret.
func TestOnePermissionTooMany(t *testing.T) {
	t.Parallel()
	list := declared(t)
	spare := []map[string]any{
		{"Effect": "Allow", "Action": "dynamodb:Scan", "Resource": att("Table", "Arn")},
		{"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": att("WakesDeadQueue", "Arn")},
		{"Effect": "Allow", "Action": []any{"sqs:PurgeQueue"}, "Resource": []any{att("TriggersQueue", "Arn")}},
		{"Effect": "Allow", "Action": "dynamodb:Query", "Resource": "*"},
		{"Effect": "Allow", "Action": "secretsmanager:PutSecretValue", "Resource": ref("LinkSecret")},
	}
	for form, original := range forms(t) {
		for _, name := range functionNames {
			for _, extra := range spare {
				tree := clone(original).(map[string]any)
				doc, statements := allowed(tree, name+"Role")
				doc["Statement"] = append(statements, extra)
				found := checkRoles(mustResolve(t, tree, everything()), list, placesOf(everything()))
				if len(found) != 1 || !strings.HasPrefix(found[0], name+"Role allows "+texts(extra["Action"])[0]) {
					t.Errorf("%s: %sRole with %v gives %q", form, name, extra, found)
				}
			}
		}
	}
}

// Bedrock's role is held to one id: another model, another profile, and models
// by no profile at all are named (S11, D2).
func TestS11_AnotherModel(t *testing.T) {
	t.Parallel()
	list := declared(t)
	const base = "arn:${AWS::Partition}:bedrock:${AWS::Region}"
	wide, usualProfile := "arn:${AWS::Partition}:bedrock:*::foundation-model/*", base+":${AWS::AccountId}:inference-profile/"+usual
	statement := func(resource, profile string) map[string]any {
		st := map[string]any{"Effect": "Allow", "Action": "bedrock:InvokeModel", "Resource": resource}
		if profile != "" {
			st["Condition"] = map[string]any{"StringEquals": map[string]any{profileKey: profile}}
		}
		return st
	}
	for form, original := range forms(t) {
		for name, extra := range map[string]map[string]any{
			"another model":      statement(base+"::foundation-model/amazon.nova-pro-v1:0", ""),
			"another profile":    statement(base+":${AWS::AccountId}:inference-profile/us."+usual, ""),
			"by another profile": statement(wide, usualProfile+"0"),
			"by none":            statement(wide, ""),
		} {
			tree := clone(original).(map[string]any)
			doc, statements := allowed(tree, "TurnRole")
			doc["Statement"] = append(statements, extra)
			s := mustResolve(t, tree, nil)
			found := checkRoles(s, list, placesOf(nil))
			if len(found) != 1 || !strings.HasPrefix(found[0], "TurnRole allows bedrock:InvokeModel on "+extra["Resource"].(string)) {
				t.Errorf("%s: %s gives %q", form, name, found)
			}
			if trust := checkTrust(s); (name == "by none") != (len(trust) == 1 && strings.Contains(trust[0], "by no one inference profile")) {
				t.Errorf("%s: %s gives %q", form, name, trust)
			}
		}
	}
}

// A call that a function declares and its role does not allow is named, and so
// is one that it stops declaring.
func TestRolesFollowTheDeclarations(t *testing.T) {
	t.Parallel()
	s := mustResolve(t, forms(t)["template"], everything())
	more := declared(t)
	more["GateFunction"] = calls.Join(more["GateFunction"], calls.Send("WakesQueue"))
	if found := checkRoles(s, more, placesOf(everything())); len(found) != 1 || found[0] != "GateRole lacks sqs:SendMessage on WakesQueue, which GateFunction calls (D2)" {
		t.Errorf("one call more gives %q", found)
	}
	fewer := declared(t)
	fewer["GateFunction"] = calls.Table()
	if found := checkRoles(s, fewer, placesOf(everything())); len(found) != 1 || found[0] != "GateRole allows sqs:ChangeMessageVisibility on TriggersQueue, which GateFunction does not call (D2)" {
		t.Errorf("one call fewer gives %q", found)
	}
}

// calls.go is read as source: what it cannot say plainly is refused, so that
// nothing is overlooked.
func TestDeclarationsAreReadStrictly(t *testing.T) {
	t.Parallel()
	head := "package main\nimport \"github.com/postern-dev/postern/shared/edge/calls\"\n"
	got, err := parseCalls("calls.go", []byte(head+`var Calls = calls.Join(calls.Table(), calls.Send("TurnsQueue"))`))
	if err != nil || len(got) != len(calls.Table())+1 || got[len(got)-1] != (calls.Call{Service: "sqs", Action: "SendMessage", Resource: "TurnsQueue"}) {
		t.Errorf("got %v, %v", got, err)
	}
	for name, src := range map[string]string{
		"none":             "",
		"unknown word":     `var Calls = calls.Join(calls.Everything())`,
		"computed":         `var q = "TurnsQueue"; var Calls = calls.Join(calls.Send(q))`,
		"of another place": `var Calls = append(calls.Table(), more...)`,
		"made later":       `var Calls []calls.Call; func init() { Calls = calls.Table() }`,
		"of two packages":  `var Calls = other.Join()`,
	} {
		if got, err := parseCalls("calls.go", []byte(head+src)); err == nil {
			t.Errorf("%s: read as %v, want a refusal", name, got)
		}
	}
}
