package bedrock

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/postern-dev/postern/shared/domain/model"
)

// failure says what an error of the SDK means. Of the provider's own words only
// the code is kept: its message may repeat what was said to it (D8).
func failure(ctx context.Context, err error) *model.Error {
	if ended := ctx.Err(); ended != nil {
		return &model.Error{Kind: model.Unavailable, Err: fmt.Errorf("bedrock: the call was ended: %w", ended)}
	}
	status, wait := 0, time.Duration(0)
	if res, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && res.Response != nil {
		status = res.HTTPStatusCode()
		if s, err := strconv.ParseFloat(res.Response.Header.Get("Retry-After"), 64); err == nil && s > 0 {
			wait = time.Duration(min(s, 3600) * float64(time.Second))
		}
	}
	if said, ok := errors.AsType[smithy.APIError](err); ok {
		return &model.Error{Kind: kind(status, said.ErrorCode()), RetryAfter: wait,
			Err: fmt.Errorf("bedrock: status %d %.64s", status, said.ErrorCode())}
	}
	return &model.Error{Kind: kind(status, ""), RetryAfter: wait, Err: fmt.Errorf("bedrock: not reached or not understood (%T)", err)}
}

// kind goes by the code of the error, and by the status where it is unknown.
func kind(status int, code string) model.Kind {
	switch code {
	case "ThrottlingException", "TooManyRequestsException":
		return model.Throttled
	case "ServiceUnavailableException", "ModelNotReadyException":
		return model.Overloaded
	case "AccessDeniedException", "ServiceQuotaExceededException", "UnrecognizedClientException", "ExpiredTokenException":
		return model.Refused
	case "ValidationException", "ResourceNotFoundException":
		return model.BadRequest
	case "ModelTimeoutException", "ModelErrorException", "InternalServerException", "ConflictException":
		return model.Unavailable
	}
	switch {
	case status == http.StatusTooManyRequests:
		return model.Throttled
	case status == http.StatusServiceUnavailable:
		return model.Overloaded
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return model.Refused
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		return model.BadRequest
	}
	return model.Unavailable
}

func unavailable(why string) *model.Error {
	return &model.Error{Kind: model.Unavailable, Err: errors.New("bedrock: " + why)}
}
