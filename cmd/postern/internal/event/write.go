package event

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Write makes the file's text again: what it held, with headers, body and time
// as they are now.
func (f File) Write() ([]byte, error) {
	out := maps.Clone(f.raw)
	headers := map[string]string{}
	for name, values := range f.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	if headers["content-length"] != "" {
		headers["content-length"] = strconv.Itoa(len(f.Body))
	}
	if old, _ := f.raw["headers"].(map[string]any); old["host"] != nil {
		headers["host"] = text(old["host"])
	}
	out["headers"] = headers
	encoded, _ := f.raw["isBase64Encoded"].(bool)
	encoded = encoded || !utf8.Valid(f.Body)
	out["isBase64Encoded"], out["body"] = encoded, string(f.Body)
	if encoded {
		out["body"] = base64.StdEncoding.EncodeToString(f.Body)
	}
	if rc, ok := f.raw["requestContext"].(map[string]any); ok && !f.At.IsZero() {
		rc = maps.Clone(rc)
		rc["time"], rc["timeEpoch"] = f.At.Format("02/Jan/2006:15:04:05 +0000"), f.At.UnixMilli()
		out["requestContext"] = rc
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("write event file: %w", err)
	}
	return b.Bytes(), nil
}

// Curl is a shell command that sends the request to a Postern at base.
func (f File) Curl(base string) (string, error) {
	if bytes.IndexByte(f.Body, 0) >= 0 || !utf8.Valid(f.Body) {
		return "", fmt.Errorf("the body is not text, so no shell command can hold it")
	}
	parts := []string{"curl -sS -i -X POST " + quote(strings.TrimSuffix(base, "/")+"/hooks/"+f.Platform)}
	for _, name := range slices.Sorted(maps.Keys(f.Header)) {
		if plumbing(name) {
			continue
		}
		for _, value := range f.Header[name] {
			parts = append(parts, "-H "+quote(name+": "+value))
		}
	}
	parts = append(parts, "--data-raw "+quote(string(f.Body)))
	return strings.Join(parts, " \\\n  ") + "\n", nil
}

// plumbing headers belong to one connection, not to what the platform said.
func plumbing(name string) bool {
	return name == "Content-Length" || name == "Host" || strings.HasPrefix(name, "X-Forwarded-")
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
