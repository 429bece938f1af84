// Package peers puts the permission decision beside cedar-go and OPA on the
// same policy (Q6). It is a module of its own, so that the house needs neither.
//
// The policy is the order of P13 with a hundred overrides. Neither language
// can say all of it: Cedar knows permit and forbid, no "ask", and no "the most
// specific pattern wins"; both get the path cleaned and the tool's class looked
// up, which ours does itself. So the peers do less, and are compared all the
// same.
package peers
