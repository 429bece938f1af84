package lambda

import "runtime/debug"

// stack is where a panic came from, short enough for a log line.
func stack() string {
	out := debug.Stack()
	return string(out[:min(len(out), 4<<10)])
}
