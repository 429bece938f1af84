// Package local is all of Postern in one process on SQLite: the nine
// functions' handlers, queues, stream and schedules, for postern dev, the demo
// and the tests (U3, O7).
//
// It wires and pumps. What the handlers do, and what the queues promise, is
// the same as on AWS: at least once, again after a time-out, in order by group.
// A kill at any moment loses nothing that was accepted.
package local
