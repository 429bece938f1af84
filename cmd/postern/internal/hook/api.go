package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// API is the gate of a Postern for agents elsewhere (S14).
type API struct {
	URL  string
	Key  string
	HTTP *http.Client
	// Again is how long to wait before a failed request is sent again; one
	// entry for each try after the first.
	Again []time.Duration
}

// Told is what Postern says of a call; the fields that a hook needs.
type Told struct {
	Call       string `json:"call"`
	Decision   string `json:"decision"` // allow, deny, waiting
	Reason     string `json:"reason"`
	Item       string `json:"item"`
	Link       string `json:"link"`
	Grant      string `json:"grant"`
	RetryAfter int    `json:"retry_after"`

	Arguments json.RawMessage `json:"arguments"` // what a person approved
}

// Refused is Postern's own no to a request.
type Refused struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func (r *Refused) Error() string { return r.Code + ": " + r.Detail }

// Words says what to do about it.
func (r *Refused) Words() string {
	switch r.Code {
	case "no_key", "bad_key":
		return "Postern does not take this API key: " + r.Detail + ". Make one with postern keys create and set POSTERN_KEY."
	case "deleted":
		return "The session was deleted in Postern, so its agent may do nothing more."
	}
	return "Postern refused the request: " + r.Detail + " (" + r.Code + ")"
}

// Check says what is wrong with address and key before anything is sent. The
// key goes over plain HTTP to this machine only.
func (a API) Check() error {
	u, err := url.Parse(a.URL)
	switch {
	case a.URL == "" || err != nil || u.Host == "":
		return errors.New("set POSTERN_URL to Postern's address, such as http://127.0.0.1:7171")
	case u.Scheme != "https" && (u.Scheme != "http" || !here(u.Hostname())):
		return errors.New("POSTERN_URL must begin with https://, unless it is an address of this machine")
	case a.Key == "":
		return errors.New("set POSTERN_KEY to an API key; postern keys create makes one")
	}
	return nil
}

func here(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (h *Hook) open(ctx context.Context, in Input) (string, error) {
	var out struct {
		Session string `json:"session"`
	}
	opening := map[string]any{"title": h.title(in), "mode": h.Mode, "queue": h.Queue}
	if in.Dir != "" {
		opening["roots"] = []string{in.Dir} // the folder that the agent was started in
	}
	err := h.send(ctx, http.MethodPost, "/v1/sessions", name("session", in.Session), opening, &out)
	if err == nil && out.Session == "" {
		err = errors.New("its answer names no session")
	}
	return out.Session, err
}

func (h *Hook) submit(ctx context.Context, session, idem string, in Input) (t Told, err error) {
	return t, h.send(ctx, http.MethodPost, calls(session), idem, map[string]any{"tool": in.Tool, "arguments": in.Args}, &t)
}

func (h *Hook) look(ctx context.Context, session, call string) (t Told, err error) {
	return t, h.send(ctx, http.MethodGet, calls(session)+"/"+url.PathEscape(call), "", nil, &t)
}

func (h *Hook) spend(ctx context.Context, session, call, idem string) (t Told, err error) {
	return t, h.send(ctx, http.MethodPost, calls(session)+"/"+url.PathEscape(call)+"/spend", idem, struct{}{}, &t)
}

func calls(session string) string { return "/v1/sessions/" + url.PathEscape(session) + "/calls" }

// send makes one request, again where it failed on the way: the idempotency
// key makes it the same one.
func (h *Hook) send(ctx context.Context, method, path, idem string, in, out any) error {
	for n := 0; ; n++ {
		err := h.once(ctx, method, path, idem, in, out)
		var no *Refused
		if err == nil || errors.As(err, &no) || n >= len(h.Again) || ctx.Err() != nil {
			return err
		}
		if h.Sleep(ctx, h.Again[n]) != nil {
			return err
		}
	}
}

func (a API) once(ctx context.Context, method, path, idem string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return &Refused{Code: "bad_call", Detail: "the call's arguments are not JSON"}
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(a.URL, "/")+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.Key)
	req.Header.Set("Content-Type", "application/json")
	if idem != "" {
		req.Header.Set("Idempotency-Key", idem)
	}
	resp, err := a.HTTP.Do(req)
	if err != nil {
		var cause *url.Error
		if errors.As(err, &cause) {
			err = cause.Err // without the address, which says no more than is known
		}
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 2<<20))
	if err != nil {
		return err
	}
	return a.answer(resp, text, out)
}

// answer reads what came back: Postern's answer, its no, or something that is
// not Postern's at all.
func (a API) answer(resp *http.Response, text []byte, out any) error {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	switch {
	case resp.StatusCode/100 == 2 && kind == "application/json":
		if json.Unmarshal(text, out) != nil {
			return errors.New("its answer is not the JSON that was expected")
		}
		return nil
	case resp.StatusCode/100 == 4 && resp.StatusCode != http.StatusTooManyRequests && kind == "application/problem+json":
		r := &Refused{Status: resp.StatusCode}
		if json.Unmarshal(text, r) == nil && r.Code != "" {
			return r
		}
	}
	return fmt.Errorf("it was answered %d", resp.StatusCode)
}
