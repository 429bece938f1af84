package slack

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/slack-go/slack"

	"github.com/postern-dev/postern/shared/domain/delivery"
)

// finals are Slack's codes for what will not succeed however often it is tried:
// the message is gone or closed to edits, the channel or the person is not
// there, or the content is refused (B20, B21). What an operator can mend while
// it waits (a token, a scope, an invitation) is not among them.
var finals = map[string]bool{
	"message_not_found": true, "cant_update_message": true, "edit_window_closed": true,
	"channel_not_found": true, "is_archived": true, "is_inactive": true, "thread_not_found": true,
	"cannot_reply_to_message": true, "user_not_found": true, "user_not_in_channel": true, "users_not_found": true,
	"messages_tab_disabled": true, "channel_type_not_supported": true, "restricted_action_read_only_channel": true,
	"restricted_action_thread_only_channel": true, "restricted_action_non_threadable_channel": true,
	"invalid_blocks": true, "invalid_blocks_format": true, "invalid_arguments": true, "invalid_arg_name": true,
	"msg_too_long": true, "msg_blocks_too_long": true, "no_text": true, "too_many_attachments": true,
}

// outcome makes the one kind of error of what a call gave. An answer without a
// time stamp is no success, whatever it says.
func outcome(ts string, err error) error {
	if err == nil {
		if ts == "" {
			return &delivery.SendError{Code: "unreadable"}
		}
		return nil
	}
	var limited *slack.RateLimitedError
	var refused slack.SlackErrorResponse
	var status slack.StatusCodeError
	var odd *json.SyntaxError
	var oddType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &limited):
		return &delivery.SendError{Code: "ratelimited", RetryAfter: limited.RetryAfter}
	case errors.As(err, &refused):
		code := word(refused.Err)
		return &delivery.SendError{Code: code, Final: finals[code]}
	case errors.As(err, &status) && status.Code == http.StatusTooManyRequests:
		return &delivery.SendError{Code: "ratelimited"}
	case errors.As(err, &status):
		return &delivery.SendError{Code: "http_" + strconv.Itoa(status.Code)}
	case errors.As(err, &odd), errors.As(err, &oddType), errors.Is(err, io.ErrUnexpectedEOF):
		return &delivery.SendError{Code: "unreadable"}
	}
	// The cause without the request it was for.
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return &delivery.SendError{Code: "network", Err: err}
}

// word keeps a platform's code only if it looks like one, since it is shown.
func word(s string) string {
	ok := only(loose(s), func(c byte) bool { return alnum(c) || c == '_' })
	if !ok {
		return "unknown_error"
	}
	return s
}
