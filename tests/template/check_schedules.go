package template

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

var rate = regexp.MustCompile(`^rate\(([1-9][0-9]*) (minute|minutes|hour|hours|day|days)\)$`)

// validSchedule reports whether EventBridge Scheduler takes an expression: no
// linter looks. One-time ones have no zone; a cron has six fields of which
// exactly one of the two day fields is "?".
func validSchedule(e string) bool {
	if m := rate.FindStringSubmatch(e); m != nil {
		return (m[1] == "1") == !strings.HasSuffix(m[2], "s")
	}
	if at, ok := inside(e, "at("); ok {
		_, err := time.Parse("2006-01-02T15:04:05", at)
		return err == nil
	}
	if cron, ok := inside(e, "cron("); ok {
		f := strings.Split(cron, " ")
		return len(f) == 6 && (f[2] == "?") != (f[4] == "?")
	}
	return false
}

func inside(e, open string) (string, bool) {
	s, ok := strings.CutPrefix(e, open)
	s, end := strings.CutSuffix(s, ")")
	return s, ok && end
}

// scheduledEvent is what wake knows its clock by; Scheduler fills the time in.
const scheduledEvent = `{"detail-type":"Scheduled Event","time":"<aws.scheduler.scheduled-time>"}`

// checkSchedules: the reconciler's clock rings wake every few minutes, exactly
// on time, and not for ever after a failure (W8).
func checkSchedules(s *Stack) []finding {
	var bad []finding
	ids := s.ofType("AWS::Scheduler::Schedule")
	want(&bad, "schedules", ids, []string{"ReconcileSchedule"})
	for _, id := range ids {
		p := s.Resources[id].Properties
		if e := text(p["ScheduleExpression"]); !validSchedule(e) {
			bad = append(bad, fmt.Sprintf("%s ScheduleExpression %q is not one", id, e))
		} else if e != "rate(5 minutes)" && e != "rate(1 minute)" {
			bad = append(bad, fmt.Sprintf("%s ScheduleExpression is %s, want every 5 minutes (W8)", id, e))
		}
		target := under(p, "Target")
		want(&bad, id+" Mode", under(p, "FlexibleTimeWindow")["Mode"], "OFF")
		want(&bad, id+" target", logical(text(target["Arn"])), "WakeFunction")
		want(&bad, id+" input", target["Input"], scheduledEvent)
		want(&bad, id+" role", logical(text(target["RoleArn"])), "ReconcileRole")
		if n := number(under(target, "RetryPolicy")["MaximumEventAgeInSeconds"]); n < 60 || n > 300 {
			bad = append(bad, fmt.Sprintf("%s MaximumEventAgeInSeconds is %d, want 60 to 300: the next one comes anyway", id, n))
		}
	}
	want(&bad, "schedule groups", s.ofType("AWS::Scheduler::ScheduleGroup"), []string{"ScheduleGroup"})
	return bad
}

// checkScheduleRole: only this account's schedules of this stack's group may
// take the role, and it rings the wakes queue or its dead letters only (D6).
func checkScheduleRole(s *Stack) []finding {
	var bad []finding
	for _, st := range statements(under(s.Resources["ScheduleRole"].Properties, "AssumeRolePolicyDocument")) {
		want(&bad, "ScheduleRole principal", text(under(st, "Principal")["Service"]), "scheduler.amazonaws.com")
		want(&bad, "ScheduleRole source account", text(under(st, "Condition", "StringEquals")["aws:SourceAccount"]), "${AWS::AccountId}")
		want(&bad, "ScheduleRole source group", logical(text(under(st, "Condition", "ArnEquals")["aws:SourceArn"])), "ScheduleGroup")
	}
	want(&bad, "ScheduleRole may", s.grants("ScheduleRole"), []grant{{"sqs:SendMessage", "WakesDeadQueue"}, {"sqs:SendMessage", "WakesQueue"}})
	want(&bad, "ReconcileRole may", s.grants("ReconcileRole"), []grant{{"lambda:InvokeFunction", "WakeFunction"}})
	for _, st := range statements(under(s.Resources["ReconcileRole"].Properties, "AssumeRolePolicyDocument")) {
		want(&bad, "ReconcileRole principal", text(under(st, "Principal")["Service"]), "scheduler.amazonaws.com")
		want(&bad, "ReconcileRole source account", text(under(st, "Condition", "StringEquals")["aws:SourceAccount"]), "${AWS::AccountId}")
	}
	return bad
}
