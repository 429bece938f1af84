// Package store writes and reads Postern's rows: one file per word, each with
// its keys, its access patterns and the actions that a commit is made of.
//
// It knows the table's contract and the domain's words. It decides nothing:
// what a commit may do is decided in flow, from pure decisions in domain, and
// the conditions here are the ones without which a row would lie.
//
// A commit is a list of actions (store.Do). A lost condition comes back as a
// value with the row that beat it.
package store
