// Package doorbell names the queues of the street and the message that rings
// one. A ring carries no truth: the rows do, and whoever hears it reads them
// (W2, D5).
//
// It must not know SQS or any other transport; edges carry a Message.
package doorbell

import "time"

// The queues by their logical name (D1).
const (
	Triggers = "triggers" // deliveries to judge, FIFO by thread
	Outbound = "outbound" // cards and replies to deliver, FIFO by place
	Turns    = "turns"    // sessions to run; the lease excludes
	Wakes    = "wakes"    // schedules and delays; the wake row decides
)

// Message is one ring.
type Message struct {
	Queue string        // Triggers, Outbound, Turns or Wakes
	Group string        // FIFO only: what stays in order, at most 128 characters
	Dedup string        // FIFO only: equal ids within five minutes are one ring (D5)
	Body  string        // JSON, at most 1 MiB
	Delay time.Duration // standard queues only, whole seconds, at most MaxDelay
}

// MaxDelay is the longest Delay a queue takes; later is a schedule (W3).
const MaxDelay = 15 * time.Minute

// Fifo says whether a queue keeps order by Group. A FIFO queue takes no Delay.
func Fifo(queue string) bool { return queue == Triggers || queue == Outbound }

// Known says whether queue is one of the street's.
func Known(queue string) bool {
	switch queue {
	case Triggers, Outbound, Turns, Wakes:
		return true
	}
	return false
}
