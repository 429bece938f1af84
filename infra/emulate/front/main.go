// Command front stands before an emulated deployment on loopback, so that the
// driver finds one address. On AWS nothing stands there.
//
// With -to it passes requests on to the emulated HTTP API. ministack answers
// some paths itself, /login for instance, whatever host is asked for; under the
// path that names the API and its stage it does not.
//
// With -invoke it stands for an HTTP API where the emulator has none: it hands
// each request to its function as the event that an HTTP API would make.
package main

import (
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "loopback address to listen on")
	to := flag.String("to", "", "address of the emulated API, its path included")
	invoke := flag.String("invoke", "", "address of the emulator's Lambda, instead of -to")
	host := flag.String("host", "", "with -invoke: the host name that functions see as theirs")
	names := flag.String("functions", "", "with -invoke: names of the slack, feishu, github and api functions, by commas")
	flag.Parse()
	h, err := handler(*to, *invoke, *host, *names)
	if err != nil {
		log.Fatalf("front: %v", err)
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatalf("front: %v", err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	log.Fatalf("front: %v", server.Serve(l))
}

func handler(to, invoke, host, names string) (http.Handler, error) {
	if invoke != "" {
		return newInvoker(invoke, host, names)
	}
	target, err := url.Parse(to)
	if err != nil || target.Host == "" {
		return nil, errors.New("-to or -invoke says where the deployment is")
	}
	return proxy(target), nil
}

func proxy(target *url.URL) http.Handler {
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
}
