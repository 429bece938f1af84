package github

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// part is what one byte of a Markdown text is to its reader.
type part byte

const (
	mark   part = iota // markup: fences, markers of lists, definitions of links
	prose              // the writer's own words
	quoted             // words that are somebody else's: in a quote, or in an HTML element that says so
	code               // code, in any form
	tag                // raw HTML: tags and comments
	link               // a link: its text, its address, its title
)

// blocks reads the block structure only. What is inside a block is read by
// inlines, in linear time: the library's own reading of nested emphasis and
// links takes seconds for a text of 64 KB that is made for it.
var blocks = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithParagraphTransformers(util.Prioritized(parser.LinkReferenceParagraphTransformer, 100)),
)

// maxNesting is how many marks of quotes and lists may begin one line. Reading
// more takes time that grows by the square; what follows is not read.
const maxNesting = 32

// partsOf says of each byte of a Markdown text what it is, in the reading of
// CommonMark with GitHub's bare links.
func partsOf(body string) []part {
	src := []byte(body)
	parts := make([]part, len(src))
	doc := blocks.Parse(text.NewReader(src[:nestedFrom(src)]))
	hidden := 0 // open HTML elements whose text is not the writer's
	quotes := 0
	walk := func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if _, ok := n.(*ast.Blockquote); ok {
			if entering {
				quotes++
			} else {
				quotes--
			}
			return ast.WalkContinue, nil
		}
		if !entering || n.Type() != ast.TypeBlock || n.Lines() == nil || n.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			fill(parts, n.Lines(), code)
		case *ast.LinkReferenceDefinition:
			fill(parts, n.Lines(), link)
		case *ast.HTMLBlock:
			fill(parts, n.Lines(), tag)
			hidden = elements(hidden, n.Lines().Value(src))
			if n.HasClosure() {
				hidden = elements(hidden, n.ClosureLine.Value(src))
			}
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
			own := prose
			if quotes > 0 {
				own = quoted
			}
			hidden = inline(src, parts, n.Lines(), own, hidden)
		}
		return ast.WalkContinue, nil
	}
	_ = ast.Walk(doc, walk) // walk never fails, so neither does Walk
	return parts
}

func fill(parts []part, lines *text.Segments, as part) {
	for i := 0; i < lines.Len(); i++ {
		s := lines.At(i)
		for j := s.Start; j < s.Stop; j++ {
			parts[j] = as
		}
	}
}

// inline reads the lines of one block, which lie apart in the source where a
// list or a quote has its marks between them.
func inline(src []byte, parts []part, lines *text.Segments, own part, hidden int) int {
	in := lines.Value(src)
	got, hidden := inlines(in, own, hidden)
	k := 0
	for i := 0; i < lines.Len(); i++ {
		s := lines.At(i)
		k += s.Padding // spaces that stand for a part of a tab
		k += copy(parts[s.Start:s.Stop], got[min(k, len(got)):])
	}
	return hidden
}

// nestedFrom is where the first line begins that is nested too deep.
func nestedFrom(src []byte) int {
	for at := 0; at < len(src); {
		line := src[at:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		if nesting(line) > maxNesting {
			return at
		}
		at += len(line)
	}
	return len(src)
}

// nesting counts the marks at the beginning of a line: ">", and "-", "+", "*",
// "1." or "1)" with a space behind it.
func nesting(line []byte) (n int) {
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c == ' ' || c == '\t' {
			continue
		}
		digits := i
		for i < len(line)-1 && line[i] >= '0' && line[i] <= '9' {
			i++
		}
		switch c = line[i]; {
		case c == '>':
		case i+1 < len(line) && line[i+1] != ' ' && line[i+1] != '\t':
			return n
		case digits == i && (c == '-' || c == '+' || c == '*'):
		case digits < i && (c == '.' || c == ')'):
		default:
			return n
		}
		n++
	}
	return n
}

// elements counts how many HTML elements stay open, behind a piece of raw HTML,
// whose text is a quote, code or a link. One that is never closed hides the
// rest of the text.
func elements(open int, raw []byte) int {
	z := html.NewTokenizer(bytes.NewReader(raw))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return open
		case html.StartTagToken:
			if name, _ := z.TagName(); hides[string(name)] {
				open++
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); hides[string(name)] && open > 0 {
				open--
			}
		}
	}
}

var hides = map[string]bool{
	"a": true, "blockquote": true, "code": true, "pre": true, "samp": true,
	"script": true, "style": true, "textarea": true, "tt": true,
}
