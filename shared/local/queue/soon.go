package queue

import "math"

// soon knows for each queue, and for the schedules, a time in microseconds
// before which nothing of it is due, so that Run asks the file only where
// something may be. Nothing known is 0: it has to be looked at. By the holder
// of Engine.turn.
type soon map[string]int64

// schedules is the schedules' name beside those of the queues.
const schedules = "schedules"

const never = math.MaxInt64

// by says that something may be due from t on.
func (s soon) by(what string, t int64) { s[what] = min(s[what], t) }

// not says that nothing is due before t.
func (s soon) not(what string, t int64) { s[what] = t }

// forget makes everything be looked at again: a transaction was undone, or
// another process wrote.
func (s soon) forget() { clear(s) }
