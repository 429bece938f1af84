package raise

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Redact makes the arguments fit for an audit row (I28): values of keys that
// name a secret, and anything of a known token's shape, are replaced at any
// depth; long texts are cut. The digest beside it still proves what they were.
func Redact(arguments json.RawMessage) string {
	var v any
	if json.Unmarshal(arguments, &v) != nil {
		return ""
	}
	b, _ := json.Marshal(redact(v))
	return string(b)
}

func redact(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, w := range x {
			if secretKey.MatchString(k) {
				x[k] = "[redacted]"
			} else {
				x[k] = redact(w)
			}
		}
	case []any:
		for i := range x {
			x[i] = redact(x[i])
		}
	case string:
		s := tokenShape.ReplaceAllString(x, "[redacted]")
		if len(s) > 500 {
			s = strings.ToValidUTF8(s[:500], "") + "…"
		}
		return s
	}
	return v
}

var (
	secretKey  = regexp.MustCompile(`(?i)(secret|token|passw|authorization|api[_-]?key|private[_-]?key|credential|cookie)`)
	tokenShape = regexp.MustCompile(`(xox[abeprs]-[A-Za-z0-9-]+|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|sk-[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*)`)
)
