package permission

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"
)

// MaxArguments is the most bytes of arguments that a call may have (S7).
const MaxArguments = 256 << 10

// MaxDepth is how deep arguments may nest.
const MaxDepth = 64

// Canonical returns the RFC 8785 form of a JSON object and the SHA-256 of that
// form in hex (P25). Two texts of the same value give the same form and digest.
//
// What could mean two things to two readers is an error: keys that come twice,
// invalid UTF-8, lone surrogates, integers that a reader of doubles would round;
// so is what is no object, nests deeper than MaxDepth, or is larger than
// MaxArguments before or after.
func Canonical(raw []byte) (canonical json.RawMessage, digest string, err error) {
	if len(raw) > MaxArguments {
		return nil, "", fmt.Errorf("arguments are %d bytes; at most %d", len(raw), MaxArguments)
	}
	if err := scan(raw); err != nil {
		return nil, "", fmt.Errorf("arguments: %w", err)
	}
	out, err := jcs.Transform(raw)
	if err != nil {
		return nil, "", fmt.Errorf("arguments: %w", err)
	}
	if len(out) == 0 || out[0] != '{' {
		return nil, "", fmt.Errorf("arguments are not a JSON object")
	}
	if len(out) > MaxArguments {
		return nil, "", fmt.Errorf("arguments are %d bytes in canonical form; at most %d", len(out), MaxArguments)
	}
	sum := sha256.Sum256(out)
	return out, hex.EncodeToString(sum[:]), nil
}
