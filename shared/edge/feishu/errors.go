package feishu

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

// noCode stands for an answer that holds no code.
const noCode = -1

// tokenRejected lists the codes of a token that is not valid (any more).
func tokenRejected(code int) bool {
	switch code {
	case 99991663, 99991664, 99991671, 99991661:
		return true
	}
	return false
}

// meaning is what codes mean, in our words: the platform's own message may
// quote what was sent.
var meaning = map[int]string{
	10003:    "app_id or app_secret is wrong",
	10014:    "app_secret is wrong",
	11232:    "too many messages",
	230001:   "a parameter is not valid",
	230002:   "the bot is not in that chat",
	230006:   "the app has no bot; turn the bot on and publish a version",
	230011:   "the message was recalled",
	230013:   "the bot is not available to that person",
	230017:   "the bot does not own that resource",
	230018:   "the chat does not let the bot speak",
	230019:   "the topic is gone",
	230020:   "too many messages in that chat",
	230022:   "the content is not allowed by the tenant's rules",
	230025:   "the message is too long",
	230027:   "the app lacks a permission; see infra/feishu/checklist.md",
	230031:   "the message is older than 14 days and cannot be changed any more",
	230049:   "the message is still being sent",
	230054:   "that kind of message cannot be changed",
	230071:   "that group has no topics",
	230099:   "the card was rejected",
	230110:   "the message was deleted",
	99991400: "too many calls",
	99991661: "no token",
	99991663: "the token is not valid",
	99991664: "the token is not valid",
	99991671: "the token is not valid",
	99991672: "the app lacks a permission; see infra/feishu/checklist.md",
	99992354: "the message id is not one",
}

// limited are codes of a limit on calls.
func limited(status, code int) bool {
	return status == http.StatusTooManyRequests || code == 99991400 || code == 230020 || code == 11232
}

// mendable are refusals that the operators can mend (credentials, permissions)
// or that pass: worth a later retry although the platform says 400.
func mendable(code int) bool {
	switch code {
	case 10003, 10014, 99991672, 230006, 230027, 230049:
		return true
	}
	return tokenRejected(code)
}

// answerError makes the error of an answer. Final is what the platform refuses
// for good: a recalled or expired message, a bad id, a rejected card (B35,
// B42). Limits, the platform's own faults, and codes that come with HTTP 200
// and are not known are worth a retry.
func answerError(op string, status int, h http.Header, code int) *delivery.SendError {
	e := &delivery.SendError{Code: strconv.Itoa(code)}
	words := meaning[code]
	switch {
	case limited(status, code):
		e.RetryAfter = wait(h)
	case code == noCode:
		e.Code, words = "unreadable", "the answer is not understood"
	case mendable(code):
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooEarly:
		e.Final = true
	case status < 400 && words != "":
		e.Final = true
	}
	if code == noCode && e.RetryAfter > 0 {
		e.Code = "limited"
	}
	if words == "" {
		words = "refused"
	}
	if id := logID(h); id != "" {
		words += ", log id " + id
	}
	e.Err = fmt.Errorf("feishu: %s: HTTP %d: %s", op, status, words)
	return e
}

// callError is a call that got no answer. Whether it took effect is not known.
func callError(ctx context.Context, op string, err error) *delivery.SendError {
	code := "network"
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		code = "canceled"
	}
	return &delivery.SendError{Code: code, Err: fmt.Errorf("feishu: %s: %w", op, err)}
}

// refuse is a call that is not made, since it cannot succeed.
func refuse(op, code, words string) *delivery.SendError {
	return &delivery.SendError{Code: code, Final: true, Err: fmt.Errorf("feishu: %s: %s", op, words)}
}

// wait reads how long a limit lasts; at least a second.
func wait(h http.Header) time.Duration {
	for _, name := range []string{"X-Ogw-Ratelimit-Reset", "Retry-After"} {
		if n, err := strconv.Atoi(h.Get(name)); err == nil && n > 0 && n <= 3600 {
			return time.Duration(n) * time.Second
		}
	}
	return time.Second
}

// logID is what the platform's support asks for; letters and digits only.
func logID(h http.Header) string {
	id := h.Get("X-Tt-Logid")
	if !isID(id, "") {
		return ""
	}
	return id
}
