package slack

import (
	"slices"
	"strings"
)

// may reports whether the bot token has a scope.
func (s *Server) may(scope string) bool {
	return slices.Contains(strings.Split(s.cfg.Scopes, ","), scope)
}

// since lists a channel's messages after a time stamp, newest first. The lock
// is held.
func (s *Server) since(channel, oldest string) []reply {
	out := []reply{}
	for _, m := range slices.Backward(s.messages) {
		if m.Channel == channel && m.To == "" && !m.Deleted && m.TS > oldest {
			out = append(out, s.object(m))
		}
	}
	return out
}
