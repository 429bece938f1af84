package permission_test

import (
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/permission"
)

func TestP25_CanonicalArguments(t *testing.T) {
	t.Parallel()
	for _, r := range []struct{ in, want string }{
		{`{}`, `{}`},
		{" {\n\"b\" : 1 , \"a\":[ ] }\t", `{"a":[],"b":1}`},
		{`{"\u0062":"\u00e4\/","a":"\u000F\""}`, `{"a":"\u000f\"","b":"ä/"}`},
		{`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0,1.0]}`,
			`{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1]}`},
		{`{"\ud83d\ude00":1,"\ufb33":2}`, "{\"\U0001F600\":1,\"\uFB33\":2}"}, // by UTF-16 units
		{`{"a":9007199254740991,"b":-9007199254740991}`, `{"a":9007199254740991,"b":-9007199254740991}`},
		// A canonical form is its own: what a double holds stays as it is.
		{`{"a":73E19,"b":9007199254740992}`, `{"a":730000000000000000000,"b":9007199254740992}`},
		{`{"a":730000000000000000000,"b":1000000000000000000000}`, `{"a":730000000000000000000,"b":1e+21}`},
		{`{"a":"<script>&\u2028\u007f"}`, "{\"a\":\"<script>&\u2028\x7f\"}"},
		{`{"in text":"[[[[ 99999999999999999999 {\\"}`, `{"in text":"[[[[ 99999999999999999999 {\\"}`},
	} {
		got, digest, err := permission.Canonical([]byte(r.in))
		if err != nil || string(got) != r.want || len(digest) != 64 {
			t.Errorf("%s: %s %v", r.in, got, err)
		}
	}
	_, digest, _ := permission.Canonical([]byte("{}"))
	if digest != "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" { // sha256sum of {}
		t.Errorf("digest %s", digest)
	}
}

func TestP25_CanonicalRefuses(t *testing.T) {
	t.Parallel()
	deep := func(n int) string {
		return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	if _, _, err := permission.Canonical([]byte(deep(permission.MaxDepth))); err != nil {
		t.Errorf("at the limit of depth: %v", err)
	}
	big := func(n int) string { return `{"a":"` + strings.Repeat("x", n-8) + `"}` }
	if _, _, err := permission.Canonical([]byte(big(permission.MaxArguments))); err != nil {
		t.Errorf("at the limit of size: %v", err)
	}
	for name, in := range map[string]string{
		"empty": "", "space": " ", "null": "null", "array": "[]", "text": `"a"`, "number": "1", "truth": "true",
		"a key twice":              `{"a":1,"a":1}`,
		"a key twice by escape":    `{"a":1,"\u0061":2}`,
		"a key twice, deep":        `{"x":[{"a":1,"b":2,"a":3}]}`,
		"invalid UTF-8":            "{\"a\":\"\xff\"}",
		"invalid UTF-8 in a key":   "{\"\xc3\x28\":1}",
		"surrogate alone":          `{"a":"\ud800"}`,
		"low surrogate first":      `{"a":"\udc00\ud800"}`,
		"surrogate and text":       `{"a":"\ud800x"}`,
		"too deep":                 deep(permission.MaxDepth + 1),
		"far too deep":             strings.Repeat(`{"a":`, 100_000),
		"too large":                big(permission.MaxArguments + 1),
		"too large once canonical": `{"a":[` + strings.Repeat("1e20,", 50_000) + `1]}`,
		"integer that would round": `{"a":9007199254740993}`,
		"huge integer":             `{"a":-123456789012345678901234567890}`,
		"number out of range":      `{"a":1e999}`,
		"two values":               `{}{}`,
		"text after":               `{} x`,
		"comma at the end":         `{"a":1,}`,
		"comment":                  `{"a":1/**/}`,
		"single quotes":            `{'a':1}`,
		"not a number":             `{"a":NaN}`,
		"leading zero":             `{"a":01}`,
		"line break in a string":   "{\"a\":\"\n\"}",
		"byte order mark":          "\ufeff{}",
		"bad escape":               `{"a":"\x41"}`,
		"cut off":                  `{"a":`,
		"cut off in a string":      `{"a":"\`,
	} {
		if got, _, err := permission.Canonical([]byte(in)); err == nil {
			t.Errorf("%s: taken as %.60s", name, got)
		} else if len(err.Error()) > 300 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
	}
}

func TestP11_NewCall(t *testing.T) {
	t.Parallel()
	for _, r := range []struct{ server, tool, wantServer, wantTool string }{
		{"", "web_fetch", "", "web_fetch"},
		{"", "mcp__notion__create_page", "notion", "create_page"},
		{"", "mcp__my-server__a.b", "my-server", "a.b"},
		{"notion", "mcp__x__y", "notion", "mcp__x__y"},
		// These can be taken apart in two ways, or not at all.
		{"", "mcp__a__b__c", "", "mcp__a__b__c"},
		{"", "mcp__a___b", "", "mcp__a___b"},
		{"", "mcp____x", "", "mcp____x"},
		{"", "mcp__x", "", "mcp__x"},
		{"", "mcp__x__", "", "mcp__x__"},
		{"", "MCP__a__b", "", "MCP__a__b"},
	} {
		c := call(t, r.server, r.tool, ``)
		if c.Server != r.wantServer || c.Tool != r.wantTool || string(c.Arguments) != "{}" {
			t.Errorf("%s: %+v", r.tool, c)
		}
		if d := permission.Evaluate(c, permission.State{}); r.tool != "web_fetch" && d.Base != external {
			t.Errorf("%s is %s", r.tool, d.Base)
		}
	}
	for _, bad := range [][2]string{
		{"", ""}, {"n", ""}, {"", "notion/x"}, {"a/b", "x"}, {"", "a\nb"}, {"", "a\u202eb"}, {"n\x00", "x"},
		{"", "a\xff"}, {"", strings.Repeat("x", 201)}, {strings.Repeat("x", 201), "x"},
	} {
		if c, err := permission.NewCall(bad[0], bad[1], nil); err == nil {
			t.Errorf("%q is a call: %+v", bad, c)
		}
	}
	for _, name := range []string{"web_fetch", "notion/x", "notion/a/b"} {
		server, tool := permission.SplitName(name)
		if got := call(t, server, tool, ``).Name(); got != name {
			t.Errorf("%s taken apart and put together is %s", name, got)
		}
	}
	if _, err := permission.NewCall("", "x", []byte(`{"a":1,"a":2}`)); err == nil {
		t.Error("arguments that cannot be read")
	}
}
