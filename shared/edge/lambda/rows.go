package lambda

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Row is called for each change of the table. Its error is logged and fails
// nothing: a row that cannot be moved now stays open for the reconciler (D5).
type Row func(ctx context.Context, c Change) error

// Change is one record of the stream.
type Change struct {
	Kind     string // INSERT, MODIFY or REMOVE
	Sequence string
	Keys     map[string]types.AttributeValue
	New      map[string]types.AttributeValue // nil after REMOVE
	Old      map[string]types.AttributeValue // nil after INSERT
	Expired  bool                            // REMOVE: by the table's TTL, not by us
}

// change is one record of a stream.
type change struct {
	Name     string `json:"eventName"`
	DynamoDB struct {
		Keys     json.RawMessage `json:"Keys"`
		New      json.RawMessage `json:"NewImage"`
		Old      json.RawMessage `json:"OldImage"`
		Sequence string          `json:"SequenceNumber"`
	} `json:"dynamodb"`
	UserIdentity struct {
		PrincipalID string `json:"principalId"`
	} `json:"userIdentity"`
}

// rows handles a batch in order. It reports no failure, ever: one row that
// cannot be moved must not keep others back.
func (h Handler) rows(ctx context.Context, records []record) batch {
	for _, r := range records {
		err := h.guard(ctx, func() error {
			c, err := r.change.read()
			if err != nil {
				return err
			}
			return h.Row(ctx, c)
		})
		if err != nil {
			h.log().ErrorContext(ctx, "row not moved", "sequence", r.DynamoDB.Sequence, "error", err)
		}
	}
	return batch{Failures: []failure{}}
}

func (c change) read() (Change, error) {
	out := Change{Kind: c.Name, Sequence: c.DynamoDB.Sequence,
		Expired: c.Name == "REMOVE" && c.UserIdentity.PrincipalID == "dynamodb.amazonaws.com"}
	for _, part := range []struct {
		raw  json.RawMessage
		into *map[string]types.AttributeValue
	}{{c.DynamoDB.Keys, &out.Keys}, {c.DynamoDB.New, &out.New}, {c.DynamoDB.Old, &out.Old}} {
		if len(part.raw) == 0 || string(part.raw) == "null" {
			continue
		}
		values, err := attributevalue.UnmarshalMapJSON(part.raw)
		if err != nil {
			return out, fmt.Errorf("the image cannot be read (%T)", err)
		}
		*part.into = values
	}
	return out, nil
}
