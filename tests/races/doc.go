// Package races lets many real goroutines meet on one row of the real engine,
// through the real entrances, and counts winners (Q1). Run it with -race; the
// full size is RACES=1000, without it a few.
package races
