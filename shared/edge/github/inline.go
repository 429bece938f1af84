package github

import (
	"bytes"
	"regexp"
	"strings"
)

// inlines says what each byte of one block's text is. own is what plain words
// are there. It takes time linear in the text.
func inlines(in []byte, own part, hidden int) ([]part, int) {
	s := &scan{in: in, parts: make([]part, len(in)), runs: runsOf(in), hidden: hidden}
	for i := 0; i < len(in); {
		end, as := s.next(i)
		if as == prose {
			as = own
			if s.hidden > 0 {
				as = quoted
			}
		}
		for ; i < end; i++ {
			s.parts[i] = as
		}
	}
	for _, l := range s.links {
		for i := l[0]; i < l[1]; i++ {
			s.parts[i] = link
		}
	}
	return s.parts, s.hidden
}

type scan struct {
	in     []byte
	parts  []part
	runs   map[int]int // start of a run of backticks -> end of the code it opens
	open   []int       // places of "[" that may open a link
	links  [][2]int    // none inside another
	hidden int
}

// next reads one piece at i: where it ends and what it is.
func (s *scan) next(i int) (int, part) {
	switch c := s.in[i]; c {
	case '\\':
		return min(i+2, len(s.in)), prose
	case '`':
		if end, ok := s.runs[i]; ok {
			return end, code
		}
		return runEnd(s.in, i), prose
	case '<':
		if end := autolink.Find(s.in[i:]); end != nil {
			return i + len(end), link
		}
		if end := rawHTML(s.in, i); end > i {
			s.hidden = element(s.hidden, s.in[i:end])
			return end, tag
		}
	case '[':
		s.open = append(s.open, i)
	case ']':
		return s.closeLink(i), prose
	case 'h', 'H', 'w', 'W', 'f', 'F':
		if i > 0 && isAlnum(s.in[i-1]) {
			break
		}
		if bareLink.Match(s.in[i:min(i+8, len(s.in))]) {
			return i + upTo(s.in[i:], " \t\r\n<"), link
		}
	}
	return i + 1, prose
}

// closeLink reads "](address title)". Links do not nest, so a finished one
// takes all open brackets with it.
func (s *scan) closeLink(i int) int {
	n := len(s.open)
	if n == 0 {
		return i + 1
	}
	from := s.open[n-1]
	s.open = s.open[:n-1]
	end := destination(s.in, i+1)
	if end < 0 {
		return i + 1
	}
	s.open = s.open[:0]
	s.links = append(s.links, [2]int{from, end})
	return end
}

// destination reads "(address)" or "(address title)" at i, and is -1 if there
// is none.
func destination(in []byte, i int) int {
	if i >= len(in) || in[i] != '(' {
		return -1
	}
	i = blank(in, i+1)
	if i < len(in) && in[i] == '<' {
		n := upTo(in[i+1:], "<>\n")
		if i += 1 + n; i >= len(in) || in[i] != '>' {
			return -1
		}
		i++
	} else {
		depth := 0
		for ; i < len(in) && in[i] > ' '; i++ {
			if in[i] == '\\' {
				i++
			} else if in[i] == '(' {
				depth++
			} else if in[i] == ')' {
				depth--
			}
			if depth < 0 || depth > 32 {
				break
			}
		}
	}
	after := blank(in, i)
	if after < len(in) && after > i && bytes.IndexByte([]byte(`"'(`), in[after]) >= 0 {
		close := in[after : after+1]
		if close[0] == '(' {
			close = []byte("()")
		}
		after++
		for after < len(in) && bytes.IndexByte(close, in[after]) < 0 {
			if in[after] == '\\' {
				after++
			}
			after++
		}
		after = blank(in, after+1)
	}
	if after < len(in) && in[after] == ')' {
		return after + 1
	}
	return -1
}

var (
	autolink = regexp.MustCompile(`^<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^{|}~-]+@[A-Za-z0-9.-]+)>`)
	bareLink = regexp.MustCompile(`(?i)^(?:https?://|ftp://|www\.)`)
	htmlTag  = regexp.MustCompile(`^</?[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?)*\s*/?>`)
)

// rawHTML reads a tag, a comment or the like at i, and is i if there is none.
// A comment that is never closed hides the rest.
func rawHTML(in []byte, i int) int {
	rest := in[i:]
	for open, close := range map[string]string{"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"} {
		if bytes.HasPrefix(rest, []byte(open)) {
			if end := bytes.Index(rest[len(open):], []byte(close)); end >= 0 {
				return i + len(open) + end + len(close)
			}
			return len(in)
		}
	}
	return i + len(htmlTag.Find(rest))
}

// element is elements for what rawHTML read: one tag, or none.
func element(open int, raw []byte) int {
	name, step := raw[1:], 1
	if name[0] == '/' {
		name, step = name[1:], -1
	}
	n := 0
	for n < len(name) && (isAlnum(name[n]) || name[n] == '-') {
		n++
	}
	if hides[strings.ToLower(string(name[:n]))] {
		open = max(0, open+step)
	}
	return open
}

// runsOf matches runs of backticks of one length, as code: each opens with the
// next of its length.
func runsOf(in []byte) map[int]int {
	ends := map[int]int{}
	next := map[int]int{} // length of a run -> place of the next one
	for i := len(in) - 1; i >= 0; i-- {
		if in[i] != '`' {
			continue
		}
		from := i
		for from > 0 && in[from-1] == '`' {
			from--
		}
		n := i + 1 - from
		if at, ok := next[n]; ok {
			ends[from] = at + n
		}
		next[n] = from
		// Behind a backslash the first backtick is a letter, and the rest a run.
		if n > 1 && from > 0 && in[from-1] == '\\' {
			if at, ok := next[n-1]; ok {
				ends[from+1] = at + n - 1
			}
		}
		i = from
	}
	return ends
}

// runEnd is where the run of one character that begins at i ends.
func runEnd(in []byte, i int) int {
	c := in[i]
	for i < len(in) && in[i] == c {
		i++
	}
	return i
}

func blank(in []byte, i int) int {
	for i < len(in) && (in[i] == ' ' || in[i] == '\t' || in[i] == '\n' || in[i] == '\r') {
		i++
	}
	return i
}

// upTo is how many bytes stand before the first of the stops.
func upTo(in []byte, stops string) int {
	if n := bytes.IndexAny(in, stops); n >= 0 {
		return n
	}
	return len(in)
}
