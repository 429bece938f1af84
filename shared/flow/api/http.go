package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/resolve"
	"github.com/postern-dev/postern/shared/store"
)

// MaxBody is the most bytes of a request: arguments are at most 256 KB.
const MaxBody = 512 << 10

// maxTitle is the most bytes of a session's title.
const maxTitle = 200

// Handler is the HTTP API.
type Handler struct {
	Gate     *Gate
	Resolver *resolve.Resolver
	Link     func(item string) string
	// Person tells who a request's signed-in person is, nil for nobody (I13).
	Person func(r *http.Request) (*Person, error)
}

// Person is who signed in.
type Person struct {
	Ref  string // actor ref
	Name string
	Role string
}

type agentFunc func(w http.ResponseWriter, r *http.Request, k store.APIKey) error

// agent admits the holder of an API key and nobody else.
func (h *Handler) agent(f agentFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		k, err := h.key(r)
		if err == nil {
			r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
			err = f(w, r, k)
		}
		if err != nil {
			h.fail(w, r, err)
		}
	}
}

func (h *Handler) key(r *http.Request) (store.APIKey, error) {
	secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || secret == "" {
		return store.APIKey{}, problem(401, "no_key", "send an API key as Authorization: Bearer ...")
	}
	k, err := h.Gate.Store.APIKey(r.Context(), store.HashSecret(secret))
	if err != nil {
		return store.APIKey{}, err
	}
	if k == nil || k.Revoked || (!k.Expires.IsZero() && !k.Expires.After(h.Gate.Now())) {
		return store.APIKey{}, problem(401, "bad_key", "this API key is not known, revoked or expired")
	}
	return *k, nil
}

// inSession admits the key that opened the session.
func (h *Handler) inSession(f func(http.ResponseWriter, *http.Request, session.Session) error) http.HandlerFunc {
	return h.agent(func(w http.ResponseWriter, r *http.Request, k store.APIKey) error {
		id := r.PathValue("session")
		if !known(id) || !known(r.PathValue("call")) {
			return problem(404, "unknown", "this key opened no such session")
		}
		s, err := h.Gate.Store.Session(r.Context(), id)
		if err != nil {
			return err
		}
		if s == nil || !s.Elsewhere || s.Owner != "key:"+k.Name {
			return problem(404, "unknown", "this key opened no such session")
		}
		if s.Deleted {
			return problem(410, "deleted", "the session was deleted")
		}
		return f(w, r, *s)
	})
}

func (h *Handler) open(w http.ResponseWriter, r *http.Request, k store.APIKey) error {
	idem, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	var in Opening
	if err := read(r, &in); err != nil {
		return err
	}
	if len(in.Title) > maxTitle {
		return problem(400, "bad_title", fmt.Sprintf("a title is at most %d bytes", maxTitle))
	}
	s, err := h.Gate.Open(r.Context(), k, idem, in)
	if err != nil {
		return err
	}
	return answer(w, http.StatusCreated, map[string]string{"session": s.ID, "mode": s.Mode, "queue": s.Queue})
}

func (h *Handler) submit(w http.ResponseWriter, r *http.Request, s session.Session) error {
	idem, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	var in Submission
	if err := read(r, &in); err != nil {
		return err
	}
	t, err := h.Gate.Submit(r.Context(), s, idem, in)
	if err != nil {
		return err
	}
	return h.told(w, t)
}

func (h *Handler) lookUp(w http.ResponseWriter, r *http.Request, s session.Session) error {
	t, err := h.Gate.Look(r.Context(), s, r.PathValue("call"))
	if err != nil {
		return err
	}
	return h.told(w, t)
}

func (h *Handler) spendGrant(w http.ResponseWriter, r *http.Request, s session.Session) error {
	idem, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	t, err := h.Gate.Spend(r.Context(), s, r.PathValue("call"), idem)
	if err != nil {
		return err
	}
	return h.told(w, t)
}

func (h *Handler) tellOutcome(w http.ResponseWriter, r *http.Request, s session.Session) error {
	var in Ended
	if err := read(r, &in); err != nil {
		return err
	}
	if err := h.Gate.Outcome(r.Context(), s, r.PathValue("call"), in); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// told answers 200, or 202 with Retry-After while a person is waited for.
func (h *Handler) told(w http.ResponseWriter, t Told) error {
	if t.Item != "" && h.Link != nil {
		t.Link = h.Link(t.Item)
	}
	if t.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(t.RetryAfter))
		return answer(w, http.StatusAccepted, t)
	}
	return answer(w, http.StatusOK, t)
}

func idempotencyKey(r *http.Request) (string, error) {
	k := r.Header.Get("Idempotency-Key")
	if k == "" || len(k) > 200 {
		return "", problem(400, "no_idempotency_key", "every write takes an Idempotency-Key header of 1 to 200 characters")
	}
	return k, nil
}

// read reads a request's one JSON object; fields it does not know are refused.
func read(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there is more after it")
		}
	}
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return problem(413, "too_large", fmt.Sprintf("a request is at most %d bytes", big.Limit))
	case err != nil:
		return problem(400, "bad_request", "the body is not the JSON object expected here: "+err.Error())
	}
	return nil
}

func answer(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(v)
}
