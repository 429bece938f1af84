// Command load sends signed webhooks at stepped rates to an embedded
// deployment that it starts itself, or to an emulated one, and draws what
// became of them: how long the answer took, and how long until the message was
// judged (D11).
//
// It is bounded and stays on loopback. Rates are kept open: a webhook is sent
// when its time has come, however late the others are, and its wait counts
// from that time. Every step ends with a count: what was answered with 200 has
// to be judged, all of it, however long that takes.
//
//	make load                                both, as docs/load-*.svg were made
//	go run ./tests/load -rates 10,20 -seconds 2
package main
