package scenario

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Hold stands around a played platform and can hold one of its answers back:
// what was asked is done, and whoever asked waits, until he is let go or dies.
// Safe for concurrent use.
type Hold struct {
	mu   sync.Mutex
	next []*Held
}

// Held is one answer that is or will be held back.
type Held struct {
	path, mark string
	peer       string // address of who waits; set once arrived is closed
	arrived    chan struct{}
	letGo      chan struct{}
}

// Next holds the answer of the next POST whose path ends like this and whose
// body has the mark in it.
func (h *Hold) Next(path, mark string) *Held {
	x := &Held{path: path, mark: mark, arrived: make(chan struct{}), letGo: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next = append(h.next, x)
	return x
}

// Arrived waits until the answer is held, and gives the address of who waits.
func (x *Held) Arrived(ctx context.Context) (peer string, err error) {
	select {
	case <-x.arrived:
		return x.peer, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// LetGo sends the answer. It is called once.
func (x *Held) LetGo() { close(x.letGo) }

// Around holds answers of a handler.
func (h *Hold) Around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2<<20))
		if err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		x := h.take(r, string(body))
		if x == nil {
			next.ServeHTTP(w, r)
			return
		}
		kept := &kept{header: w.Header(), status: http.StatusOK}
		next.ServeHTTP(kept, r)
		x.peer = r.RemoteAddr
		close(x.arrived)
		<-x.letGo
		w.WriteHeader(kept.status)
		_, _ = w.Write(kept.body.Bytes())
	})
}

func (h *Hold) take(r *http.Request, body string) *Held {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, x := range h.next {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, x.path) && strings.Contains(body, x.mark) {
			h.next = append(h.next[:i:i], h.next[i+1:]...)
			return x
		}
	}
	return nil
}

// kept is an answer that is not sent yet.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header         { return k.header }
func (k *kept) WriteHeader(status int)      { k.status = status }
func (k *kept) Write(b []byte) (int, error) { return k.body.Write(b) }
