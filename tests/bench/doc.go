// Package bench measures whole stretches of the street for quality.md's table
// of speed (Q6): the webhook entrances, raising and resolving beside a million
// stored items, approval round trips on the embedded engine, the Inbox page,
// agents asleep, a function's start. What is measured within one package lies
// there: the permission decision, admission, the receivers beside their SDKs.
//
// infra/tools/bench.sh runs them all and prints them beside their goals. Times
// are benchmarks and never asserted; counts are, by tests.
package bench
