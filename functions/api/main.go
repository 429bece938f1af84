// Command api is the panel and the HTTP API.
package main

import (
	"crypto/rand"
	"net/http"

	"github.com/postern-dev/postern/functions/wire"
	"github.com/postern-dev/postern/shared/edge/lambda"
	"github.com/postern-dev/postern/shared/flow/api"
	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/flow/resolve"
)

func main() {
	b, err := wire.Start("api", Calls)
	wire.Must(err)
	lambda.Start(lambda.Handler{HTTP: handler(b), Log: b.Log})
}

func handler(b *wire.Base) http.Handler {
	public := wire.NewPublic(b.PublicURL)
	resolver := &resolve.Resolver{Store: b.Store, Now: wire.Now, NewID: wire.NewID}
	p := &panel.Panel{Store: b.Store, Resolver: resolver, Now: wire.Now, NewID: wire.NewID, Secret: rand.Text, Log: b.Log,
		Insecure: public.Loopback()}
	v1 := http.NewServeMux()
	(&api.Handler{Gate: &api.Gate{Store: b.Store, Now: wire.Now, NewID: wire.NewID, Log: b.Log, Count: b.Count},
		Resolver: resolver, Link: public.Item, Person: panel.APIPerson(p)}).Routes(v1)
	mux := http.NewServeMux()
	mux.Handle("/v1/", v1)
	mux.Handle("/", p.Routes())
	return public.Learn(mux)
}
