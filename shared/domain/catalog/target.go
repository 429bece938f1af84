package catalog

import "strings"

// Target says which argument names what a tool acts on, and in which normal
// form two of them are compared (P20, P23).
type Target struct {
	Arg  string // the argument's name; empty if the tool has no declared target
	Kind Kind
	// Covers names the other arguments that a standing approval for the target
	// covers: content, never a further recipient, an attachment or anything
	// not listed here (P23).
	Covers []string
}

// Declared reports whether the tool names its target at all.
func (t Target) Declared() bool { return t.Arg != "" }

// Of returns the target of a call in normal form, or "" if it has none that is
// certain.
func (t Target) Of(args Args) string {
	if !t.Declared() {
		return ""
	}
	s, ok := args.text(t.Arg)
	if !ok {
		return ""
	}
	return t.Kind.Normal(s)
}

// Alone reports whether the call reaches its target only: nothing is given
// beside the target, the account, and what Covers lists (P23).
func (t Target) Alone(args Args) bool {
	return t.Declared() && args.only([]string{t.Arg, AccountArg}, t.Covers)
}

// AccountArg is the argument by which a connector's tool names the account it
// acts with (C3).
const AccountArg = "account"

// Account returns the account that a call names, or "".
func Account(args Args) string {
	s, _ := args.text(AccountArg)
	return strings.TrimSpace(s)
}
