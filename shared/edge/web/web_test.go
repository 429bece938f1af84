package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

var loopback = netip.MustParsePrefix("127.0.0.1/32")

// site answers on 127.0.0.1 and its client may reach it there, and nowhere else.
func site(t *testing.T, h http.HandlerFunc) (*httptest.Server, *Fetcher) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s, fetcher(t, nil, loopback)
}

// fetcher asks no name server but the one given.
func fetcher(t *testing.T, names func(name string) netip.Addr, allow ...netip.Prefix) *Fetcher {
	t.Helper()
	f := New(allow...)
	f.dialer.Resolver = resolver(t, names)
	t.Cleanup(f.client.CloseIdleConnections)
	return f
}

func fetch(f *Fetcher, address string) (string, error) {
	args, _ := json.Marshal(map[string]string{"url": address})
	return f.Fetch(context.Background(), args, "")
}

func refused(t *testing.T, what string, out string, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %q, %v; want an error that says %q", what, out, err, says)
	}
}

func TestFetchesAPage(t *testing.T) {
	t.Parallel()
	s, f := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" || len(r.Cookies()) > 0 || r.Header.Get("Authorization") != "" {
			t.Errorf("%s with %v", r.Method, r.Header)
		}
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/new?q=1", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, "<title>A  page</title><p>Hello <b>there</b></p><script>no()</script><a href='/x'>more</a>")
		}
	})
	for range 2 { // the second time with a cookie, if there were any
		got, err := fetch(f, s.URL+"/old")
		want := "Address: " + s.URL + "/new?q=1\nTitle: A page\n\nHello there\n\nmore <" + s.URL + "/x>"
		if err != nil || got != want {
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	f := fetcher(t, nil)
	for _, bad := range []string{
		``, `null`, `{}`, `[]`, `{"url":""}`, `{"url":7}`, `{"URL":"https://x.example"}`, `{"url":"https://x.example","method":"POST"}`, `{"url":"x"} {}`,
		`{"url":"` + strings.Repeat("x", 5000) + `"}`,
	} {
		if out, err := f.Fetch(context.Background(), json.RawMessage(bad), ""); err == nil {
			t.Errorf("%.40s gave %q", bad, out)
		}
	}
	for address, says := range map[string]string{
		"ftp://x.example/":              "only http",
		"file:///etc/passwd":            "only http",
		"gopher://x":                    "only http",
		"//x.example/":                  "only http",
		"x.example":                     "only http",
		"javascript:alert(1)":           "only http",
		"http://":                       "no server",
		"http:///etc":                   "no server",
		"http://user:pw-MARKED@x.test/": "user name",
		"http://x.example:99999999/":    "web_fetch",
		"http://[::1":                   "cannot be read",
	} {
		out, err := fetch(f, address)
		refused(t, address, out, err, says)
		if err != nil && strings.Contains(err.Error(), "MARKED") {
			t.Errorf("the error holds the address: %v", err)
		}
	}
}

// Whatever a name resolves to is judged when the connection is made.
func TestRefusesWhatIsNotPublic(t *testing.T) {
	t.Parallel()
	s, _ := site(t, func(w http.ResponseWriter, r *http.Request) { t.Error("reached") })
	f := fetcher(t, nil)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, host := range []string{
		"127.0.0.1", "localhost", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "10.0.0.1", "172.16.0.1", "192.168.1.1",
		"169.254.169.254", "[fe80::1]", "[fd00:ec2::254]", "100.100.100.200", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
	} {
		out, err := fetch(f, "http://"+host+":"+port+"/latest/meta-data/")
		refused(t, host, out, err, "refused: the address is not a public one")
	}
	// Other spellings of an address are names, which resolve to it or to nothing.
	for _, host := range []string{"2130706433", "0x7f.1", "0177.0.0.1", "127.1"} {
		if out, err := fetch(f, "http://"+host+":"+port+"/"); err == nil {
			t.Errorf("%s: %q", host, out)
		}
	}
}

// A redirect leads no further than the first address may.
func TestRedirects(t *testing.T) {
	t.Parallel()
	s, f := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch to := r.URL.Query().Get("to"); to {
		case "loop":
			http.Redirect(w, r, "/?to=loop", http.StatusFound)
		default:
			http.Redirect(w, r, to, http.StatusFound)
		}
	})
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for to, says := range map[string]string{
		"loop":                                "too many redirects",
		"http://169.254.169.254/latest/":      "not a public one",
		"http://127.0.0.2:" + port + "/":      "not a public one",
		"http://[::1]:" + port + "/":          "not a public one",
		"file:///etc/passwd":                  "only http",
		"http://a:b@127.0.0.1:" + port + "/x": "user name",
	} {
		out, err := fetch(f, s.URL+"/?to="+to)
		refused(t, to, out, err, says)
	}
}

// A name may resolve to something else at each look: the one that counts is
// the one that is connected to.
func TestJudgedAtTheConnection(t *testing.T) {
	t.Parallel()
	f := New()
	for address, ok := range map[string]bool{
		"93.184.216.34:443": true, "93.184.216.34:80": true, "93.184.216.34:8443": true, "93.184.216.34:22": false, "93.184.216.34:25": false,
		"127.0.0.1:443": false, "[::1]:443": false, "[2606:4700::1111]:443": true, "[fe80::1%eth0]:443": false, "nonsense": false, "": false,
	} {
		network := "tcp4"
		if strings.HasPrefix(address, "[") {
			network = "tcp6"
		}
		if err := f.control(network, address, nil); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
	if f.control("udp4", "93.184.216.34:443", nil) == nil || f.control("unix", "/run/x", nil) == nil {
		t.Error("another network is taken")
	}
	if err := New(loopback).control("tcp4", "127.0.0.1:22", nil); err != nil {
		t.Errorf("what is allowed is refused: %v", err)
	}
}

func TestAnswersThatAreNoPage(t *testing.T) {
	t.Parallel()
	s, f := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/image":
			w.Header().Set("Content-Type", "image/png")
		case "/zip":
			w.Header().Set("Content-Type", "application/zip")
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			_, _ = fmt.Fprint(w, "short")
		case "/hang":
			panic(http.ErrAbortHandler)
		case "/500":
			http.Error(w, "MARKED", 500)
		default:
			http.NotFound(w, r)
		}
	})
	for path, says := range map[string]string{"/image": "not text", "/zip": "not text", "/404": "answered 404", "/500": "answered 500", "/cut": "EOF", "/hang": "EOF"} {
		out, err := fetch(f, s.URL+path+"?token=MARKED")
		refused(t, path, out, err, says)
		if err != nil && (strings.Contains(err.Error(), "MARKED") || strings.Contains(err.Error(), "127.0.0.1")) {
			t.Errorf("%s: the error holds the address or the body: %v", path, err)
		}
	}
	s.Close()
	out, err := fetch(f, s.URL)
	refused(t, "closed", out, err, "cannot be reached")
	out, err = fetch(f, "http://name.example/?token=MARKED")
	refused(t, "no such name", out, err, "cannot be resolved")
	if err != nil && (strings.Contains(err.Error(), "MARKED") || strings.Contains(err.Error(), "name.example")) {
		t.Errorf("%v", err)
	}
}

func TestTimeAndCancellation(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s, f := site(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	args := json.RawMessage(`{"url":"` + s.URL + `"}`)
	if _, err := f.Fetch(ctx, args, ""); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("%v", err)
	}
	ctx, cancel = context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	out, err := f.Fetch(ctx, args, "")
	refused(t, "late", out, err, "in time")
}

// Sizes are those of the page unpacked, so that a small answer cannot unfold
// into a huge one.
func TestSizes(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range 5 {
		_, _ = z.Write(chunk)
	}
	_ = z.Close()
	s, f := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		case "/endless":
			for r.Context().Err() == nil {
				_, _ = w.Write(chunk)
			}
		case "/long":
			_, _ = fmt.Fprint(w, strings.Repeat("門", MaxText))
		case "/short":
			_, _ = fmt.Fprint(w, "  a\n\tb <p> c  ")
		case "/markup":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "<p>begins</p><!-- "+strings.Repeat("x", MaxPage)+" --><p>ends</p>")
		}
	})
	for path, says := range map[string]string{"/packed": "more bytes of text]", "/endless": "more bytes of text]", "/long": "more bytes of text]", "/markup": "longer than what is read]"} {
		got, err := fetch(f, s.URL+path)
		if err != nil || len(got) > MaxText || !strings.HasSuffix(got, says) || strings.Contains(got, "\uFFFD") {
			t.Errorf("%s: %d bytes, %v", path, len(got), err)
		}
	}
	if got, err := fetch(f, s.URL+"/short"); err != nil || !strings.HasSuffix(got, "\n\na\n\tb <p> c") {
		t.Errorf("%q %v", got, err)
	}
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	s, f := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/header":
			w.Header().Set("Content-Type", "text/html; charset=gbk")
			_, _ = w.Write([]byte("<p>\xc4\xe3\xba\xc3</p>"))
		case "/meta":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<meta charset=gb2312><p>\xc4\xe3\xba\xc3</p>"))
		case "/broken":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<p>\xff\xfe ok</p>"))
		}
	})
	for path, want := range map[string]string{"/header": "你好", "/meta": "你好", "/broken": " ok"} {
		if got, err := fetch(f, s.URL+path); err != nil || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q %v", path, got, err)
		}
	}
}
