package template

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// mutation breaks one wire in a copy of the template. The named check must
// turn red and its finding must contain says.
type mutation struct {
	name  string
	check string
	path  string // "/" between steps; "@F.E/" is function F's mapping E, "#" the template's own form only
	value any    // gone takes the place away
	says  string
}

type gone struct{}

var mutations = []mutation{
	// functions
	{"another runtime", "functions", "Resources/GateFunction/Properties/Runtime", "provided.al2", "GateFunction Runtime"},
	{"another builder", "functions", "Resources/TurnFunction/Metadata/BuildMethod", "go1.x", "TurnFunction BuildMethod"},
	{"a webhook that runs too long", "functions", "Resources/SlackFunction/Properties/Timeout", 60, "SlackFunction Timeout"},
	{"a VPC", "functions", "Resources/WakeFunction/Properties/VpcConfig", map[string]any{"SubnetIds": []any{"s"}}, "VpcConfig"},
	{"a function missing", "functions", "Resources/DeliverFunction", gone{}, "the set of functions"},
	{"recursion allowed", "functions", "Resources/DispatchFunction/Properties/RecursiveLoop", "Allow", "RecursiveLoop"},
	// wires
	{"turns rung on outbound", "wires", "Resources/DispatchFunction/Properties/Environment/Variables/POSTERN_TURNS_QUEUE", ref("OutboundQueue"), "DispatchFunction POSTERN_TURNS_QUEUE"},
	{"a queue's address where its ARN belongs", "wires", "Resources/DispatchFunction/Properties/Environment/Variables/POSTERN_WAKES_QUEUE_ARN", ref("WakesQueue"), "POSTERN_WAKES_QUEUE_ARN"},
	{"a variable missing", "wires", "Resources/SlackFunction/Properties/Environment/Variables/POSTERN_TRIGGERS_QUEUE", gone{}, "SlackFunction lacks POSTERN_TRIGGERS_QUEUE"},
	{"a secret where it is not read", "wires", "Resources/GateFunction/Properties/Environment/Variables/POSTERN_SLACK_SECRET", ref("SlackSecretArn"), "GateFunction has POSTERN_SLACK_SECRET"},
	{"gate reads outbound", "wires", "@GateFunction.Queue/Queue", att("OutboundQueue", "Arn"), "GateFunction reads"},
	{"deliver reads turns", "wires", "@DeliverFunction.Queue/Queue", att("TurnsQueue", "Arn"), "DeliverFunction reads"},
	// routes
	{"an entrance not throttled", "routes", "$throttle/POST /hooks/github", gone{}, "POST /hooks/github is not throttled"},
	{"a hook at another address", "routes", "#Resources/FeishuFunction/Properties/Events/Hook/Properties/Path", "/feishu", "no route POST /hooks/feishu"},
	{"a hook answered by another", "routes", "#Resources/GithubFunction/Properties/Events/Hook/Properties/Path", "/hooks/slack", "no route POST /hooks/github"},
	{"a gateway that gives up before the function", "routes", "#Resources/ApiFunction/Properties/Events/V1/Properties/TimeoutInMillis", 5000, "milliseconds is 5000"},
	// batches
	{"ten triggers at once", "batches", "@GateFunction.Queue/BatchSize", 10, "BatchSize is 10"},
	{"two turns at once", "batches", "@TurnFunction.Queue/BatchSize", 2, "BatchSize is 2"},
	{"partial failures unreported", "batches", "@WakeFunction.Queue/FunctionResponseTypes", gone{}, "FunctionResponseTypes"},
	{"stream failures unreported", "batches", "@DispatchFunction.Outbox/FunctionResponseTypes", []any{}, "FunctionResponseTypes"},
	// concurrency
	{"turns unbounded", "concurrency", "@TurnFunction.Queue/ScalingConfig", gone{}, "no MaximumConcurrency"},
	{"one at a time, which Lambda refuses", "concurrency", "@GateFunction.Queue/ScalingConfig/MaximumConcurrency", 1, "no MaximumConcurrency"},
	{"webhooks starved", "concurrency", "@DeliverFunction.Queue/ScalingConfig/MaximumConcurrency", 900, "adds up to"},
	// visibility
	{"triggers hidden for less than six runs", "visibility", "Mappings/Timing/aws/Triggers", 119, "TriggersQueue VisibilityTimeout is 119"},
	{"a longer deliver", "visibility", "Resources/DeliverFunction/Properties/Timeout", 31, "OutboundQueue VisibilityTimeout is 180"},
	{"turns hidden for less than a turn", "visibility", "Mappings/Timing/aws/Turns", 600, "TurnsQueue VisibilityTimeout is 600"},
	{"turns hidden for an hour", "visibility", "Mappings/Timing/aws/Turns", 3600, "TurnsQueue VisibilityTimeout is 3600"},
	{"wakes hidden by a number of its own", "visibility", "Resources/WakesQueue/Properties/VisibilityTimeout", 30, "WakesQueue VisibilityTimeout is 30"},
	// dead letters
	{"no dead-letter queue", "dead letters", "Resources/TurnsQueue/Properties/RedrivePolicy", gone{}, "TurnsQueue dead-letter queue"},
	{"another's dead-letter queue", "dead letters", "Resources/WakesQueue/Properties/RedrivePolicy/deadLetterTargetArn", att("TurnsDeadQueue", "Arn"), "WakesQueue dead-letter queue"},
	{"given up before it is judged", "dead letters", "Resources/TriggersQueue/Properties/RedrivePolicy/maxReceiveCount", 2, "TriggersQueue maxReceiveCount is 2"},
	{"a standard dead-letter queue of a FIFO one", "dead letters", "Resources/OutboundDeadQueue/Properties/FifoQueue", gone{}, "OutboundDeadQueue FifoQueue"},
	{"a name that redrive cannot tell", "dead letters", "Resources/TriggersDeadQueue/Properties/QueueName", "lost.fifo", "TriggersDeadQueue QueueName"},
	{"dead letters kept four days", "dead letters", "Resources/WakesDeadQueue/Properties/MessageRetentionPeriod", gone{}, "WakesDeadQueue MessageRetentionPeriod"},
	// fifo
	{"no order", "fifo", "Resources/TriggersQueue/Properties/FifoQueue", gone{}, "TriggersQueue FifoQueue"},
	{"a ring repeated on purpose swallowed", "fifo", "Resources/OutboundQueue/Properties/ContentBasedDeduplication", true, "OutboundQueue ContentBasedDeduplication"},
	{"a FIFO queue for delays", "fifo", "Resources/WakesQueue/Properties/FifoQueue", true, "WakesQueue FifoQueue"},
	// stream
	{"no filter", "stream", "@DispatchFunction.Outbox/FilterCriteria", gone{}, "0 filters"},
	{"a filter on another kind", "stream", "@DispatchFunction.Outbox/FilterCriteria/Filters/0/Pattern", `{"eventName":["INSERT"],"dynamodb":{"NewImage":{"kind":{"S":["wake"]}}}}`, "want what rings only"},
	{"settled items ring nobody", "stream", "@DispatchFunction.Outbox/FilterCriteria/Filters/1/Pattern", `{"eventName":["INSERT"],"dynamodb":{"NewImage":{"kind":{"S":["item"]},"open_pk":{"S":[{"exists":true}]}}}}`, "want what rings only"},
	{"updates too", "stream", "@DispatchFunction.Outbox/FilterCriteria/Filters/0/Pattern", `{"dynamodb":{"NewImage":{"kind":{"S":["outbox"]}}}}`, "want what rings only"},
	{"no bisecting", "stream", "@DispatchFunction.Outbox/BisectBatchOnFunctionError", false, "BisectBatchOnFunctionError"},
	{"retried for ever", "stream", "@DispatchFunction.Outbox/MaximumRetryAttempts", gone{}, "MaximumRetryAttempts"},
	{"a record that blocks its shard a day", "stream", "@DispatchFunction.Outbox/MaximumRecordAgeInSeconds", -1, "MaximumRecordAgeInSeconds"},
	{"nowhere for what is given up", "stream", "@DispatchFunction.Outbox/DestinationConfig", gone{}, "failure destination"},
	{"the first records missed", "stream", "@DispatchFunction.Outbox/StartingPosition", "LATEST", "StartingPosition"},
	// table
	{"a table that goes with the stack", "table", "Resources/Table/DeletionPolicy", gone{}, "Table DeletionPolicy"},
	{"no backup", "table", "Resources/Table/Properties/PointInTimeRecoverySpecification", gone{}, "point-in-time recovery"},
	{"TTL on another attribute", "table", "Resources/Table/Properties/TimeToLiveSpecification/AttributeName", "expires", "Table TTL"},
	{"new images only", "table", "Resources/Table/Properties/StreamSpecification/StreamViewType", "NEW_IMAGE", "StreamViewType"},
	{"a fat index", "table", "Resources/Table/Properties/GlobalSecondaryIndexes/0/Projection/ProjectionType", "ALL", "Table indexes"},
	{"an index's keys swapped", "table", "Resources/Table/Properties/GlobalSecondaryIndexes/1/KeySchema/0/AttributeName", "list_sk", "Table indexes"},
	{"a fixed name", "table", "Resources/Table/Properties/TableName", "postern", "fixed name"},
	// schedules
	{"no schedule expression", "schedules", "Mappings/Timing/aws/Reconcile", "banana", `"banana" is not one`},
	{"a plural that Scheduler refuses", "schedules", "Mappings/Timing/aws/Reconcile", "rate(1 minutes)", "is not one"},
	{"once an hour", "schedules", "Mappings/Timing/aws/Reconcile", "rate(1 hour)", "want every 5 minutes"},
	{"OFF as YAML 1.1 reads it", "schedules", "Resources/ReconcileSchedule/Properties/FlexibleTimeWindow/Mode", false, "Mode is false"},
	{"the reconciler rings dispatch", "schedules", "Resources/ReconcileSchedule/Properties/Target/Arn", att("DispatchFunction", "Arn"), "ReconcileSchedule target"},
	{"an input that wake does not know", "schedules", "Resources/ReconcileSchedule/Properties/Target/Input", "{}", "ReconcileSchedule input"},
	// schedule role
	{"anybody's schedules take the role", "schedule role", "Resources/ScheduleRole/Properties/AssumeRolePolicyDocument/Statement/0/Condition", gone{}, "ScheduleRole source"},
	{"the role rings triggers", "schedule role", "Resources/ScheduleRole/Properties/Policies/0/PolicyDocument/Statement/0/Resource", att("TriggersQueue", "Arn"), "ScheduleRole may"},
	// logs
	{"lines kept for ever", "logs", "Resources/TurnLog/Properties/RetentionInDays", gone{}, "TurnLog keeps"},
	{"another's log group", "logs", "Resources/ApiFunction/Properties/LoggingConfig/LogGroup", ref("SlackLog"), "ApiFunction log group"},
	// alarms
	{"an alarm missing", "alarms", "Resources/StreamAgeAlarm", gone{}, "no StreamAgeAlarm"},
	{"a queue without an alarm", "alarms", "Resources/WakesDeadAlarm/Properties/Dimensions/0/Value", att("TurnsDeadQueue", "QueueName"), "WakesDeadQueue has no alarm"},
	{"an alarm nobody hears", "alarms", "Resources/EntranceAlarm/Properties/AlarmActions", []any{}, "EntranceAlarm goes to"},
	{"silence taken for health", "alarms", "Resources/ReconcilerAlarm/Properties/TreatMissingData", "notBreaching", "ReconcilerAlarm TreatMissingData"},
	{"one more page", "alarms", "Resources/CostAlarm", map[string]any{"Type": "AWS::CloudWatch::Alarm", "Properties": map[string]any{}}, "CostAlarm pages"},
	{"an entry not named", "alarms", "Resources/StreamAgeAlarm/Properties/AlarmDescription", "Old.", "does not name its entry"},
	{"a line nobody reads", "alarms", "Resources/ReconciledFilter/Properties/LogGroupName", ref("GateLog"), "ReconcilerAlarm looks at reconciled"},
	// trust
	{"a shared role", "trust", "Resources/ApiFunction/Properties/Role", att("WakeRole", "Arn"), "ApiFunction role"},
	{"a role anybody takes", "trust", "Resources/GateRole/Properties/AssumeRolePolicyDocument/Statement/0/Principal", map[string]any{"AWS": "*"}, "GateRole principal"},
	{"a managed policy", "trust", "Resources/GateRole/Properties/ManagedPolicyArns", []any{"arn:aws:iam::aws:policy/AdministratorAccess"}, "managed policies"},
	{"everything allowed", "trust", "Resources/GateRole/Properties/Policies/0/PolicyDocument/Statement/2/Resource", "*", "on *"},
	{"a wild action", "trust", "Resources/GateRole/Properties/Policies/0/PolicyDocument/Statement/2/Action", "dynamodb:*", "allows dynamodb:*"},
	{"the role passed to anything", "trust", "$passrole/Condition", gone{}, "passes a role"},
	{"a policy apart", "trust", "Resources/Extra", map[string]any{"Type": "AWS::IAM::ManagedPolicy", "Properties": map[string]any{}}, "Extra is a policy apart"},
	// outputs
	{"the wrong address printed", "outputs", "Outputs/WakesDeadQueueUrl/Value", ref("WakesQueue"), "output WakesDeadQueueUrl"},
	{"no panel", "outputs", "Outputs/Panel", gone{}, "no output Panel"},
}

func ref(id string) any            { return map[string]any{"Ref": id} }
func att(id, attribute string) any { return map[string]any{"Fn::GetAtt": []any{id, attribute}} }

func TestBrokenWiresAreNamed(t *testing.T) {
	t.Parallel()
	mutated := map[string]bool{}
	for form, original := range forms(t) {
		for _, m := range mutations {
			mutated[m.check] = true
			if strings.HasPrefix(m.path, "#") && form == "expanded" {
				continue
			}
			tree := clone(original).(map[string]any)
			change(t, tree, where(t, tree, form, m.path), m.value)
			var found []finding
			s := mustResolve(t, tree, everything())
			for _, c := range checks {
				if c.name == m.check {
					found = c.run(s)
				}
			}
			if !strings.Contains(strings.Join(found, "\n"), m.says) {
				t.Errorf("%s, %s: check %q found %q, want it to name %q", form, m.name, m.check, found, m.says)
			}
		}
	}
	for _, c := range checks {
		if !mutated[c.name] {
			t.Errorf("no mutation shows that check %q can fail", c.name)
		}
	}
}

// where turns a mutation's path into the form's own.
func where(t *testing.T, tree map[string]any, form, path string) string {
	t.Helper()
	path = strings.TrimPrefix(path, "#")
	expanded := form == "expanded"
	if rest, ok := strings.CutPrefix(path, "@"); ok {
		at, rest, _ := strings.Cut(rest, "/")
		function, event, _ := strings.Cut(at, ".")
		if expanded {
			if rest == "Queue" {
				rest = "EventSourceArn"
			}
			return "Resources/" + function + event + "/Properties/" + rest
		}
		return "Resources/" + function + "/Properties/Events/" + event + "/Properties/" + rest
	}
	if rest, ok := strings.CutPrefix(path, "$throttle/"); ok {
		if expanded {
			return "Resources/ApiApiGatewayDefaultStage/Properties/RouteSettings|" + rest
		}
		return "Resources/Api/Properties/RouteSettings|" + rest
	}
	if rest, ok := strings.CutPrefix(path, "$passrole/"); ok {
		doc := under(tree, "Resources", "DispatchRole", "Properties")
		for i, st := range statements(under(doc["Policies"].([]any)[0].(map[string]any), "PolicyDocument")) {
			if st["Action"] == "iam:PassRole" {
				return fmt.Sprintf("Resources/DispatchRole/Properties/Policies/0/PolicyDocument/Statement/%d/%s", i, rest)
			}
		}
		t.Fatal("no PassRole statement to break")
	}
	return path
}

// change sets or removes one place of a tree. What follows "|" is one step,
// slashes and all.
func change(t *testing.T, tree map[string]any, path string, value any) {
	t.Helper()
	head, last, has := strings.Cut(path, "|")
	steps := strings.Split(head, "/")
	if has {
		steps = append(steps, last)
	}
	var at any = tree
	for _, step := range steps[:len(steps)-1] {
		switch here := at.(type) {
		case map[string]any:
			if here[step] == nil {
				here[step] = map[string]any{}
			}
			at = here[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(here) {
				t.Fatalf("no place %s", path)
			}
			at = here[i]
		default:
			t.Fatalf("no place %s", path)
		}
	}
	m, ok := at.(map[string]any)
	if !ok {
		t.Fatalf("no place %s", path)
	}
	name := steps[len(steps)-1]
	if _, remove := value.(gone); remove {
		if _, has := m[name]; !has {
			t.Fatalf("nothing to remove at %s", path)
		}
		delete(m, name)
		return
	}
	m[name] = value
}
