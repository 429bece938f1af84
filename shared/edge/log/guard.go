package log

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
)

const (
	redacted = "[redacted]"
	longest  = 8 << 10 // bytes of one value
)

// shapes are secrets that can be known by their looks.
var shapes = regexp.MustCompile(strings.Join([]string{
	`xox[a-z]-[0-9A-Za-z-]{6,}`, `xapp-[0-9A-Za-z-]{6,}`, // Slack
	`https://hooks\.slack(?:-gov)?\.com/[^\s"']+`,
	`v0=[0-9a-f]{64}`, `sha256=[0-9a-f]{64}`, // signatures
	`gh[pousr]_[0-9A-Za-z]{20,}`, `github_pat_[0-9A-Za-z_]{20,}`, // GitHub
	`\b[tu]-[0-9A-Za-z_.-]{30,}`, // Feishu access tokens
	`sk-[0-9A-Za-z_-]{16,}`,      // model providers
	`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,
	`whsec_[0-9A-Za-z+/=]{16,}`,                            // Standard Webhooks
	`eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]*`, // JWT
	`(?i:bearer|basic)\s+[0-9A-Za-z._~+/=-]{8,}`,           // Authorization
	`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
	`(?i:[?&](?:[a-z_-]*token|[a-z_-]*signature|sig|key|code|secret)=)[^&\s"']+`, // of an address
}, "|"))

// names end those of values that nobody should log, whatever they look like.
var names = []string{"token", "secret", "password", "passphrase", "authorization", "cookie", "signature",
	"body", "apikey", "privatekey", "encryptkey", "linkkey", "credential", "credentials"}

// guard renames the built-in attributes and cuts secrets out of any.
func guard(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 {
		switch a.Key {
		case slog.TimeKey:
			if a.Value.Kind() == slog.KindTime {
				a.Key = "timestamp"
				return a
			}
		case slog.MessageKey:
			a.Key = "message"
		case slog.LevelKey:
			return a
		}
	}
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.AnyValue(clean(a.Key, a.Value.String()))
	case slog.KindAny:
		a.Value = slog.AnyValue(plain(a.Key, a.Value.Any()))
	}
	return a
}

// plain turns a value of any type into one of strings, lists and maps that was
// looked through.
func plain(name string, value any) any {
	switch v := value.(type) {
	case nil:
		return nil
	case error:
		return clean(name, v.Error())
	case []byte:
		return fmt.Sprintf("[%d bytes]", len(v))
	case fmt.Stringer:
		return clean(name, v.String())
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("[%T]", value)
	}
	var tree any
	if len(raw) > longest || json.Unmarshal(raw, &tree) != nil {
		return fmt.Sprintf("[%T, %d bytes]", value, len(raw))
	}
	return clean(name, tree)
}

// clean goes through what JSON can hold.
func clean(name string, value any) any {
	switch v := value.(type) {
	case string:
		return text(name, v)
	case []any:
		for i := range v {
			v[i] = clean(name, v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = clean(key, v[key])
		}
	}
	return value
}

func text(name, s string) string {
	if s == "" {
		return s
	}
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	for _, end := range names {
		if strings.HasSuffix(name, end) {
			return redacted
		}
	}
	s = shapes.ReplaceAllString(s, redacted)
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + fmt.Sprintf(" [cut: %d of %d bytes]", longest, len(s))
	}
	return s
}
