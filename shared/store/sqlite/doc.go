// Package sqlite keeps a table (O6) in one SQLite file, for one machine, or in
// memory. It is pure Go and needs nothing installed.
//
// A file is in WAL mode with synchronous=FULL: a commit that was acknowledged
// survives a killed process and a power cut, as far as the disk keeps its
// word. Commits are serialised inside the process; those that wait at the same
// time share one SQL transaction and so one flush to disk. Each stays all or
// nothing by itself. Reads of a file run beside the writer; in memory they
// share its connection.
//
// The package knows bytes and rows. It must not know any row of Postern's, and
// it starts no goroutine of its own.
package sqlite
