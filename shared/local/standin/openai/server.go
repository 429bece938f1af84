// Package openai stands in for an endpoint of the chat-completions protocol:
// real HTTP, real JSON, real server-sent events, in memory, with scripted
// replies and faults on demand. The official SDK talks to it unmodified.
//
// It checks what it is sent as the original does, so that a request the
// original would refuse is refused here. It is for tests and development: it
// must never be reachable from outside and holds no model.
package openai

import (
	"encoding/json"
	"net/http"
	"strconv"
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
	answer func(model.Request) (model.Reply, error)
	quirks Quirks
	seen   []Seen
}

// Seen is one request that was understood.
type Seen struct {
	Request  model.Request // tool names as the provider got them
	Streamed bool
	Header   http.Header // without the key
	Body     []byte
}

// Quirks are habits of compatible endpoints.
type Quirks struct {
	SameIndex bool // every call of a message has index 0
	NoUsage   bool
	NoDone    bool // the stream just ends after the finish reason
	NoStream  bool // answers a stream's request with plain JSON
}

// New makes a server that takes key as bearer token, or any if key is empty.
func New(key string) *Server { return &Server{key: key} }

// Play adds replies that are given in order, one a request.
func (s *Server) Play(replies ...model.Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, replies...)
}

// Answer says what is replied once the script is used up; an error becomes
// status 500.
func (s *Server) Answer(f func(model.Request) (model.Reply, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// Fail makes the next requests go wrong, one a fault.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Behave sets the quirks from now on.
func (s *Server) Behave(q Quirks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quirks = q
}

// Requests lists what was asked so far, faulty ones included.
func (s *Server) Requests() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Seen(nil), s.seen...)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !endsIn(r.URL.Path, "/chat/completions") {
		refuse(w, http.StatusNotFound, "invalid_request_error", "unknown_url")
		return
	}
	if s.key != "" && r.Header.Get("Authorization") != "Bearer "+s.key {
		refuse(w, http.StatusUnauthorized, "invalid_request_error", "invalid_api_key")
		return
	}
	in, seen, err := read(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	fault, reply, quirks, err := s.next(seen)
	switch {
	case fault.Hang:
		<-r.Context().Done()
	case fault.Status != 0:
		if fault.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(fault.RetryAfter/time.Second)))
		}
		refuse(w, fault.Status, fault.Type, fault.Code)
	case err != nil:
		refuse(w, http.StatusInternalServerError, "server_error", "")
	case in.Stream && !quirks.NoStream:
		stream(w, reply, in.StreamOptions.IncludeUsage, quirks, fault)
	default:
		whole(w, reply)
	}
}

// next notes the request and takes what answers it.
func (s *Server) next(seen Seen) (fault Fault, reply model.Reply, quirks Quirks, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, seen)
	if len(s.faults) > 0 {
		fault, s.faults = s.faults[0], s.faults[1:]
	}
	switch {
	case len(s.script) > 0:
		reply = s.script[0]
		if !fault.instead() {
			s.script = s.script[1:]
		}
	case s.answer != nil:
		reply, err = s.answer(seen.Request)
	default:
		reply = model.Reply{Text: "(stand-in) nothing more in the script", Stop: model.Ended}
	}
	if reply.Model == "" {
		reply.Model = seen.Request.Model
	}
	return fault, reply, s.quirks, err
}

func refuse(w http.ResponseWriter, status int, kind, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"message": "stand-in: " + code, "type": kind, "code": code, "param": nil}})
}
