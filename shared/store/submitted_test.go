package store

import (
	"encoding/json"
	"testing"
)

// S14: a call is recorded once by its session and key, its arguments byte by
// byte (P25).
func TestSubmitted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := Submitted{ID: "c1", Session: "s1", Tool: "deploy", Digest: "d", Arguments: json.RawMessage(`{"a":"<&>"}`), Outcome: "waiting", Item: "i1", At: now}
	h.wins(NewSubmitted(x))
	h.loses(0, NewSubmitted(x))
	if got := must2(h.Submitted(t.Context(), "s1", "c1"))(t); string(got.Arguments) != `{"a":"<&>"}` || got.Item != "i1" {
		t.Errorf("%+v", got)
	}
	if x, err := h.Submitted(t.Context(), "s2", "c1"); x != nil || err != nil {
		t.Error(x, err)
	}
}
