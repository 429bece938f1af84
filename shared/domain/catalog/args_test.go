package catalog_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/catalog"
)

func args(tb testing.TB, text string) catalog.Args {
	tb.Helper()
	a, err := catalog.ParseArgs([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func TestP23_NormalForms(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		kind     catalog.Kind
		in, want string
	}{
		{catalog.Issue, "Acme/App.go#7", "acme/app.go#7"},
		{catalog.Issue, " acme/app#7 ", "acme/app#7"},
		{catalog.Issue, "acme/app#0", ""},
		{catalog.Issue, "acme/app#07", ""},
		{catalog.Issue, "acme/app", ""},
		{catalog.Issue, "acme/*#7", ""},
		{catalog.Issue, "acme/app#7\nacme/app#8", ""},
		{catalog.Issue, "a/b/c#7", ""},
		{catalog.Repo, "Acme/App", "acme/app"},
		{catalog.Repo, "acme", ""},
		{catalog.Repo, "acme/app#7", ""},
		{catalog.Channel, "C0123ABC", "C0123ABC"},
		{catalog.Channel, "slack:C0123ABC", "C0123ABC"},
		{catalog.Channel, "<#C0123ABC|general>", "C0123ABC"},
		{catalog.Channel, "<#C0123ABC>", "C0123ABC"},
		{catalog.Channel, "https://acme.slack.com/archives/c0123abc", "C0123ABC"},
		{catalog.Channel, "https://acme.slack.com.evil.example/archives/C0123ABC", ""},
		{catalog.Channel, "https://evil.example/archives/C0123ABC", ""},
		{catalog.Channel, "D0123ABC", "D0123ABC"},
		{catalog.Channel, "#general", ""},
		{catalog.Channel, "general", ""},
		{catalog.Channel, "C0123ABC,C0123ABD", ""},
		{catalog.Channel, "<!channel>", ""},
		{catalog.Chat, "oc_5ad11d72b830411d72b836c20", "oc_5ad11d72b830411d72b836c20"},
		{catalog.Chat, "feishu:oc_5ad1", "oc_5ad1"},
		{catalog.Chat, "ou_5ad1", "ou_5ad1"},
		{catalog.Chat, "all", ""},
		{catalog.Address, "Ada.L+x@Example.COM", "ada.l+x@example.com"},
		{catalog.Address, "ada@localhost", ""},
		{catalog.Address, "Ada <ada@example.com>", ""},
		{catalog.Address, "ada@example.com,eve@example.com", ""},
		{catalog.Address, "\u212aada@example.com", ""}, // a letter that folds to k
		{catalog.Address, "ada@example.com\r\nBcc: eve@example.com", ""},
		{catalog.Address, "@example.com", ""},
		{"", "x", ""},
		{"other", "x", ""},
	} {
		if got := r.kind.Normal(r.in); got != r.want {
			t.Errorf("%s %q: %q, want %q", r.kind, r.in, got, r.want)
		}
		if r.want != "" && r.kind.Normal(r.want) != r.want {
			t.Errorf("%s %q is not its own normal form", r.kind, r.want)
		}
	}
}

func TestP23_Alone(t *testing.T) {
	t.Parallel()
	tool, _ := catalog.Lookup("email_send")
	for text, want := range map[string]bool{
		`{"to":"a@b.example"}`:                               true,
		`{"to":"a@b.example","subject":"s","body":"b"}`:      true,
		`{"to":"a@b.example","account":"work"}`:              true,
		`{"to":"a@b.example","cc":[],"bcc":null,"reply":""}`: true,
		`{"to":"a@b.example","cc":["c@d.example"]}`:          false,
		`{"to":"a@b.example","cc":"c@d.example"}`:            false,
		`{"to":"a@b.example","bcc":["c@d.example"]}`:         false,
		`{"to":"a@b.example","attachments":["x"]}`:           false,
		`{"to":"a@b.example","anything":0}`:                  false,
		`{"to":"a@b.example","anything":[""]}`:               false,
	} {
		if got := tool.Target.Alone(args(t, text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if (catalog.Target{}).Alone(args(t, `{}`)) || (catalog.Target{}).Of(args(t, `{"":"x"}`)) != "" {
		t.Error("a tool without a target reaches one")
	}
}

func TestP14_Extractor(t *testing.T) {
	t.Parallel()
	tool, _ := catalog.Lookup("apply_patch")
	for _, r := range []struct {
		text string
		want []string
		ok   bool
	}{
		{`{"patch":"*** Begin Patch\n*** Add File: a b.go\n+x\n*** Update File: c\n*** Move to: d\r\n  *** Delete File: e\n*** End Patch"}`, []string{"a b.go", "c", "d", "e"}, true},
		{`{"patch":"--- a/x.go\t2026\n+++ b/x.go\n@@\n-- y\n+++ z\n"}`, []string{"a/x.go", "x.go", "b/x.go", "z"}, true},
		{`{"patch":"--- /dev/null\n+++ /abs/new\n"}`, []string{"/abs/new"}, true},
		{`{"patch":"diff --git a/o b/p\nrename from o\nrename to p\ncopy from q\ncopy to \"r s\"\n"}`, []string{"a/o", "o", "b/p", "p", "q", "r s"}, true},
		{`{"patch":"x\u2028*** Update File: y\r+++ z"}`, []string{"y", "z"}, true},
		{`{"patch":"Index: x\n"}`, []string{"x"}, true},
		{`{"patch":"--- a/x\n","path":"p"}`, []string{"p", "a/x", "x"}, true},
		{`{"patch":"","path":"p"}`, []string{"p"}, true},
		{`{"patch":"*** Add File:\n"}`, nil, false},
		{`{"patch":"--- /dev/null\n"}`, nil, false},
		{`{"patch":["--- a/x"]}`, nil, false},
		{`{}`, nil, false},
	} {
		got, ok := tool.Paths.Of(args(t, r.text))
		if ok != r.ok || !slices.Equal(got, r.want) {
			t.Errorf("%s: %q %v", r.text, got, ok)
		}
	}
}

func TestP15_CommandOf(t *testing.T) {
	t.Parallel()
	tool, _ := catalog.Lookup("Bash")
	for _, r := range []struct {
		args  string
		text  string
		list  []string
		plain bool
	}{
		{`{"command":"ls","timeout":1}`, "ls", nil, true},
		{`{"cmd":["ls","-l"]}`, "", []string{"ls", "-l"}, true},
		{`{"command":"ls","env":{"a":"b"}}`, "ls", nil, false},
		{`{"command":"ls","cmd":"rm"}`, "", nil, false},
		{`{"command":""}`, "", nil, false},
		{`{"command":["ls",1]}`, "", nil, false},
		{`{}`, "", nil, false},
	} {
		text, list, plain := tool.Command.Of(args(t, r.args))
		if text != r.text || !reflect.DeepEqual(list, r.list) || plain != r.plain {
			t.Errorf("%s: %q %q %v", r.args, text, list, plain)
		}
	}
}

// As the seed shows them on a card.
func TestPreview(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 300)
	for _, r := range []struct{ args, want string }{
		{`{}`, ""},
		{`{"b":"x\n  y","a":1,"c":["z"]}`, `a: 1 · b: x y · c: ["z"]`},
		{`{"a":"` + long + `"}`, "a: " + strings.Repeat("ä", 79) + "…"},
	} {
		if got := args(t, r.args).Preview(); got != r.want {
			t.Errorf("%.40s: %q", r.args, got)
		}
	}
	whole := args(t, `{"a":"`+long+`","b":"`+long+`","c":"`+long+`","d":"`+long+`"}`).Preview()
	if n := len([]rune(whole)); n != 240 {
		t.Errorf("the whole has %d characters", n)
	}
	if _, err := catalog.ParseArgs([]byte(`[]`)); err == nil {
		t.Error("a list is taken for arguments")
	}
}

// Q3: patches come from models. What is found is never blank, and a header on a
// line of its own is always found.
func FuzzPatch(f *testing.F) {
	for _, s := range []string{"--- a/x\n+++ b/x\n", "*** Update File: x\n", "diff --git a/x b/x\n", "\n\n", "*** Move to:", "+++ \"a\\\"b\"\n"} {
		f.Add(s, "x")
	}
	tool, _ := catalog.Lookup("apply_patch")
	f.Fuzz(func(t *testing.T, patch, name string) {
		of := func(text string) ([]string, bool) {
			raw, err := jsonText(text)
			if err != nil {
				t.Skip()
			}
			return tool.Paths.Of(catalog.Args{"patch": raw})
		}
		if paths, ok := of(patch); ok == (len(paths) == 0) {
			t.Fatalf("%q: %q %v", patch, paths, ok)
		}
		if strings.TrimSpace(name) == "" || name != strings.TrimSpace(name) || strings.ContainsAny(name, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029\ufffd") {
			return
		}
		paths, ok := of(patch + "\n*** Update File: " + name + "\n")
		if ok && name != "/dev/null" && !slices.Contains(paths, name) {
			t.Fatalf("%q is not among %q", name, paths)
		}
	})
}
