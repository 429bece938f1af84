package feishu

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	edge "github.com/postern-dev/postern/shared/edge/feishu"
)

// Hook is where the app's webhooks go: events and callbacks alike.
type Hook struct {
	URL    string
	Client *http.Client
}

// maxDeliveries is how many deliveries are kept.
const maxDeliveries = 10_000

// Result is how a delivery was answered.
type Result struct {
	EventID string
	Message string // the message it was about, if any
	Status  int
	Body    []byte
}

// Deliver sends an event of that kind, encrypted and signed at the present
// time, and keeps it for Again.
func (s *Server) Deliver(ctx context.Context, to Hook, kind string, inside any) (Result, error) {
	s.mu.Lock()
	id := s.id("ev_")
	s.mu.Unlock()
	plain, err := json.Marshal(map[string]any{
		"schema": "2.0",
		"header": map[string]any{
			"event_id": id, "event_type": kind, "create_time": strconv.FormatInt(s.now().UnixMilli(), 10),
			"token": s.secrets.VerificationToken, "app_id": s.secrets.AppID, "tenant_key": Tenant,
		},
		"event": inside,
	})
	if err != nil {
		return Result{}, fmt.Errorf("stand-in: make event: %w", err)
	}
	return s.post(ctx, to, id, kind, plain, true)
}

// Again delivers an earlier event once more, as the platform does when it got
// no answer in time: the same content, signed anew.
func (s *Server) Again(ctx context.Context, to Hook, eventID string) (Result, error) {
	for _, d := range s.Deliveries() {
		if d.EventID == eventID {
			return s.post(ctx, to, d.EventID, d.Event, d.plain, true)
		}
	}
	return Result{}, fmt.Errorf("stand-in: no event %s", eventID)
}

// Check makes the URL check, which comes encrypted and without a signature.
func (s *Server) Check(ctx context.Context, to Hook, challenge string) (Result, error) {
	plain, err := json.Marshal(map[string]string{
		"challenge": challenge, "token": s.secrets.VerificationToken, "type": "url_verification",
	})
	if err != nil {
		return Result{}, fmt.Errorf("stand-in: make check: %w", err)
	}
	return s.post(ctx, to, "", "url_verification", plain, false)
}

func (s *Server) post(ctx context.Context, to Hook, id, kind string, plain []byte, signed bool) (Result, error) {
	// The same content gives the same bytes, so that event files can be compared.
	sum := sha256.Sum256(plain)
	body := edge.Encrypt(s.secrets.EncryptKey, plain, [16]byte(sum[:16]))
	header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
	if signed {
		header = edge.Sign(s.secrets.EncryptKey, body, s.now())
	}
	res := Result{EventID: id}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return res, fmt.Errorf("stand-in: deliver %s: %w", kind, err)
	}
	req.Header = header
	resp, err := to.Client.Do(req)
	if err == nil {
		defer resp.Body.Close()
		res.Status = resp.StatusCode
		res.Body, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	}
	s.mu.Lock()
	if len(s.deliveries) == maxDeliveries {
		s.deliveries = s.deliveries[1:]
	}
	s.deliveries = append(s.deliveries, Delivered{EventID: id, Event: kind, Status: res.Status, At: s.now(), plain: plain})
	s.mu.Unlock()
	if err != nil {
		return res, fmt.Errorf("stand-in: deliver %s: %w", kind, err)
	}
	return res, nil
}
