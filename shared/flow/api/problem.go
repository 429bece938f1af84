package api

import (
	"encoding/json"
	"errors"
	"net/http"
)

// Problem is a refusal as RFC 9457 writes it, with a stable code (U10).
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

func problem(status int, code, detail string) *Problem {
	return &Problem{Status: status, Code: code, Title: http.StatusText(status), Detail: detail}
}

// fail answers with a problem: ours as it is, anything else as an internal
// error that tells nothing.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	var p *Problem
	if !errors.As(err, &p) {
		h.Gate.Log.Error("request failed", "path", r.URL.Path, "error", err)
		p = problem(http.StatusInternalServerError, "internal", "something failed here; try again with the same Idempotency-Key")
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}
