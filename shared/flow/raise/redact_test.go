package raise

import (
	"encoding/json"
	"strings"
	"testing"
)

// I28: secrets are redacted at any depth, by key and by known token shapes.
func TestI28_Redact(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"nothing":           {`{"a":"b","n":1,"x":true,"y":null}`, `{"a":"b","n":1,"x":true,"y":null}`},
		"by key":            {`{"password":"p","API_KEY":"k","apiKey":"k","private-key":1,"Authorization":{"a":1}}`, `{"API_KEY":"[redacted]","Authorization":"[redacted]","apiKey":"[redacted]","password":"[redacted]","private-key":"[redacted]"}`},
		"deep":              {`{"a":[{"b":{"client_secret":"s"}}]}`, `{"a":[{"b":{"client_secret":"[redacted]"}}]}`},
		"a Slack token":     {`{"text":"use xoxb-1234-abcd now"}`, `{"text":"use [redacted] now"}`},
		"a GitHub token":    {`["ghp_0123456789abcdefghij0123","github_pat_0123456789abcdefghij_x"]`, `["[redacted]","[redacted]"]`},
		"an AWS key":        {`{"a":"AKIAABCDEFGHIJKLMNOP"}`, `{"a":"[redacted]"}`},
		"a model's key":     {`{"a":"sk-0123456789abcdefgh"}`, `{"a":"[redacted]"}`},
		"a JWT":             {`{"a":"eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2ln"}`, `{"a":"[redacted]"}`},
		"in a list of text": {`{"command":["curl","-H","x: xoxp-1-2"]}`, `{"command":["curl","-H","x: [redacted]"]}`},
		"not JSON":          {`{`, ``},
		"empty":             {``, ``},
	} {
		if got := Redact(json.RawMessage(c.in)); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	key := Redact(json.RawMessage(`{"pem":"-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----"}`))
	if strings.Contains(key, "MIIabc") {
		t.Errorf("a private key stays: %s", key)
	}
	long, err := json.Marshal(map[string]string{"a": strings.Repeat("ü", 1000)})
	if err != nil {
		t.Fatal(err)
	}
	if got := Redact(long); len(got) > 600 || !json.Valid([]byte(got)) {
		t.Errorf("%d bytes", len(got))
	}
}
