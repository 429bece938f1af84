package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/postern-dev/postern/shared/domain/model"
)

// refused is an answer with a status. Of the provider's own words only the type
// is kept: its message may repeat what was said to it (D8).
func refused(res *http.Response) *model.Error {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	code := code(body)
	wait, err := strconv.ParseFloat(res.Header.Get("Retry-After"), 64)
	if err != nil || !(wait > 0) {
		wait = 0
	}
	return &model.Error{
		Kind:       kind(res.StatusCode, code),
		RetryAfter: time.Duration(min(wait, 3600) * float64(time.Second)),
		Err:        fmt.Errorf("anthropic: status %d %s", res.StatusCode, code),
	}
}

// broken is a call that got no answer, or not all of it.
func broken(ctx context.Context, err error) *model.Error {
	if ended := ctx.Err(); ended != nil {
		return &model.Error{Kind: model.Unavailable, Err: fmt.Errorf("anthropic: the call was ended: %w", ended)}
	}
	return unavailable(fmt.Sprintf("not reached or cut off (%T)", err))
}

// kind goes by the type of the error, and by the status where there is none.
func kind(status int, code string) model.Kind {
	switch code {
	case "rate_limit_error":
		return model.Throttled
	case "overloaded_error":
		return model.Overloaded
	case "authentication_error", "permission_error", "billing_error":
		return model.Refused
	case "invalid_request_error", "not_found_error", "request_too_large":
		return model.BadRequest
	case "api_error", "timeout_error":
		return model.Unavailable
	}
	switch {
	case status == http.StatusTooManyRequests:
		return model.Throttled
	case status == http.StatusServiceUnavailable, status == 529:
		return model.Overloaded
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden:
		return model.Refused
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		return model.BadRequest
	}
	return model.Unavailable
}

var codes = regexp.MustCompile(`^[a-z0-9_.-]{1,64}$`)

// code reads error.type, and nothing that might be a sentence.
func code(body []byte) string {
	var said struct {
		Error struct {
			Type string `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil || !codes.MatchString(said.Error.Type) {
		return ""
	}
	return said.Error.Type
}
