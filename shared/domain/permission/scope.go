package permission

import (
	"path"
	"strings"
)

// outsideRoots returns the first path that no writable folder holds (P14). The
// innermost folder that holds a path decides: a read-only one inside a writable
// one stays read-only.
func outsideRoots(paths []string, roots []Root) (string, bool) {
	for _, p := range paths {
		if !writable(p, roots) {
			return p, true
		}
	}
	return "", false
}

func writable(p string, roots []Root) bool {
	full, ok := absolute(p, roots)
	if !ok {
		return false
	}
	longest, may := -1, false
	for i := range roots {
		root, ok := absolute(roots[i].Path, nil)
		if !ok || !holds(root, full) {
			continue
		}
		switch {
		case len(root) > longest:
			longest, may = len(root), roots[i].Writable
		case len(root) == longest: // the same folder twice: the stricter counts
			may = may && roots[i].Writable
		}
	}
	return may
}

// absolute cleans a path; a relative one is meant from the primary root. Forms
// that a tool might read as another place (home folders, backslashes, drive
// letters without a slash, addresses, control characters) are no path at all.
func absolute(p string, roots []Root) (string, bool) {
	if p == "" || p[0] == '~' || strings.Contains(p, "://") {
		return "", false
	}
	for i := range len(p) {
		if p[i] == '\\' || p[i] < 0x20 || p[i] == 0x7f {
			return "", false
		}
	}
	if len(p) > 1 && p[1] == ':' && isLetter(p[0]) {
		if len(p) < 3 || p[2] != '/' {
			return "", false
		}
		return path.Clean(p), true
	}
	if p[0] == '/' {
		return path.Clean(p), true
	}
	if len(roots) == 0 {
		return "", false
	}
	primary, ok := absolute(roots[0].Path, nil)
	if !ok {
		return "", false
	}
	return path.Join(primary, p), true
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// holds compares by component: /a/b holds /a/b and /a/b/c, never /a/bc.
func holds(root, p string) bool {
	if !strings.HasPrefix(p, root) {
		return false
	}
	return len(p) == len(root) || strings.HasSuffix(root, "/") || p[len(root)] == '/'
}
