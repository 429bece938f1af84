package bench

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/store/table"
	"github.com/postern-dev/postern/shared/store/table/tablecount"
)

// signedIn is a request of a person who signed in to the panel.
func signedIn(tb testing.TB, r *local.Runtime, path string) *http.Request {
	tb.Helper()
	key, err := r.LoginKey(tb.Context(), "panel:owner", "Owner", "owner")
	if err != nil {
		tb.Fatal(err)
	}
	in := httptest.NewRequest(http.MethodPost, "/login", strings.NewReader(url.Values{"key": {key}}.Encode()))
	in.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	r.Handler.ServeHTTP(w, in)
	if len(w.Result().Cookies()) == 0 {
		tb.Fatalf("sign-in was answered %d", w.Code)
	}
	req := httptest.NewRequest(http.MethodGet, path, nil)
	for _, c := range w.Result().Cookies() {
		req.AddCookie(c)
	}
	return req
}

// Goal: the first page of an Inbox of 10,000 pending items under 50 ms on the
// server, one query.
func BenchmarkInboxPage(b *testing.B) {
	var count *tablecount.Counter
	r := open(b, b.TempDir(), clock.Real{}, func(cfg *local.Config) {
		cfg.Wrap = func(t table.Table) table.Table { count = tablecount.New(t, nil); return count }
	})
	fill(b, r, 10_000, r.Clock.Now())
	req := signedIn(b, r, "/inbox")
	count.Reset()
	pages := 0
	for b.Loop() {
		w := httptest.NewRecorder()
		r.Handler.ServeHTTP(w, req)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "github_comment") {
			b.Fatalf("answered %d", w.Code)
		}
		pages++
	}
	c := count.Count()
	queries := 0
	for _, x := range c.Calls {
		if x.API == "Query" {
			queries += x.N
		}
	}
	b.ReportMetric(float64(queries)/float64(pages), "queries/op")
	b.ReportMetric(float64(c.Requests(""))/float64(pages), "requests/op")
	b.ReportMetric(c.Sum(nil).Read/float64(pages), "read-units/op")
}
