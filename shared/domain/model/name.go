package model

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Names maps tool names to what a provider takes and back: letters, digits,
// "_" and "-", up to a limit. A name that has to change ends in a hash of the
// whole, so that two long names stay two (S12). It depends on the tools alone:
// every call of a session maps alike.
type Names struct {
	limit int
	out   map[string]string
	in    map[string]string
}

// NewNames makes the mapping for tools; limit is the provider's, at least 16.
func NewNames(limit int, tools []Tool) Names {
	n := Names{limit: limit, out: map[string]string{}, in: map[string]string{}}
	for _, tool := range tools { // names that fit keep theirs, whatever the order
		if fits(tool.Name, limit) {
			n.out[tool.Name], n.in[tool.Name] = tool.Name, tool.Name
		}
	}
	for _, tool := range tools {
		if n.out[tool.Name] != "" {
			continue
		}
		salt := tool.Name
		for name := shorten(tool.Name, salt, limit); ; name = shorten(tool.Name, salt, limit) {
			if _, taken := n.in[name]; !taken {
				n.out[tool.Name], n.in[name] = name, tool.Name
				break
			}
			salt += "'" // it is another's, by chance or on purpose
		}
	}
	return n
}

// Out is the provider's name of a tool, also of one that is no longer offered
// and stands in the transcript.
func (n Names) Out(tool string) string {
	if name := n.out[tool]; name != "" {
		return name
	}
	if fits(tool, n.limit) {
		return tool
	}
	return shorten(tool, tool, n.limit)
}

// In is the tool that the provider's name means. A name that was not offered
// stays as it is: the permission function denies what it does not know (P2).
func (n Names) In(name string) string {
	if tool, known := n.in[name]; known {
		return tool
	}
	return name
}

func fits(name string, limit int) bool {
	return name != "" && len(name) <= limit && strings.IndexFunc(name, odd) < 0
}

func odd(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
}

// shorten keeps the head of name and ends it in 8 hex digits of salt's hash.
func shorten(name, salt string, limit int) string {
	sum := sha256.Sum256([]byte(salt))
	tail := "_" + hex.EncodeToString(sum[:4])
	head := strings.Map(func(r rune) rune {
		if odd(r) {
			return '_'
		}
		return r
	}, name)
	if len(head)+len(tail) > limit {
		head = head[:limit-len(tail)]
	}
	return head + tail
}
