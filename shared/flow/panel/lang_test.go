package panel

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
)

// said are the words that the pages say: the second argument of each call of w
// and wf, the texts of the refusals, and the names that come from rows.
func said(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{"That did not work": true, "Signed out": true}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok || len(c.Args) < 2 {
				return true
			}
			name := ""
			switch f := c.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			args := map[string][]int{"w": {1}, "wf": {1}, "say": {4, 5}}[name]
			for _, i := range args {
				if lit, ok := c.Args[min(i, len(c.Args)-1)].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					s, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					out[s] = true
				}
			}
			return true
		})
	}
	for _, r := range refusals {
		out[r.title], out[r.text] = true, true
	}
	for _, name := range []string{
		string(inbox.Approval), string(inbox.Question), string(inbox.Notification), string(inbox.Directory), string(inbox.Plan),
		string(inbox.Pending), string(inbox.Approved), string(inbox.Denied), string(inbox.Answered), string(inbox.Expired),
		string(inbox.Cancelled), string(inbox.Superseded), "read", "write_local", "exec", "external",
		"discuss", "plan", "interactive", "custom", "auto", Owner, Approver, Auditor, Viewer, Guest,
		string(session.Working), string(session.Idle), string(session.Gone), "open", "ended",
		"accepted", "delivered", "not_admitted", "ignored", "unavailable", "explicit", "inferred",
		string(session.Intended), string(session.Ran), string(session.Failed), string(session.Unknown),
		"due", "sending", "shown", "dropped",
	} {
		out[name] = true
	}
	return out
}

var verb = regexp.MustCompile(`%(\[\d\])?[sd]`)

// Both languages have every word, and no others (U5).
func TestU5_BothLanguagesHaveEveryWord(t *testing.T) {
	t.Parallel()
	words := said(t)
	if len(words) < 100 {
		t.Fatalf("only %d words found: the test does not see the pages", len(words))
	}
	for english := range words {
		there, ok := chinese[english]
		if !ok || there == "" {
			t.Errorf("no Chinese for %q", english)
		}
		a, b := verb.FindAllString(english, -1), verb.FindAllString(there, -1)
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("%q and %q take different values", english, there)
		}
	}
	for english := range chinese {
		if !words[english] {
			t.Errorf("nothing says %q any more", english)
		}
	}
}

// The templates hold no words outside w: whatever stands between tags is a
// value, a name, a key or a sign.
func TestU5_NoWordsBesideTheTable(t *testing.T) {
	t.Parallel()
	literal := regexp.MustCompile(`WriteString\(templ_7745c5c3_Buffer, \d+, ("(?:[^"\\]|\\.)*")\)`)
	tag, key, two := regexp.MustCompile(`<[^>]*>`), regexp.MustCompile(`<kbd>[^<]*</kbd>|Postern`), regexp.MustCompile(`[A-Za-z]{2}`)
	files, err := filepath.Glob("*_templ.go")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		page := "" // the literals in their order, each value between them a ¤
		for _, m := range literal.FindAllStringSubmatch(read(t, file), -1) {
			s, err := strconv.Unquote(m[1])
			if err != nil {
				t.Fatal(err)
			}
			page += s + "¤"
		}
		if len(page) < 500 {
			t.Fatalf("%s: only %q found: the test does not see the template", file, page)
		}
		for _, words := range strings.Split(tag.ReplaceAllString(key.ReplaceAllString(page, ""), "¤"), "¤") {
			if two.MatchString(words) {
				t.Errorf("%s says %q without the table of words", file, words)
			}
		}
	}
}

func TestU5_LanguageIsWhatTheBrowserAsksFor(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{"": inEnglish, "en-GB,en;q=0.9": inEnglish, "zh-CN,zh;q=0.9,en;q=0.8": inChinese, "zh": inChinese,
		"zh-Hans-SG": inChinese, "de,zh;q=0.5": inChinese, "en;q=0.3,zh;q=0.9": inChinese, "fr": inEnglish, "*": inEnglish, "gibberish;;q=x": inEnglish} {
		var got string
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Language", accept)
		spoken(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = lang(r.Context()) })).ServeHTTP(httptest.NewRecorder(), r)
		if got != want {
			t.Errorf("%q: %s, want %s", accept, got, want)
		}
	}
}

func TestU5_WordsOfBoth(t *testing.T) {
	t.Parallel()
	zh := context.WithValue(context.Background(), langKey{}, inChinese)
	x := inbox.Item{Expires: inbox.Never}
	for _, s := range []inbox.State{inbox.Pending, inbox.Approved, inbox.Denied, inbox.Answered, inbox.Expired, inbox.Cancelled, inbox.Superseded} {
		x.State = s
		en := told(context.Background(), x)
		if en != inbox.Told(x) {
			t.Errorf("%s: the panel says %q, the cards %q", s, en, inbox.Told(x))
		}
		if c := told(zh, x); c == en || strings.Contains(c, "%!") {
			t.Errorf("%s in Chinese: %q", s, c)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
