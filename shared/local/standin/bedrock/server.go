// Package bedrock stands in for Amazon Bedrock's Converse: real HTTP and JSON,
// in memory, with scripted replies and faults on demand. The AWS SDK talks to
// it unmodified; signatures are asked for and not checked.
//
// It refuses what the original refuses. It is for tests and development and
// holds no model.
package bedrock

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/postern-dev/postern/shared/domain/model"
)

// Server is the stand-in, an http.Handler mounted at the endpoint.
type Server struct {
	mu     sync.Mutex
	faults []Fault
	script []model.Reply
	seen   []model.Request
}

// Fault is one thing that goes wrong, instead of a reply.
type Fault struct {
	Status     int
	Code       string        // ThrottlingException and the like
	RetryAfter time.Duration // whole seconds
	Hang       bool          // no answer until the caller gives up
	Cut        bool          // the connection breaks in the middle of the answer
	Malformed  bool          // the answer is no JSON
	Stop       string        // the reply comes, with this reason to stop
}

// New makes a server.
func New() *Server { return &Server{} }

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
	name, ok := strings.CutPrefix(r.URL.EscapedPath(), "/model/")
	name, end := strings.CutSuffix(name, "/converse")
	name, err := url.PathUnescape(name)
	switch {
	case r.Method != http.MethodPost || !ok || !end || err != nil:
		refuse(w, http.StatusNotFound, "UnknownOperationException", "no such address")
		return
	case !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "):
		refuse(w, http.StatusForbidden, "AccessDeniedException", "not signed")
		return
	}
	request, err := read(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "ValidationException", err.Error())
		return
	}
	request.Model = name
	fault, reply := s.next(request)
	switch {
	case fault.Hang:
		<-r.Context().Done()
	case fault.Status != 0:
		if fault.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(fault.RetryAfter/time.Second)))
		}
		refuse(w, fault.Status, fault.Code, "as told")
	default:
		answer(w, reply, fault)
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
		if fault == (Fault{}) {
			s.script = s.script[1:]
		}
	}
	return fault, reply
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-Errortype", code)
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"message": "stand-in: " + message})
}

func answer(w http.ResponseWriter, reply model.Reply, fault Fault) {
	content := []any{}
	if reply.Text != "" {
		content = append(content, map[string]any{"text": reply.Text})
	}
	for _, call := range reply.Calls {
		content = append(content, map[string]any{"toolUse": map[string]any{
			"toolUseId": call.ID, "name": call.Tool, "input": call.Arguments}})
	}
	cached := reply.Input / 2
	raw, _ := json.Marshal(map[string]any{
		"output":     map[string]any{"message": map[string]any{"role": "assistant", "content": content}},
		"stopReason": stop(reply, fault), "metrics": map[string]any{"latencyMs": 1},
		"usage": map[string]any{"inputTokens": reply.Input - cached, "cacheReadInputTokens": cached,
			"outputTokens": reply.Output, "totalTokens": reply.Input + reply.Output}})
	w.Header().Set("Content-Type", "application/json")
	switch {
	case fault.Malformed:
		w.Write(raw[:len(raw)/2])
	case fault.Cut:
		w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
		w.Write(raw[:len(raw)/2])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	default:
		w.Write(raw)
	}
}

func stop(reply model.Reply, fault Fault) string {
	switch {
	case fault.Stop != "":
		return fault.Stop
	case reply.Stop == model.Length:
		return "max_tokens"
	case reply.Stop == model.Filtered:
		return "guardrail_intervened"
	case len(reply.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}
