package catalog

import (
	"slices"
	"strings"
)

// Paths says where a call's arguments hold the paths that it writes (P14).
type Paths struct {
	Args  []string // arguments that are a path or a list of paths
	Patch []string // arguments that are a patch, whose headers name paths
}

// Declared reports whether the tool has an extractor.
func (p Paths) Declared() bool { return len(p.Args)+len(p.Patch) > 0 }

// Of returns every path that the call names, as written. ok is false if there
// is no extractor, if it finds none, or if something in a path's place is not
// readable as one: then where the call writes cannot be told.
func (p Paths) Of(args Args) (paths []string, ok bool) {
	for _, name := range p.Args {
		if !args.Given(name) {
			continue
		}
		found, readable := args.texts(name)
		if !readable {
			return nil, false
		}
		paths = append(paths, found...)
	}
	for _, name := range p.Patch {
		if !args.Given(name) {
			continue
		}
		text, readable := args.text(name)
		found := patched(text)
		if !readable || len(found) == 0 {
			return nil, false
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 || slices.ContainsFunc(paths, blank) {
		return nil, false
	}
	return paths, true
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
