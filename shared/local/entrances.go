package local

import (
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/postern-dev/postern/shared/flow/api"
	"github.com/postern-dev/postern/shared/flow/panel"
)

// entrances adds the API and the panel to the webhooks' mux.
func (r *Runtime) entrances(mux *http.ServeMux) error {
	p := &panel.Panel{Store: r.Store, Resolver: r.Resolver, Now: r.Clock.Now, NewID: newID, Secret: rand.Text,
		Log: r.Log.With("function", "api"), Insecure: strings.HasPrefix(r.PublicURL, "http://"), Dev: r.StandIns}
	v1 := http.NewServeMux()
	(&api.Handler{Gate: r.API, Resolver: r.Resolver, Link: r.link, Person: panel.APIPerson(p)}).Routes(v1)
	mux.Handle("/v1/", v1)
	mux.Handle("/", p.Routes())
	r.Panel = p
	r.Handler = mux
	return nil
}
