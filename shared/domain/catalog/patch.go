package catalog

import (
	"slices"
	"strings"
)

// patched returns the paths that a patch's headers name, in the two forms that
// agents use: a unified diff, and the "*** Update File:" envelope. A unified
// diff's a/ and b/ may be part of the path or not, so both readings count. A
// line of content that looks like a header adds a path, which only makes the
// check stricter.
func patched(text string) []string {
	var paths []string
	add := func(path string) {
		if path != "/dev/null" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for line := range strings.FieldsFuncSeq(text, lineEnd) {
		for _, head := range envelope {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok {
				add(strings.TrimSpace(rest))
			}
		}
		for _, path := range headed(line) {
			add(path)
			if first, below, ok := strings.Cut(path, "/"); ok && first != "" && below != "" {
				add(below)
			}
		}
	}
	return paths
}

// lineEnd takes for the end of a line whatever some tool may.
func lineEnd(r rune) bool {
	return strings.ContainsRune("\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r)
}

// headed returns the paths of one header line of a unified diff.
func headed(line string) []string {
	if rest, ok := strings.CutPrefix(line, "diff --git "); ok {
		return strings.Fields(rest) // of a path with spaces, each piece
	}
	for _, head := range unified {
		if rest, ok := strings.CutPrefix(line, head); ok {
			path, _, _ := strings.Cut(rest, "\t") // a time stamp may follow
			return []string{strings.Trim(strings.TrimSpace(path), `"`)}
		}
	}
	return nil
}

var envelope = []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"}

var unified = []string{"--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to ", "Index: "}
