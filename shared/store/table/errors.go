package table

import "errors"

// ErrInvalid marks a request that no engine would take: too many actions, too
// many bytes, one key twice, a malformed number, a token used again for
// something else. Nothing was written. Sending it again gives the same answer.
var ErrInvalid = errors.New("invalid table request")
