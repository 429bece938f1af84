package template

import (
	"fmt"
	"strings"
)

// emulatorTiming marks the parameter set whose visibilities are short on
// purpose: checkVisibility is not run on it.
const emulatorTiming = "emulator"

// readFromQueue calls visit for each mapping on a queue of the stack.
func (s *Stack) readFromQueue(visit func(f Function, m Mapping, queue Resource)) {
	for _, f := range s.functions() {
		for _, m := range f.Mappings {
			if q, ok := s.Resources[m.Source]; ok && q.Type == "AWS::SQS::Queue" {
				visit(f, m, q)
			}
		}
	}
}

// checkBatches: partial failures are reported everywhere; one message at a
// time from FIFO queues and of turns (D4).
func checkBatches(s *Stack) []finding {
	var bad []finding
	for _, f := range s.functions() {
		for _, m := range f.Mappings {
			want(&bad, m.Where+" FunctionResponseTypes", texts(m.Props["FunctionResponseTypes"]), []string{"ReportBatchItemFailures"})
		}
	}
	s.readFromQueue(func(f Function, m Mapping, q Resource) {
		size := number(m.Props["BatchSize"])
		if q.Properties["FifoQueue"] == true || f.ID == "TurnFunction" {
			want(&bad, m.Where+" BatchSize", size, 1)
		} else if size < 1 || size > 10 {
			bad = append(bad, fmt.Sprintf("%s BatchSize is %d, want 1 to 10", m.Where, size))
		}
	})
	return bad
}

// checkConcurrency: gate, turn and deliver leave room for the webhooks (D4).
func checkConcurrency(s *Stack) []finding {
	var bad []finding
	total := 0
	s.readFromQueue(func(f Function, m Mapping, _ Resource) {
		n := number(under(m.Props, "ScalingConfig")["MaximumConcurrency"])
		switch f.ID {
		case "GateFunction", "TurnFunction", "DeliverFunction":
			if n < 2 {
				bad = append(bad, m.Where+" has no MaximumConcurrency of 2 or more")
			}
			total += n
		}
	})
	if total > 500 {
		bad = append(bad, fmt.Sprintf("MaximumConcurrency adds up to %d: more than half an account's 1000", total))
	}
	return bad
}

// checkVisibility: at least six times the function's time-out; for turns, whose
// lease makes a second delivery harmless, just over it (D4).
func checkVisibility(s *Stack) []finding {
	var bad []finding
	s.readFromQueue(func(f Function, m Mapping, q Resource) {
		v := number(q.Properties["VisibilityTimeout"])
		if f.ID == "TurnFunction" {
			if v <= f.Timeout || v > f.Timeout+60 {
				bad = append(bad, fmt.Sprintf("%s VisibilityTimeout is %d, want just over %d (D4)", m.Source, v, f.Timeout))
			}
		} else if v < 6*f.Timeout {
			bad = append(bad, fmt.Sprintf("%s VisibilityTimeout is %d, want at least 6 x %d (D4)", m.Source, v, f.Timeout))
		}
	})
	return bad
}

// deadQueue reports whether an id names a dead-letter queue.
func deadQueue(id string) bool { return strings.HasSuffix(id, "DeadQueue") }

// checkDeadLetters: each queue has one of its own kind, found by name: NAME and
// NAME-dead, so that a redrive needs no further address (D4).
func checkDeadLetters(s *Stack) []finding {
	var bad []finding
	for _, id := range s.ofType("AWS::SQS::Queue") {
		p := s.Resources[id].Properties
		if deadQueue(id) {
			want(&bad, id+" MessageRetentionPeriod", p["MessageRetentionPeriod"], 14*24*3600)
			continue
		}
		dead := logical(text(under(p, "RedrivePolicy")["deadLetterTargetArn"]))
		want(&bad, id+" dead-letter queue", dead, strings.TrimSuffix(id, "Queue")+"DeadQueue")
		if n := number(under(p, "RedrivePolicy")["maxReceiveCount"]); n < 4 || n > 10 {
			bad = append(bad, fmt.Sprintf("%s maxReceiveCount is %d: the third time is judged by the function (D4), want 4 to 10", id, n))
		}
		d := s.Resources[dead].Properties
		want(&bad, dead+" FifoQueue", d["FifoQueue"], p["FifoQueue"])
		name, fifo := strings.CutSuffix(text(p["QueueName"]), ".fifo")
		name += "-dead"
		if fifo {
			name += ".fifo"
		}
		want(&bad, dead+" QueueName", d["QueueName"], name)
	}
	return bad
}

// checkFIFO: order where there is a thread or a place, none elsewhere; a ring
// repeated on purpose must ring (D5).
func checkFIFO(s *Stack) []finding {
	var bad []finding
	for _, id := range []string{"TriggersQueue", "OutboundQueue"} {
		p := s.Resources[id].Properties
		want(&bad, id+" FifoQueue", p["FifoQueue"], true)
		want(&bad, id+" ContentBasedDeduplication", p["ContentBasedDeduplication"], false)
		want(&bad, id+" DeduplicationScope", p["DeduplicationScope"], "messageGroup")
		want(&bad, id+" FifoThroughputLimit", p["FifoThroughputLimit"], "perMessageGroupId")
	}
	for _, id := range []string{"TurnsQueue", "WakesQueue", "DispatchDeadQueue"} {
		want(&bad, id+" FifoQueue", s.Resources[id].Properties["FifoQueue"], nil)
	}
	return bad
}
