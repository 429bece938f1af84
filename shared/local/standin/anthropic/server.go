// Package anthropic stands in for Anthropic's Messages API: real HTTP, real
// JSON, real server-sent events, in memory, with scripted replies and faults on
// demand. The official SDK talks to it unmodified.
//
// It refuses what the original refuses. It is for tests and development and
// holds no model.
package anthropic

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/postern-dev/postern/shared/domain/model"
)

// Server is the stand-in, an http.Handler mounted at the base URL.
type Server struct {
	key string

	mu     sync.Mutex
	faults []Fault
	script []model.Reply
	seen   []model.Request
}

// Fault is one thing that goes wrong, instead of a reply.
type Fault struct {
	Status     int
	Type       string        // of the error
	RetryAfter time.Duration // whole seconds
	Hang       bool          // no answer until the caller gives up

	// The rest spoils the stream, after so many events.
	After     int
	Cut       bool // the connection breaks
	Close     bool // the response ends in good order, and too early
	Malformed bool
	InStream  string // an error event of this type
}

func (f Fault) none() bool { return f == Fault{} }

// New makes a server that takes key.
func New(key string) *Server { return &Server{key: key} }

// Play adds replies that are given in order, one a request.
func (s *Server) Play(replies ...model.Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, replies...)
}

// Fail makes the next requests go wrong, one a fault.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Requests lists what was asked and understood so far.
func (s *Server) Requests() []model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]model.Request(nil), s.seen...)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/v1/messages"):
		refuse(w, http.StatusNotFound, "not_found_error", "no such address")
		return
	case r.Header.Get("X-Api-Key") != s.key:
		refuse(w, http.StatusUnauthorized, "authentication_error", "invalid x-api-key")
		return
	case r.Header.Get("Anthropic-Version") == "":
		refuse(w, http.StatusBadRequest, "invalid_request_error", "anthropic-version: header is required")
		return
	}
	request, streamed, err := read(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	fault, reply := s.next(request)
	switch {
	case fault.Hang:
		<-r.Context().Done()
	case fault.Status != 0:
		if fault.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(fault.RetryAfter/time.Second)))
		}
		refuse(w, fault.Status, fault.Type, "as told")
	case streamed:
		stream(w, reply, fault)
	default:
		whole(w, reply)
	}
}

// next notes the request and takes what answers it. A reply that a fault
// spoils stays for the next request.
func (s *Server) next(request model.Request) (fault Fault, reply model.Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, request)
	if len(s.faults) > 0 {
		fault, s.faults = s.faults[0], s.faults[1:]
	}
	reply = model.Reply{Text: "(stand-in) nothing more in the script"}
	if len(s.script) > 0 {
		reply = s.script[0]
		if fault.none() {
			s.script = s.script[1:]
		}
	}
	if reply.Model == "" {
		reply.Model = request.Model
	}
	return fault, reply
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{
		"type": kind, "message": "stand-in: " + message}})
}
