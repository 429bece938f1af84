package template

import "fmt"

// finding is one thing that is wrong, in words that name it.
type finding = string

// check looks for one kind of mistake. Its name stands in test output.
type check struct {
	name string
	run  func(*Stack) []finding
}

// checks is every assertion on a stack but roles against calls, which needs
// the functions' declarations beside the template (roles.go).
var checks = []check{
	{"functions", checkFunctions},
	{"wires", checkWires},
	{"routes", checkRoutes},
	{"batches", checkBatches},
	{"concurrency", checkConcurrency},
	{"visibility", checkVisibility},
	{"dead letters", checkDeadLetters},
	{"fifo", checkFIFO},
	{"stream", checkStream},
	{"table", checkTable},
	{"schedules", checkSchedules},
	{"schedule role", checkScheduleRole},
	{"logs", checkLogs},
	{"alarms", checkAlarms},
	{"trust", checkTrust},
	{"outputs", checkOutputs},
}

// want adds a finding unless got is what was wanted.
func want(list *[]finding, where string, got, wanted any) {
	if fmt.Sprint(got) != fmt.Sprint(wanted) {
		*list = append(*list, fmt.Sprintf("%s is %v, want %v", where, got, wanted))
	}
}
