// Package bedrock calls models by Amazon Bedrock's Converse, the default on
// AWS: it needs no key, only the function's role (S11).
//
// It makes one call per Complete and never repeats it. It must not log, keep
// anything between calls, or put a message or the provider's words into an
// error.
package bedrock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/postern-dev/postern/shared/domain/model"
)

// DefaultTimeout is how long one call may take if New is given none.
const DefaultTimeout = 2 * time.Minute

// Client is the part of the SDK's client that is used (D2). Converse needs the
// permission bedrock:InvokeModel.
type Client interface {
	Converse(context.Context, *bedrockruntime.ConverseInput, ...func(*bedrockruntime.Options)) (*bedrockruntime.ConverseOutput, error)
}

// Model fulfils the contract of package model.
type Model struct {
	client  Client
	timeout time.Duration
}

// New makes a Model; a timeout of 0 is DefaultTimeout.
func New(client Client, timeout time.Duration) (*Model, error) {
	if client == nil {
		return nil, errors.New("bedrock: no client given")
	}
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	return &Model{client: client, timeout: timeout}, nil
}

// Timeout is the longest that Complete takes: the turn begins no call with
// less time left (S6).
func (m *Model) Timeout() time.Duration { return m.timeout }

// Complete makes one call. Errors are *model.Error.
func (m *Model) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	names := model.NewNames(nameLimit, model.Offered(r))
	in, err := input(r, names)
	if err != nil {
		return model.Reply{}, &model.Error{Kind: model.BadRequest, Err: fmt.Errorf("bedrock: %w", err)}
	}
	out, err := m.client.Converse(ctx, in, func(o *bedrockruntime.Options) {
		o.Retryer = aws.NopRetryer{} // retries are the turn's (S11)
	})
	if err != nil {
		return model.Reply{}, failure(ctx, err)
	}
	return reply(r, out, names)
}

func reply(r model.Request, out *bedrockruntime.ConverseOutput, names model.Names) (model.Reply, error) {
	said, ok := out.Output.(*types.ConverseOutputMemberMessage)
	if !ok {
		return model.Reply{}, unavailable("answered without a message")
	}
	got := model.Reply{Model: r.Model}
	for _, block := range said.Value.Content {
		switch b := block.(type) {
		case *types.ContentBlockMemberText:
			got.Text += b.Value
		case *types.ContentBlockMemberToolUse:
			arguments := ""
			if b.Value.Input != nil {
				raw, err := b.Value.Input.MarshalSmithyDocument()
				if err != nil {
					return model.Reply{}, unavailable("a call's input cannot be read")
				}
				arguments = string(raw)
			}
			got.Calls = append(got.Calls, model.NewCall(aws.ToString(b.Value.ToolUseId), names.In(aws.ToString(b.Value.Name)), arguments))
		}
	}
	if u := out.Usage; u != nil {
		got.Input = int64(aws.ToInt32(u.InputTokens)) + int64(aws.ToInt32(u.CacheReadInputTokens)) + int64(aws.ToInt32(u.CacheWriteInputTokens))
		got.Output = int64(aws.ToInt32(u.OutputTokens))
	}
	switch out.StopReason {
	case types.StopReasonMaxTokens, types.StopReasonModelContextWindowExceeded:
		got.Stop = model.Length
	case types.StopReasonGuardrailIntervened, types.StopReasonContentFiltered:
		got.Stop = model.Filtered
	case types.StopReasonMalformedModelOutput, types.StopReasonMalformedToolUse:
		return model.Reply{}, unavailable("the model's output was malformed")
	default:
		got.Stop = model.Ended
		if len(got.Calls) > 0 {
			got.Stop = model.Called
		}
	}
	return got, nil
}
