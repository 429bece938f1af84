package permission_test

import (
	"testing"

	"github.com/postern-dev/postern/shared/domain/permission"
)

func call(tb testing.TB, server, tool, args string) permission.Call {
	tb.Helper()
	c, err := permission.NewCall(server, tool, []byte(args))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func overrides(tb testing.TB, rules ...permission.Override) *permission.Overrides {
	tb.Helper()
	o, err := permission.NewOverrides(rules)
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

func commands(tb testing.TB, entries ...string) *permission.Commands {
	tb.Helper()
	l, err := permission.NewCommands(entries)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func grammar(tb testing.TB, terms ...string) *permission.Grammar {
	tb.Helper()
	g, err := permission.NewGrammar(terms)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}
