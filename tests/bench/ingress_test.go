package bench

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/edge/feishu"
	"github.com/postern-dev/postern/shared/edge/github"
	"github.com/postern-dev/postern/shared/edge/slack"
	"github.com/postern-dev/postern/shared/flow/ingest"
	"github.com/postern-dev/postern/shared/local"
	standinfeishu "github.com/postern-dev/postern/shared/local/standin/feishu"
	standingithub "github.com/postern-dev/postern/shared/local/standin/github"
	standinslack "github.com/postern-dev/postern/shared/local/standin/slack"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func atNoon() time.Time { return noon }

// counting is a queue that only counts.
type counting int

func (c *counting) Send(context.Context, doorbell.Message) error { *c++; return nil }

// said is the first webhook of a person who writes to the agent.
func said(tb testing.TB, platform, text string) (caught, ingest.Receiver) {
	tb.Helper()
	w, c := local.NewWorld(atNoon), &catcher{}
	client := &http.Client{Transport: c}
	var r ingest.Receiver
	var err, made error
	switch platform {
	case "slack":
		_, _, err = w.Slack.Say(tb.Context(), standinslack.Hook{URL: "http://x/", Client: client}, standinslack.Line{User: "U0ADA", Channel: "C0OPS", Text: text, Mention: true, MentionFirst: true})
		r, made = slack.NewReceiver(standinslack.DevSecrets(), linkKey, atNoon)
	case "feishu":
		_, err = w.Feishu.Say(tb.Context(), standinfeishu.Hook{URL: "http://x/", Client: client}, standinfeishu.Speech{Person: "ou_ada", Chat: "oc_ops", Mention: true, Text: text})
		var fr *feishu.Receiver
		if fr, made = feishu.NewReceiver(standinfeishu.DevSecrets(), linkKey, atNoon); made == nil {
			r = fr.WithBot(func() string { return "ou_agent" })
		}
	case "github":
		_, _, err = w.GitHub.Open(tb.Context(), standingithub.Hook{URL: "http://x/", Client: client}, standingithub.Draft{Author: "ada", Repo: "acme/shop", Title: "Till", Body: "@postern-agent " + text})
		r, made = github.NewReceiver(standingithub.DevSecrets(), linkKey, atNoon)
	}
	if err != nil || made != nil || len(c.got) == 0 {
		tb.Fatal(platform, len(c.got), err, made)
	}
	return c.got[0], r
}

// fourKB grows what is said until the webhook's body has 4 KB.
func fourKB(tb testing.TB, platform string) (caught, ingest.Receiver) {
	tb.Helper()
	for n := 0; ; n++ {
		if d, r := said(tb, platform, strings.Repeat("please look at the till ", n)); len(d.body) >= 4<<10 {
			return d, r
		}
	}
}

// Goal: 30 µs to verify, parse and normalise at 4 KB. This is the whole
// handler, from the request to the answer, with a queue that only counts.
func BenchmarkIngress(b *testing.B) {
	for _, platform := range []string{"slack", "feishu", "github"} {
		b.Run(platform, func(b *testing.B) {
			d, receiver := fourKB(b, platform)
			var rung counting
			h := &ingest.Handler{Platform: platform, Receiver: receiver, Queue: &rung, Log: slog.New(slog.DiscardHandler),
				Count: func(string, string) {}, MaxBody: 6 << 20}
			b.SetBytes(int64(len(d.body)))
			b.ReportAllocs()
			w := &blank{header: http.Header{}}
			for b.Loop() {
				req := &http.Request{Method: http.MethodPost, Header: d.header, Body: io.NopCloser(bytes.NewReader(d.body))}
				h.ServeHTTP(w, req)
			}
			if int(rung) == 0 || w.status != http.StatusOK {
				b.Fatalf("%d triggers queued, status %d", rung, w.status)
			}
		})
	}
}

// blank takes an answer and keeps its status.
type blank struct {
	header http.Header
	status int
}

func (b *blank) Header() http.Header         { return b.header }
func (b *blank) Write(p []byte) (int, error) { return len(p), nil }
func (b *blank) WriteHeader(status int)      { b.status = status }
