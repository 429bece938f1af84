// Package panel is the web panel: the Inbox, an item with its answer, sessions
// with their transcripts (U5, U6). Server-rendered; htmx comes from the binary
// itself; no inline script, no open connection, no state change on GET.
//
// It reads rows and answers through flow/resolve like every other surface. It
// decides nothing of its own.
package panel
