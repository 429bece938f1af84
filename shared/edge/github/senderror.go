package github

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

// ErrNoPrivate is the answer of Tell: on GitHub nothing can be said to one
// person alone.
var ErrNoPrivate error = &delivery.SendError{Code: "no_private", Final: true}

func failure(code string, final bool, cause error) *delivery.SendError {
	return &delivery.SendError{Code: code, Final: final, Err: cause}
}

// unreachable is a call that got no answer. The cause is told without the
// address.
func unreachable(ctx context.Context, err error) *delivery.SendError {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if ctx.Err() != nil {
		return failure("canceled", false, err)
	}
	return failure("network", false, err)
}

// refusal is what an answer other than 2xx means. Nothing of its body is kept.
func (c *Client) refusal(resp *http.Response, body []byte) *delivery.SendError {
	if wait, ok := c.limited(resp, body); ok {
		return &delivery.SendError{Code: "limited", RetryAfter: wait}
	}
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return failure("unauthorized", false, nil) // until somebody sets a good secret
	case http.StatusForbidden:
		return failure("forbidden", true, nil) // locked, or the App may not
	case http.StatusNotFound:
		return failure("not_found", true, nil)
	case http.StatusGone:
		return failure("gone", true, nil)
	case http.StatusUnprocessableEntity:
		return failure("invalid", true, nil)
	}
	return failure("http_"+strconv.Itoa(resp.StatusCode), resp.StatusCode >= 400 && resp.StatusCode < 500 && resp.StatusCode != http.StatusConflict, nil)
}

// limited knows GitHub's two limits, the hourly one and the one on making much
// at once, and says how long to wait.
func (c *Client) limited(resp *http.Response, body []byte) (time.Duration, bool) {
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		return 0, false
	}
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s >= 0 {
		return time.Duration(s) * time.Second, true
	}
	if resp.Header.Get("X-RateLimit-Remaining") == "0" {
		wait := time.Minute
		if reset, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			wait = time.Unix(reset, 0).Sub(c.now())
		}
		return min(max(wait, time.Second), time.Hour), true
	}
	if resp.StatusCode == http.StatusTooManyRequests || bytes.Contains(body, []byte("secondary rate limit")) {
		return time.Minute, true
	}
	return 0, false
}
