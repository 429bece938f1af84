package github

import (
	"net/http"
	"strconv"
)

// Fault is something that goes wrong with one call.
type Fault struct {
	// Status is answered instead of doing it.
	Status int
	// Message is GitHub's word for it in the answer's JSON. Without one the body
	// is HTML, as of a gateway.
	Message string
	// RetryAfter is sent as the header of that name, in seconds, if above zero.
	RetryAfter int
	// Reset is sent as the end of the hourly limit, in Unix seconds, if above
	// zero, with nothing remaining.
	Reset int64
	// Lost does what was asked and then drops the connection, so that the caller
	// cannot know: a time-out after having posted.
	Lost bool
}

// Limited is GitHub's answer to making too much at once.
func Limited(seconds int) Fault {
	return Fault{Status: http.StatusForbidden, Message: "You have exceeded a secondary rate limit.", RetryAfter: seconds}
}

type queued struct {
	operation string
	fault     Fault
}

// Fail makes the next call of an operation fail, one fault per call in the
// order given. An empty operation means the next call of any.
func (s *Server) Fail(operation string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		s.faults = append(s.faults, queued{operation, f})
	}
}

// take gives the fault meant for this call. The lock is held.
func (s *Server) take(operation string) (Fault, bool) {
	for i, q := range s.faults {
		if q.operation == "" || q.operation == operation {
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
	if f.Reset > 0 {
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(f.Reset, 10))
	}
	if f.Message == "" {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Status)
		_, _ = w.Write([]byte("<html>upstream error</html>"))
		return
	}
	write(w, result{f.Status, object{"message": f.Message}, ""})
}
