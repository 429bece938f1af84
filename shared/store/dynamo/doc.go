// Package dynamo keeps a table (O6) in Amazon DynamoDB: one table with two
// sparse, keys-only indexes and a change stream.
//
// What a commit costs, in DynamoDB's units: one Put, one Update without Add or
// one Delete without a condition is a plain write and costs its size once. One
// Check is a strong read. Everything else is a transaction, which costs twice
// and is recognised by its token for 10 minutes, whoever changed the rows in
// between. A plain write is recognised by the token on its row, as long as
// nobody else has changed that row; that is why an Add and a conditional
// Delete, which could not be, are transactions even alone.
//
// The package knows DynamoDB's wire and nothing of Postern's rows.
package dynamo
