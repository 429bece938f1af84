// Package handbook holds what is written for operators to what is there: each
// alarm to its entry in the failure table, each pointer in a message to a
// heading that exists, each attack in the threat model to a test that is run
// (D12, Q7). It reads files and runs nothing.
package handbook
