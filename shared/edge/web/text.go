package web

import (
	"bytes"
	"io"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// Page is what is left of a page.
type Page struct {
	Title, Text string
}

// write is the page as an agent gets it, at most MaxText bytes of it.
func (p Page) write(from *url.URL, whole bool) string {
	var b strings.Builder
	b.WriteString("Address: " + from.Redacted() + "\n")
	if p.Title != "" {
		b.WriteString("Title: " + p.Title[:runes(p.Title, 500)] + "\n")
	}
	text := strings.TrimSpace(p.Text)
	b.WriteString("\n")
	if n := MaxText - b.Len() - 60; len(text) > n {
		n = runes(text, n)
		left := len(text) - n
		text = text[:n] + "\n[cut: " + strconv.Itoa(left) + " more bytes of text]"
	} else if !whole {
		text += "\n[cut: the page is longer than what is read]"
	}
	b.WriteString(text)
	return b.String()
}

// runes is the most bytes up to n that end between two characters.
func runes(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// decode turns a page's bytes into UTF-8, by its header, its own words, or a
// look at its beginning.
func decode(raw []byte, contentType string) string {
	r, err := charset.NewReader(bytes.NewReader(raw), contentType)
	if err != nil {
		return strings.ToValidUTF8(string(raw), "\uFFFD")
	}
	out, err := io.ReadAll(r)
	if err != nil {
		return strings.ToValidUTF8(string(raw), "\uFFFD")
	}
	return strings.ToValidUTF8(string(out), "\uFFFD")
}

// Text takes the readable text out of HTML: blocks on lines of their own,
// links with their address behind them, no scripts, styles or comments. base
// is what relative links are meant from.
func Text(page string, base *url.URL) Page {
	w := &writer{base: base}
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			w.closeLink()
			return Page{Title: strings.Join(strings.Fields(w.title.String()), " "), Text: strings.TrimSpace(w.out.String())}
		case html.TextToken:
			w.text(string(z.Text()))
		case html.StartTagToken:
			w.start(z.Token())
		case html.SelfClosingTagToken:
			t := z.Token()
			if !silent[t.Data] {
				w.start(t)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			w.end(string(name))
		}
	}
}

type writer struct {
	base    *url.URL
	out     strings.Builder
	title   strings.Builder
	silent  string // the open element whose text is not shown
	depth   int    // how many of it are open
	inTitle bool
	pre     int
	href    string
	from    int  // where the link's text begins
	lines   int  // line breaks owed
	space   bool // a space owed
}

// silent elements hold no text for readers.
var silent = map[string]bool{
	"script": true, "style": true, "noscript": true, "template": true, "svg": true, "iframe": true,
	"object": true, "canvas": true, "select": true, "datalist": true, "math": true, "audio": true, "video": true,
}

// breaks is how many line breaks stand around an element.
var breaks = map[string]int{
	"p": 2, "h1": 2, "h2": 2, "h3": 2, "h4": 2, "h5": 2, "h6": 2, "pre": 2, "blockquote": 2, "ul": 2, "ol": 2, "table": 2, "hr": 2,
	"section": 2, "article": 2, "main": 2, "header": 2, "footer": 2, "nav": 2, "aside": 2, "figure": 2, "form": 2, "dl": 2, "details": 2,
	"div": 1, "li": 1, "tr": 1, "br": 1, "dt": 1, "dd": 1, "address": 1, "figcaption": 1, "summary": 1, "caption": 1, "option": 1,
}

func (w *writer) start(t html.Token) {
	if w.silent != "" {
		if t.Data == w.silent {
			w.depth++
		}
		return
	}
	if silent[t.Data] {
		w.silent, w.depth = t.Data, 1
		return
	}
	w.lines = max(w.lines, breaks[t.Data])
	switch t.Data {
	case "title":
		w.inTitle = w.title.Len() == 0
	case "pre":
		w.pre++
	case "li":
		w.text("- ")
	case "td", "th":
		w.space = true
	case "a":
		w.closeLink()
		w.href, w.from = w.link(t), w.out.Len()
	case "img":
		for _, a := range t.Attr {
			if a.Key == "alt" && strings.TrimSpace(a.Val) != "" {
				w.text(" [image: " + a.Val + "] ")
			}
		}
	}
}

func (w *writer) end(name string) {
	if w.silent != "" {
		if name == w.silent {
			if w.depth--; w.depth == 0 {
				w.silent = ""
			}
		}
		return
	}
	switch name {
	case "title":
		w.inTitle = false
	case "pre":
		w.pre = max(0, w.pre-1)
	case "a":
		w.closeLink()
	}
	w.lines = max(w.lines, breaks[name])
}

func (w *writer) text(s string) {
	switch {
	case w.silent != "":
	case w.inTitle:
		w.title.WriteString(s)
	case w.pre > 0:
		if s != "" {
			w.owed()
			w.out.WriteString(s)
		}
	default:
		for i, word := range strings.Fields(s) {
			if i > 0 || strings.TrimLeft(s, " \t\r\n\f") != s {
				w.space = true
			}
			w.owed()
			w.out.WriteString(word)
		}
		if strings.TrimRight(s, " \t\r\n\f") != s {
			w.space = true
		}
	}
}

// owed writes the line breaks or the space that stand before a word.
func (w *writer) owed() {
	switch {
	case w.out.Len() == 0:
	case w.lines > 0:
		w.out.WriteString("\n\n"[:min(w.lines, 2)])
	case w.space:
		w.out.WriteByte(' ')
	}
	w.lines, w.space = 0, false
}

// link is the address of a link to another page, or empty.
func (w *writer) link(t html.Token) string {
	for _, a := range t.Attr {
		if a.Key != "href" || strings.HasPrefix(strings.TrimSpace(a.Val), "#") {
			continue
		}
		u, err := url.Parse(strings.TrimSpace(a.Val))
		if err != nil {
			return ""
		}
		if w.base != nil {
			u = w.base.ResolveReference(u)
		}
		if u.Scheme == "http" || u.Scheme == "https" {
			return u.Redacted()
		}
	}
	return ""
}

func (w *writer) closeLink() {
	if w.href != "" && len(w.href) <= 500 && w.out.Len() > w.from {
		w.out.WriteString(" <" + w.href + ">")
	}
	w.href = ""
}
