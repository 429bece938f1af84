package scenario

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// A held answer is one whose deed is done and whose asker still waits; the
// others are not held up, and each is held once.
func TestHold(t *testing.T) {
	t.Parallel()
	var done atomic.Int32
	var h Hold
	s := httptest.NewServer(h.Around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		done.Add(1)
		w.Header().Set("X-Seen", string(body))
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte("made"))
	})))
	t.Cleanup(s.Close)
	post := func(path, body string) *http.Response {
		resp, err := http.Post(s.URL+path, "text/plain", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return nil
		}
		return resp
	}
	held := h.Next("/comments", "mark")
	got := make(chan *http.Response, 1)
	go func() { got <- post("/issues/1/comments", "with the mark in it") }()
	peer, err := held.Arrived(t.Context())
	if err != nil || !strings.HasPrefix(peer, "127.0.0.1:") || done.Load() != 1 {
		t.Fatalf("peer %q, %v, done %d", peer, err, done.Load())
	}
	for _, other := range []string{"/issues/1", "/issues/1/comments"} {
		if resp := post(other, "with the mark in it"); resp == nil || resp.StatusCode != http.StatusCreated || resp.Body.Close() != nil {
			t.Errorf("%s was held up too", other)
		}
	}
	select {
	case <-got:
		t.Fatal("it was not held")
	default:
	}
	held.LetGo()
	resp := <-got
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusCreated || string(body) != "made" || resp.Header.Get("X-Seen") != "with the mark in it" {
		t.Errorf("%d %q %v", resp.StatusCode, body, err)
	}
}

// What cannot be played is a step that is left out, with the reason, and never
// one that was seen.
func TestSlow_LeftOut(t *testing.T) {
	t.Parallel()
	var steps []Step
	s, err := BeginSlow(t.Context(), Target{Levers: Levers{Without: "nothing reaches there"}}, func(s Step) { steps = append(steps, s) })
	if err == nil {
		err = s.Finish()
	}
	if err != nil || len(steps) != 9 {
		t.Fatalf("%v: %+v", err, steps)
	}
	for _, x := range steps[:8] {
		if x.OK || x.LeftOut != "nothing reaches there" {
			t.Errorf("%+v", x)
		}
	}
	if last := steps[8]; last.Step != "done" || !last.OK || last.What != "8 steps were left out" {
		t.Errorf("%+v", last)
	}
}
