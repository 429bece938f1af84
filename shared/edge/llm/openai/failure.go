package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/postern-dev/postern/shared/domain/model"
)

// refused is an answer with a status. Of the provider's own words only the code
// is kept: its message may repeat what was said to it (D8).
func refused(res *http.Response) *model.Error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	code := code(body)
	return &model.Error{
		Kind:       kind(res.StatusCode, code),
		RetryAfter: retryAfter(res.Header),
		Err:        fmt.Errorf("openai: status %d %s", res.StatusCode, code),
	}
}

// broken is a call that got no answer, or not all of it.
func broken(ctx context.Context, err error) *model.Error {
	if ended := ctx.Err(); ended != nil {
		return &model.Error{Kind: model.Unavailable, Err: fmt.Errorf("openai: the call was ended: %w", ended)}
	}
	if said, ok := errors.AsType[*ssestream.StreamError](err); ok {
		code := code(said.Event.Data)
		return &model.Error{Kind: kind(0, code), Err: fmt.Errorf("openai: error within the stream %s", code)}
	}
	return &model.Error{Kind: model.Unavailable, Err: fmt.Errorf("openai: not reached or not understood (%T)", err)}
}

func kind(status int, code string) model.Kind {
	switch code {
	case "insufficient_quota", "billing_hard_limit_reached", "content_filter", "content_policy_violation":
		return model.Refused
	case "rate_limit_exceeded", "rate_limit_error":
		return model.Throttled
	case "overloaded", "overloaded_error":
		return model.Overloaded
	}
	switch status {
	case http.StatusTooManyRequests:
		return model.Throttled
	case http.StatusServiceUnavailable, 529:
		return model.Overloaded
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return model.Refused
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return model.Unavailable
	}
	if status >= 400 && status < 500 {
		return model.BadRequest
	}
	return model.Unavailable
}

var codes = regexp.MustCompile(`^[a-z0-9_.-]{1,64}$`)

// code reads error.code or else error.type, and nothing that might be a
// sentence.
func code(body []byte) string {
	var said struct {
		Error struct {
			Code any `json:"code"` // some compatible endpoints send a number
			Type any `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	for _, word := range []any{said.Error.Code, said.Error.Type} {
		if s, ok := word.(string); ok && codes.MatchString(s) {
			return s
		}
	}
	return ""
}

// retryAfter reads how long the provider asks to wait, at most an hour.
func retryAfter(h http.Header) time.Duration {
	wait, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64)
	wait /= 1000
	if err != nil {
		if wait, err = strconv.ParseFloat(h.Get("retry-after"), 64); err != nil {
			return 0
		}
	}
	if !(wait > 0) {
		return 0
	}
	return time.Duration(min(wait, 3600) * float64(time.Second))
}
