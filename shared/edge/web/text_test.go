package web

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	t.Parallel()
	base, _ := url.Parse("https://x.example/a/b?c")
	for name, tc := range map[string]struct{ page, title, text string }{
		"words":         {"<p>a  <b>b</b>c\n d</p>", "", "a bc d"},
		"blocks":        {"<h1>Head</h1><div>one</div><div>two<br>three</div><p>four", "", "Head\n\none\ntwo\nthree\n\nfour"},
		"list":          {"<ul><li>a</li><li> b <ul><li>c</ul></ul>d", "", "- a\n- b\n\n- c\n\nd"},
		"table":         {"<table><tr><th>a</th><td>b</td></tr><tr><td>c<td>d</table>", "", "a b\nc d"},
		"pre":           {"x<pre>a\n  b</pre>y", "", "x\n\na\n  b\n\ny"},
		"silent":        {"a<script>if (a<b) {}</script><style>p{}</style><noscript>n</noscript><svg><text>s</text></svg><template>t</template>b", "", "ab"},
		"nested silent": {"<svg><svg>x</svg>y</svg>z", "", "z"},
		"comment":       {"a<!-- b -->c<![CDATA[d]]>", "", "ac"},
		"entities":      {"&lt;b&gt; &amp;amp; &copy;", "", "<b> &amp; ©"},
		"title":         {"<title> My\n page </title><body>text<svg><title>no</title></svg>", "My page", "text"},
		"second title":  {"<title>a</title><title>b</title>c", "a", "bc"},
		"links":         {"<a href='/x'>a</a>, <a href='y#z'>b</a> <a href='#top'>c</a> <a href='mailto:x@y'>d</a> <a href='javascript:x()'>e</a> <a>f</a>", "", "a <https://x.example/x>, b <https://x.example/a/y#z> c d e f"},
		"open link":     {"<a href='/x'>a<p>b", "", "a\n\nb <https://x.example/x>"},
		"empty link":    {"<a href='/x'></a>a", "", "a"},
		"secret link":   {"<a href='https://u:pw@x.example/'>a</a>", "", "a <https://u:xxxxx@x.example/>"},
		"image":         {"a<img src=x alt='a chart'>b<img src=y>", "", "a [image: a chart] b"},
		"unclosed":      {"<div><p>a<b>b", "", "ab"},
		"empty":         {"", "", ""},
		"not HTML":      {"just text < 3", "", "just text < 3"},
	} {
		got := Text(tc.page, base)
		if got.Title != tc.title || got.Text != tc.text {
			t.Errorf("%s: %q, %q", name, got.Title, got.Text)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"<p>a<script>b", "<a href='//x'>", "<pre>\n", "<title><svg><!--", "<li><td>\xff", "<img alt='<script>'/>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, page string) {
		page = strings.ToValidUTF8(page, "")
		got := Text(page, nil)
		if !utf8.ValidString(got.Text) || got.Text != strings.TrimSpace(got.Text) {
			t.Errorf("%q", got.Text)
		}
		if out := got.write(&url.URL{Scheme: "https", Host: "x.example"}, true); len(out) > max(MaxText, len(got.Title)+200) {
			t.Errorf("%d bytes", len(out))
		}
	})
}
