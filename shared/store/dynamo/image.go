package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/postern-dev/postern/shared/store/table"
)

// Image reads a row's image as a stream delivers it; no attributes at all is
// no row.
func Image(in map[string]types.AttributeValue) (table.Item, error) { return fromItem(in) }
