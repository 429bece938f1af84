package slack

import (
	"net/http"
	"strconv"
)

// Fault is something that goes wrong with one call.
type Fault struct {
	// Error is answered instead of doing it, as Slack's code: message_not_found,
	// expired_trigger_id, ratelimited.
	Error string
	// Status is the HTTP status, 200 if zero. Without Error the body is HTML, as
	// of a gateway.
	Status int
	// RetryAfter is sent as the header of that name, in seconds, if above zero.
	RetryAfter int
	// Lost does what was asked and then drops the connection, so that the caller
	// cannot know: a time-out after having posted.
	Lost bool
}

// Limited is Slack's answer to too many calls.
func Limited(seconds int) Fault {
	return Fault{Status: http.StatusTooManyRequests, Error: "ratelimited", RetryAfter: seconds}
}

type queued struct {
	method string
	fault  Fault
}

// Fail makes the next call of a method fail, one fault per call in the order
// given. An empty method means the next call of any.
func (s *Server) Fail(method string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		s.faults = append(s.faults, queued{method, f})
	}
}

// take gives the fault meant for this call. The lock is held.
func (s *Server) take(method string) (Fault, bool) {
	for i, q := range s.faults {
		if q.method == "" || q.method == method {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
			return q.fault, true
		}
	}
	return Fault{}, false
}

// write answers with a fault that is not Lost.
func (f Fault) write(w http.ResponseWriter) {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	status := f.Status
	if status == 0 {
		status = http.StatusOK
	}
	if f.Error == "" {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = w.Write([]byte("<html>upstream error</html>"))
		return
	}
	answer(w, status, reply{"ok": false, "error": f.Error})
}
