// Package simulation runs the real handlers in a made world and checks, once
// all is quiet, that nothing was lost and nothing happened twice (Q2).
//
// One seed decides everything: which process takes its next step (they are
// interleaved at each call of the table), which doorbell is doubled, dropped,
// delayed or overtaken, which commit loses its reply, which process dies and
// where. A failing seed replays exactly:
//
//	make simulate SEED=123 N=20000
package simulation
