package local

import (
	"net/netip"

	"github.com/postern-dev/postern/shared/edge/web"
)

// web wires the tool that reads public pages. Private lets it read this
// machine's own addresses, for tests.
func (r *Runtime) web() error {
	var allow []netip.Prefix
	if r.Private {
		allow = append(allow, netip.MustParsePrefix("127.0.0.0/8"))
	}
	r.Turns.Tools["web_fetch"] = web.New(allow...).Fetch
	return nil
}
