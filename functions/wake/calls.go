package main

import "github.com/postern-dev/postern/shared/edge/calls"

// Calls is every AWS call this function can make, beside what Lambda itself
// does under its role (D2). tests/template holds the role to it, both ways;
// calls.Guard holds the function to it.
var Calls = calls.Join(
	calls.Table(),
	calls.Shorten("WakesQueue"),
	calls.Drain("TriggersDeadQueue"),
	calls.Send("TriggersQueue"),
	calls.Secret("GithubSecretArn"),
)
