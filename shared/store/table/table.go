// Package table is the contract between Postern's rows and the engine that
// keeps them (O6). Two engines fulfil it: store/dynamo on Amazon DynamoDB and
// store/sqlite on one file. tabletest holds the conformance suite that both
// must pass.
//
// The package knows keys, values, conditions and pages. It must not know any
// row of Postern's: those are written once, in package store.
package table

import (
	"context"
	"time"
)

// Table is one table. Every method is safe for concurrent use.
//
// A lost condition is a value (Result.Lost), never an error. An error means
// that the outcome is unknown or the request was refused as malformed
// (ErrInvalid); throttling and transaction conflicts are retried inside with
// jitter until ctx ends and are never reported as a lost race.
type Table interface {
	// Get reads one row strongly: every commit that returned before is seen.
	// A row that does not exist gives a nil Item and no error.
	Get(ctx context.Context, key Key) (Item, error)

	// GetMany reads up to 100 rows strongly, in the order of keys; a row that
	// does not exist gives a nil Item at its place. The rows are not one
	// snapshot.
	GetMany(ctx context.Context, keys []Key) ([]Item, error)

	// Query reads one page. Over the table itself it is strong; over an index
	// it may lag behind commits by a moment.
	Query(ctx context.Context, q Query) (Page, error)

	// Commit applies all actions or none of them (O2, O6).
	Commit(ctx context.Context, tx Tx) (Result, error)
}

// Feed is the change feed: DynamoDB Streams on one engine, the same records
// written in the same transaction on the other.
type Feed interface {
	// Changes returns records after cursor, oldest first, at most limit.
	// The empty cursor means the beginning of what is kept.
	Changes(ctx context.Context, cursor string, limit int) ([]Change, string, error)
}

// Change is one row's change. Old or New is nil where there was or is none.
// Records of one commit are neither atomic nor ordered together; records of
// one partition key come in order.
type Change struct {
	ID  string // unique, stable over redelivery
	Key Key
	Old Item
	New Item
	At  time.Time
}

// Key names one row.
type Key struct{ PK, SK string }

// Limits of one commit and one row, the same on both engines and equal to
// DynamoDB's.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
const (
	MaxActions     = 100
	MaxCommitBytes = 4 << 20
	MaxItemBytes   = 400 << 10
	MaxKeyBytes    = 1024 // of a sort key; 2048 of a partition key
)

// Index names one of the two sparse, keys-only indexes. A row is in an index
// while it has both of the index's attributes.
type Index string

const (
	// Primary is the table itself.
	Primary Index = ""
	// Open holds every row that still waits for something: pending items,
	// pending wakes, unread mail. Attributes open_pk, open_sk.
	Open Index = "open"
	// List holds rows in the order people read them. Attributes list_pk,
	// list_sk.
	List Index = "list"
)

// Query asks for one page of one partition.
type Query struct {
	Index  Index
	PK     string
	Prefix string // the sort key begins with it; empty for all
	From   string // first sort key, inclusive; empty for no bound
	To     string // last sort key, inclusive; empty for no bound
	// Prefix goes with neither From nor To: both is ErrInvalid.
	Newest bool   // descending order
	Limit  int    // 1 to 1000; 0 means 100
	Cursor string // Page.Next of the page before
}

// Page is one page of rows. Rows of an index hold the row's key and the
// index's two attributes only. A page is full to the limit unless it is the
// last; a full page may be followed by an empty one.
type Page struct {
	Items []Item
	Next  string // empty on the last page
}

// Tx is one commit. Two actions on one key, more than MaxActions, or more
// than MaxCommitBytes are refused with ErrInvalid before anything is sent.
type Tx struct {
	// Token names this attempt to change the world. The same Token sent again
	// after a lost reply is recognised as the same commit and is a success,
	// not a lost race (O6). Each Put and Update stamps it on its row (attribute
	// "tx"). Required, 1 to 36 characters of [A-Za-z0-9_-], and never used for
	// anything else: DynamoDB knows tokens by account, not by table. A token
	// used again for another commit is ErrInvalid where the engine can tell. A
	// commit that lost leaves no trace: its token may be used again.
	//
	// How long a repeated commit is recognised: 10 minutes, and after that as
	// long as one of its rows still carries the token. Only the second holds
	// for a single Put, or a single Update without Add, on DynamoDB, where it
	// is a plain write.
	Token   string
	Actions []Action
}

// Action is one of Put, Update, Delete, Check.
type Action struct {
	Verb Verb
	Key  Key
	Item Item // Put: the whole row, with or without its key attributes

	// Update: attributes set, added to (a missing number counts as 0), removed.
	// Updating a row that does not exist makes it, unless If says otherwise.
	Set    Item
	Add    map[string]int64
	Remove []string

	If []Cond // all must hold on the row as it is
}

// Verb is what an Action does.
type Verb int

const (
	Put Verb = iota + 1
	Update
	Delete
	Check
)

// Result tells whether the commit won. Lost is empty exactly when it did.
type Result struct {
	Lost []Loss
}

// Won reports whether every condition held and everything is written.
func (r Result) Won() bool { return len(r.Lost) == 0 }

// Loss is one action whose condition did not hold, with the row that beat it
// (nil if there is none), without a second read.
type Loss struct {
	Action int // index into Tx.Actions
	Item   Item
}
