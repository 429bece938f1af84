package github

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	edge "github.com/postern-dev/postern/shared/edge/github"
)

// Hook is where our side receives GitHub's webhooks.
type Hook struct {
	URL    string
	Client *http.Client
}

// Answer is how our side answered one webhook.
type Answer struct {
	Event  string
	GUID   string
	Status int
	Body   []byte
}

// sent is one try to deliver, as GitHub lists it.
type sent struct {
	id          int64
	guid, event string
	status      int
	at          time.Time
	again       bool
	to          Hook
	body        []byte
}

// Deliver signs and sends a webhook's body as it is. GitHub never sends again
// by itself what fails.
func (s *Server) Deliver(ctx context.Context, to Hook, event string, body []byte) (Answer, error) {
	s.mu.Lock()
	s.seq++
	guid := fmt.Sprintf("00000000-0000-4000-8000-%012d", s.seq)
	s.mu.Unlock()
	return s.try(ctx, sent{guid: guid, event: event, to: to, body: body})
}

// Again sends a delivery once more, with the same id.
func (s *Server) Again(ctx context.Context, guid string) (Answer, error) {
	s.mu.Lock()
	i := slices.IndexFunc(s.deliveries, func(d *sent) bool { return d.guid == guid })
	if i < 0 {
		s.mu.Unlock()
		return Answer{}, fmt.Errorf("github stand-in: again: no delivery %s", guid)
	}
	d := *s.deliveries[i]
	s.mu.Unlock()
	d.again = true
	return s.try(ctx, d)
}

func (s *Server) try(ctx context.Context, d sent) (Answer, error) {
	a := Answer{Event: d.event, GUID: d.guid}
	status, body, err := s.send(ctx, d)
	a.Status, a.Body = status, body
	s.mu.Lock()
	defer s.mu.Unlock()
	d.id, d.status, d.at = s.id(), status, s.now()
	s.deliveries = append(s.deliveries, &d)
	return a, err
}

func (s *Server) send(ctx context.Context, d sent) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.to.URL, bytes.NewReader(d.body))
	if err != nil {
		return 0, nil, fmt.Errorf("github stand-in: deliver: %w", err)
	}
	req.Header = edge.Sign(s.cfg.WebhookSecret, d.body, d.event, d.guid)
	resp, err := d.to.Client.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("github stand-in: deliver: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, body, err
}

// listDeliveries is newest first, page by page from a cursor.
func (s *Server) listDeliveries(req request) result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.repo != nil && (req.repo.Hook == 0 || req.repo.Hook != req.id) {
		return notFound
	}
	before, err := strconv.ParseInt(req.URL.Query().Get("cursor"), 10, 64)
	if err != nil {
		before = 1 << 62
	}
	page := []any{}
	for i := len(s.deliveries) - 1; i >= 0; i-- {
		d := s.deliveries[i]
		if d.id >= before {
			continue
		}
		if len(page) == perPage(req.Request) {
			return result{http.StatusOK, page, nextPage(req.Request, "cursor", strconv.FormatInt(s.deliveries[i+1].id, 10))}
		}
		status := "OK"
		if d.status < 200 || d.status > 299 {
			status = "Invalid HTTP Response: " + strconv.Itoa(d.status)
		}
		page = append(page, object{
			"id": d.id, "guid": d.guid, "event": d.event, "status_code": d.status, "status": status,
			"delivered_at": stamp(d.at), "redelivery": d.again, "duration": 0.1,
		})
	}
	return result{http.StatusOK, page, ""}
}

// redeliver sends again before it answers; GitHub does so soon after.
func (s *Server) redeliver(req request) result {
	s.mu.Lock()
	i := slices.IndexFunc(s.deliveries, func(d *sent) bool { return d.id == req.sub })
	if i < 0 || req.repo != nil && req.repo.Hook != req.id {
		s.mu.Unlock()
		return notFound
	}
	guid := s.deliveries[i].guid
	s.mu.Unlock()
	_, _ = s.Again(req.Context(), guid)
	return result{http.StatusAccepted, object{}, ""}
}

func encode(v object) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only values of ours, which all encode
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
