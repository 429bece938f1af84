// Package simulation runs the real handlers in a made world and checks that
// nothing is lost and nothing happens twice (Q2).
//
// One seed decides everything: which invocation takes its next step (they are
// interleaved at each call of the table and of the world outside), which
// doorbell is doubled, dropped, delayed or overtaken, which commit loses its
// reply, which invocation dies or freezes and where, what people and agents
// elsewhere do. A failing seed replays exactly:
//
//	make simulate SEED=123 N=4000
//
// A guard looks at each commit when it is made and says what no commit may do;
// the checks look at everything once all is quiet. One world in four is in fair
// weather: nothing goes wrong, and the reconciler must find nothing (W8).
// Whether all this would notice a missing condition is what the command mutants
// tries. TRACE=1 prints what happens, DUMP=SESSION a session's transcript.
package simulation
