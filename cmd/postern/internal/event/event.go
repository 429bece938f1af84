// Package event reads, signs and writes event files: one request of a platform
// as Lambda gets it from an HTTP API, payload format 2.0. The files in events/
// are such files, and a captured delivery is another.
//
// It judges nothing: what a request says is for the receivers to find out.
package event

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/lambda"
)

// File is one event file.
type File struct {
	Method   string
	Platform string // slack, feishu, github; empty if nothing tells
	Header   http.Header
	Body     []byte    // the exact bytes the platform sent
	At       time.Time // when the API got it; zero if the file does not say

	raw map[string]any // the whole of it, for writing
}

// NotAnEvent is what a file is that is no event file.
type NotAnEvent struct{ Why string }

func (e *NotAnEvent) Error() string {
	return "not an event file (an HTTP API's event, payload format 2.0): " + e.Why
}

// Read takes an event file apart. The error is *NotAnEvent, or says what of
// the event cannot be read; then Platform is known where the file tells.
func Read(raw []byte) (File, error) {
	var f File
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber() // times in milliseconds stay as they are
	if err := d.Decode(&f.raw); err != nil {
		return f, &NotAnEvent{"it is not one JSON object"}
	}
	if _, err := d.Token(); err != io.EOF {
		return f, &NotAnEvent{"there is more than one JSON object in it"}
	}
	at(f.raw, &f.At)
	req, err := lambda.RequestFromEvent(raw)
	if err != nil {
		if _, ok := asMap(f.raw["requestContext"])["http"]; !ok {
			return f, &NotAnEvent{"requestContext.http is missing"}
		}
		f.Platform = platform(text(f.raw["rawPath"]), nil)
		return f, fmt.Errorf("the event cannot be read: %w", err)
	}
	if f.Body, err = io.ReadAll(req.Body); err != nil {
		return f, fmt.Errorf("the event cannot be read: %w", err)
	}
	f.Method, f.Header = req.Method, req.Header
	f.Platform = platform(req.URL.Path, req.Header)
	return f, nil
}

// platform says whose delivery it is: by the end of its path, since a captured
// one may have come by a proxy of another path; else by its headers.
func platform(path string, h http.Header) string {
	last := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	for _, p := range []string{trigger.Slack, trigger.Feishu, trigger.GitHub} {
		if last == p {
			return p
		}
	}
	for name, p := range map[string]string{
		"X-Slack-Signature": trigger.Slack, "X-Lark-Signature": trigger.Feishu,
		"X-Hub-Signature-256": trigger.GitHub, "X-Github-Event": trigger.GitHub,
	} {
		if h.Get(name) != "" {
			return p
		}
	}
	return ""
}

func at(raw map[string]any, into *time.Time) {
	rc := asMap(raw["requestContext"])
	if n, ok := rc["timeEpoch"].(json.Number); ok {
		if ms, err := n.Int64(); err == nil {
			*into = time.UnixMilli(ms).UTC()
		}
	}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
