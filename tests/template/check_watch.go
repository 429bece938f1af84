package template

import (
	"fmt"
	"sort"
	"strings"
)

// checkLogs: each function writes to a group of its own that forgets (D1).
func checkLogs(s *Stack) []finding {
	var bad []finding
	for _, id := range s.ofType("AWS::Logs::LogGroup") {
		if number(s.Resources[id].Properties["RetentionInDays"]) < 1 {
			bad = append(bad, id+" keeps its lines for ever")
		}
	}
	for _, f := range s.functions() {
		want(&bad, f.ID+" log group", f.LogGroup, strings.TrimSuffix(f.ID, "Function")+"Log")
		if _, ok := s.Resources[f.LogGroup]; !ok {
			bad = append(bad, f.ID+" log group is not in the template")
		}
		want(&bad, f.ID+" LogFormat", under(f.Props, "LoggingConfig")["LogFormat"], "JSON")
	}
	return bad
}

// alarm is what one alarm must look at.
type alarm struct {
	entry     string // its heading in docs/operations.md
	namespace string
	metric    string
	dimension string
	missing   string // TreatMissingData
}

// stackNamespace is that of metrics read from the stack's own log lines.
const stackNamespace = "Postern/${AWS::StackName}"

// alarms are all that page, and only these (D12).
var alarms = map[string]alarm{
	"AnsweredNotWokenAlarm": {"answered-not-woken", stackNamespace, "answered_not_woken", "none", "notBreaching"},
	"TriggersDeadAlarm":     {"dead-letters-triggers", "AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName=TriggersDeadQueue.QueueName", "notBreaching"},
	"OutboundDeadAlarm":     {"dead-letters-outbound", "AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName=OutboundDeadQueue.QueueName", "notBreaching"},
	"TurnsDeadAlarm":        {"dead-letters-turns", "AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName=TurnsDeadQueue.QueueName", "notBreaching"},
	"WakesDeadAlarm":        {"dead-letters-wakes", "AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName=WakesDeadQueue.QueueName", "notBreaching"},
	"DispatchDeadAlarm":     {"dead-letters-dispatch", "AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName=DispatchDeadQueue.QueueName", "notBreaching"},
	"EntranceAlarm":         {"entrance-failing", "AWS/ApiGateway", "5xx", "ApiId=Api", "notBreaching"},
	"StreamAgeAlarm":        {"stream-age", "AWS/Lambda", "IteratorAge", "FunctionName=DispatchFunction", "notBreaching"},
	"ReconcilerAlarm":       {"reconciler-silent", stackNamespace, "reconciled", "none", "breaching"},
}

// checkAlarms: the set of D12, each to the one topic, each naming its entry in
// the failure table, and one for each dead-letter queue there is.
func checkAlarms(s *Stack) []finding {
	var bad []finding
	ids := s.ofType("AWS::CloudWatch::Alarm")
	watched := map[string]bool{}
	for _, id := range ids {
		a, known := alarms[id]
		if !known {
			bad = append(bad, id+" pages, but is not one of D12's")
			continue
		}
		p := s.Resources[id].Properties
		dimension := dimensionOf(p)
		watched[dimension] = true
		want(&bad, id+" metric", text(p["Namespace"])+" "+text(p["MetricName"])+" "+dimension, a.namespace+" "+a.metric+" "+a.dimension)
		want(&bad, id+" TreatMissingData", p["TreatMissingData"], a.missing)
		if actions := texts(p["AlarmActions"]); len(actions) != 1 || logical(actions[0]) != "AlarmTopic" {
			bad = append(bad, fmt.Sprintf("%s goes to %v, want AlarmTopic", id, actions))
		}
		if !strings.HasSuffix(text(p["AlarmDescription"]), " docs/operations.md#"+a.entry) {
			bad = append(bad, id+" does not name its entry docs/operations.md#"+a.entry)
		}
	}
	for id := range alarms {
		if i := sort.SearchStrings(ids, id); i == len(ids) || ids[i] != id {
			bad = append(bad, "no "+id+" (D12)")
		}
	}
	bad = append(bad, s.unread(ids)...)
	for _, id := range s.ofType("AWS::SQS::Queue") {
		if deadQueue(id) && !watched["QueueName="+id+".QueueName"] {
			bad = append(bad, id+" has no alarm (D4)")
		}
	}
	return bad
}

// unread names the alarms on metrics of our own that no filter reads from the
// reconciler's line.
func (s *Stack) unread(alarms []string) []finding {
	made := map[string]bool{}
	for _, id := range s.ofType("AWS::Logs::MetricFilter") {
		p := s.Resources[id].Properties
		list, _ := p["MetricTransformations"].([]any)
		for _, e := range list {
			m, _ := e.(map[string]any)
			if logical(text(p["LogGroupName"])) == "WakeLog" && strings.Contains(text(p["FilterPattern"]), `$.message = "reconciled"`) {
				made[text(m["MetricNamespace"])+" "+text(m["MetricName"])] = true
			}
		}
	}
	var bad []finding
	for _, id := range alarms {
		p := s.Resources[id].Properties
		if ns := text(p["Namespace"]); ns == stackNamespace && !made[ns+" "+text(p["MetricName"])] {
			bad = append(bad, id+" looks at "+text(p["MetricName"])+", which no filter makes")
		}
	}
	return bad
}

func dimensionOf(p map[string]any) string {
	list, _ := p["Dimensions"].([]any)
	if len(list) == 0 {
		return "none"
	}
	if len(list) != 1 {
		return fmt.Sprintf("%d dimensions", len(list))
	}
	d, _ := list[0].(map[string]any)
	return text(d["Name"]) + "=" + logical(text(d["Value"]))
}

// checkOutputs: what a deployer and the program need afterwards.
func checkOutputs(s *Stack) []finding {
	var bad []finding
	for _, name := range []string{"SlackWebhook", "FeishuWebhook", "GithubWebhook"} {
		if !strings.HasSuffix(s.Outputs[name], "/hooks/"+strings.ToLower(strings.TrimSuffix(name, "Webhook"))) {
			bad = append(bad, "output "+name+" is "+s.Outputs[name])
		}
	}
	if s.Outputs["Panel"] == "" {
		bad = append(bad, "no output Panel")
	}
	wanted := map[string]string{"TableName": "Table", "ApiId": "Api", "ScheduleGroupName": "ScheduleGroup", "WakeFunctionName": "WakeFunction"}
	for _, id := range s.ofType("AWS::SQS::Queue") {
		wanted[id+"Url"] = id
	}
	for name, id := range wanted {
		want(&bad, "output "+name, logical(s.Outputs[name]), id)
	}
	return bad
}
