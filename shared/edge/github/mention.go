package github

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// named reports whether a Markdown text mentions the agent, as GitHub itself
// would notify it: not in code of any form, in a quote, in a comment, in a
// link or in an address (B44). A text without "@slug" is never parsed.
func named(body, slug string) trigger.Named {
	var prose []bool
	for i := 0; ; i++ {
		at := strings.IndexByte(body[i:], '@')
		if at < 0 {
			return trigger.NotAt
		}
		i += at
		end := i + 1 + len(slug)
		if end > len(body) || !strings.EqualFold(body[i+1:end], slug) {
			continue
		}
		if prose == nil {
			prose = proseOf(body)
		}
		if all(prose[i:end]) && opens(body, prose, i) && closes(body, prose, end) {
			return trigger.Mention
		}
	}
}

// opens judges what stands before the "@". A mark of emphasis is no prose and
// parts words; the end of code is none either, and does not.
func opens(s string, prose []bool, i int) bool {
	if i == 0 {
		return true
	}
	c := s[i-1]
	if c == '`' {
		return false
	}
	return !prose[i-1] || !isAlnum(c) && c != '_' && c != '/' && c != '@'
}

// closes judges what stands after the name: "@bot" is not in "@bot-two",
// "@bot.dev" or "@bot/team".
func closes(s string, prose []bool, i int) bool {
	if i == len(s) || !prose[i] {
		return true
	}
	switch c := s[i]; {
	case isAlnum(c) || c == '-' || c == '_':
		return false
	case c == '.' || c == '/':
		return i+1 == len(s) || !isAlnum(s[i+1]) && s[i+1] != '_'
	}
	return true
}

func all(bits []bool) bool {
	for _, b := range bits {
		if !b {
			return false
		}
	}
	return true
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Linkify, extension.Strikethrough)).Parser()

// proseOf says of each byte of a Markdown text whether it is plain text that a
// reader sees as the writer's own words.
func proseOf(body string) []bool {
	src := []byte(body)
	prose := make([]bool, len(src))
	hidden := 0 // open HTML elements whose text does not count
	walk := func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Blockquote, *ast.CodeBlock, *ast.FencedCodeBlock, *ast.CodeSpan, *ast.Link, *ast.Image, *ast.AutoLink:
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			hidden = elements(hidden, n.Lines(), src)
		case *ast.RawHTML:
			hidden = elements(hidden, n.Segments, src)
		case *ast.Text:
			if hidden == 0 {
				for i := n.Segment.Start; i < n.Segment.Stop; i++ {
					prose[i] = true
				}
			}
		}
		return ast.WalkContinue, nil
	}
	// walk never fails, so neither does Walk.
	_ = ast.Walk(markdown.Parse(text.NewReader(src), parser.WithContext(parser.NewContext())), walk)
	return prose
}

// elements counts how many elements stay open, after a piece of raw HTML, in
// which text is a quote, code or a link. One that is never closed hides the
// rest of the text.
func elements(open int, lines *text.Segments, src []byte) int {
	var b strings.Builder
	for i := 0; i < lines.Len(); i++ {
		s := lines.At(i)
		b.Write(s.Value(src))
	}
	z := html.NewTokenizer(strings.NewReader(b.String()))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return open
		case html.StartTagToken:
			if name, _ := z.TagName(); quiet[string(name)] {
				open++
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); quiet[string(name)] && open > 0 {
				open--
			}
		}
	}
}

var quiet = map[string]bool{
	"a": true, "blockquote": true, "code": true, "pre": true, "samp": true,
	"script": true, "style": true, "textarea": true, "tt": true,
}
