package log

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// lines parses what was written, one JSON object a line.
func lines(t *testing.T, out *bytes.Buffer) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, one)
	}
	return all
}

func TestD8_OneCorrelationId(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logger := New(&out, slog.LevelInfo)
	ctx := With(lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "req-1"}), "c-1")
	logger.InfoContext(ctx, "one", "n", 1)
	logger.With("correlation", "c-2").InfoContext(ctx, "own")
	logger.InfoContext(context.Background(), "none")
	logger.WithGroup("g").InfoContext(ctx, "grouped", "n", 1)
	logger.DebugContext(ctx, "below the level")
	got := lines(t, &out)
	if len(got) != 4 {
		t.Fatalf("%d lines: %s", len(got), &out)
	}
	if got[0]["correlation"] != "c-1" || got[0]["requestId"] != "req-1" || got[0]["message"] != "one" || got[0]["level"] != "INFO" || got[0]["n"] != 1.0 {
		t.Errorf("got %v", got[0])
	}
	if _, err := time.Parse(time.RFC3339, fmt.Sprint(got[0]["timestamp"])); err != nil {
		t.Errorf("timestamp %v", got[0]["timestamp"])
	}
	if got[1]["correlation"] != "c-2" || strings.Count(out.String(), "c-2") != 1 {
		t.Errorf("got %v", got[1])
	}
	if got[2]["correlation"] != nil || got[2]["requestId"] != nil {
		t.Errorf("got %v", got[2])
	}
}

func TestD8_Level(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own, lambda string
		want        slog.Level
	}{
		{"", "", slog.LevelInfo}, {"debug", "", slog.LevelDebug}, {"", "WARN", slog.LevelWarn}, {"ERROR", "DEBUG", slog.LevelError},
		{"odd", "TRACE", slog.LevelDebug}, {"odd", "odd", slog.LevelInfo}, {"", "FATAL", slog.LevelError},
	} {
		got := Level(func(name string) string {
			return map[string]string{"POSTERN_LOG_LEVEL": c.own, "AWS_LAMBDA_LOG_LEVEL": c.lambda}[name]
		})
		if got != c.want {
			t.Errorf("%q, %q: %s", c.own, c.lambda, got)
		}
	}
}

// Each of these, as a message, an attribute, an error or deep within a value,
// leaves nothing of the secret in the line.
func TestD8_SecretsAreCutOut(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0123456789abcdef", 4)
	for _, secret := range []string{
		"xoxb-123456789-abcdefSECRET", "xapp-1-A123-SECRETabc", "https://hooks.slack.com/actions/T1/SECRET",
		"v0=" + hex, "sha256=" + hex, "ghs_SECRETabcdefghijklmnop", "github_pat_SECRETabcdefghijklmnop",
		"t-g1044qeGEDXTB6NDJOGV4JQCYDGHRBARFTGTSECRET", "sk-proj-SECRETabcdefghij", "AKIAIOSFODNN7EXAMPLE",
		"whsec_SECRETabcdefghijklmnop", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.SECRET", "Bearer SECRETabcdef", "bearer  SECRETabcdef",
		"-----BEGIN RSA PRIVATE KEY-----\nSECRET\n-----END RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nSECRETcut",
	} {
		var out bytes.Buffer
		logger := New(&out, slog.LevelInfo)
		said := "before " + secret + " after"
		logger.Info(said)
		logger.With("x", said).Info("preset")
		logger.Info("attributes", "x", said, "error", fmt.Errorf("wrapped: %w", errors.New(said)), "group", slog.GroupValue(slog.String("x", said)),
			"bytes", []byte(said), "deep", map[string]any{"a": []string{said}}, "header", http.Header{"X": {said}},
			"struct", struct{ A *string }{&said})
		for _, part := range []string{"SECRET", hex, "IOSFODNN7"} {
			if strings.Contains(out.String(), part) {
				t.Errorf("%s: %s", secret, &out)
			}
		}
		if got := lines(t, &out); got[0]["message"] != "before "+redacted+" after" && !strings.HasPrefix(fmt.Sprint(got[0]["message"]), "before "+redacted) {
			t.Errorf("%s: %v", secret, got[0])
		}
	}
}

func TestD8_NamesThatAreNeverLogged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	New(&out, slog.LevelInfo).Info("x", "bot_token", "plain", "Authorization", "plain", "body", "plain", "signing_secret", "plain",
		"h", http.Header{"X-Slack-Signature": {"plain"}, "Set-Cookie": {"plain"}}, "api-key", "plain",
		"token", 7, "tokens", 12, "session", "s-1", "empty_token", "")
	got := lines(t, &out)[0]
	if strings.Contains(out.String(), "plain") {
		t.Errorf("got %s", &out)
	}
	// A lease's token and a count are numbers, and wanted.
	if got["token"] != 7.0 || got["tokens"] != 12.0 || got["session"] != "s-1" || got["empty_token"] != "" {
		t.Errorf("got %v", got)
	}
}

func TestD8_LongValuesAreCut(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	New(&out, slog.LevelInfo).Info(strings.Repeat("ü", longest), "list", make([]int, longest), "odd", func() {})
	if out.Len() > 2*longest {
		t.Errorf("%d bytes", out.Len())
	}
	if got := lines(t, &out)[0]; !strings.Contains(fmt.Sprint(got["message"]), "[cut: ") {
		t.Errorf("got %v", got)
	}
}
