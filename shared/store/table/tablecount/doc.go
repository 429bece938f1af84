// Package tablecount counts what a table is asked for and what Amazon DynamoDB
// would bill for it, in write and read units, by row kind and by phase (D9).
//
// A Counter stands between the rows and any engine and bills by DynamoDB's
// rules, whatever the engine is:
//
//   - A write costs 1 unit per begun KB of the row, of the larger of the row
//     before and the row after; at least 1. In a transaction it costs twice
//     that, and a condition check costs as much as a write of the row it reads.
//   - Conditions cost nothing by themselves. A condition that fails costs what
//     the write would have cost.
//   - A row that comes into an index or leaves it costs 1 unit per begun KB of
//     the index's entry, one that moves within it costs both, one whose index
//     attributes stay costs nothing. A transaction does not double that.
//   - A strong read costs 1 unit per begun 4 KB of each row, at least 1 even
//     for a row that does not exist. A query costs by the sum of what it read,
//     half of that on an index.
//   - A transaction repeated with its token is read, not written, again.
//
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
// https://martinhicks.dev/articles/what-a-conditional-dynamodb-transaction-costs
//
// Retries that an engine makes inside itself are not seen. It is an instrument:
// to know the rows before each commit it lets one commit through at a time, so
// it must not stand in a deployed function.
package tablecount
