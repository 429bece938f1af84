package api

import (
	"testing"
)

// TestP14_RootsOfAnAgentElsewhere: what may be a root, and what never is.
func TestP14_RootsOfAnAgentElsewhere(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/home/ada/shop":     "/home/ada/shop",
		"/home/ada/shop/":    "/home/ada/shop",
		"/home/ada/x/../y":   "/home/ada/y",
		`C:\Users\ada\shop`:  "C:/Users/ada/shop",
		"/":                  "",
		"/..":                "",
		"":                   "",
		"shop":               "",
		"./shop":             "",
		"C:/":                "",
		"/home/\x00ada/shop": "",
	} {
		got, err := roots([]string{in})
		switch {
		case want == "" && err == nil:
			t.Errorf("%q was taken as root %q", in, got)
		case want != "" && (err != nil || got[0] != want):
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	if _, err := roots(make([]string, maxRoots+1)); err == nil {
		t.Error("more roots than allowed were taken")
	}
}
