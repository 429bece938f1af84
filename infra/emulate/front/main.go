// Command front stands before the emulated HTTP API on loopback. The emulator
// answers some paths itself, /login for instance, whatever host is asked for;
// under the path that names the API and its stage it does not. A request is
// passed on as it came but for that prefix and its host.
//
// It is part of the emulation only: on AWS nothing stands there.
package main

import (
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
	flag.Parse()
	target, err := url.Parse(*to)
	if err != nil || target.Host == "" {
		log.Fatal("front: -to says where the API is")
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatalf("front: %v", err)
	}
	server := &http.Server{Handler: proxy(target), ReadHeaderTimeout: 10 * time.Second}
	log.Fatalf("front: %v", server.Serve(l))
}

func proxy(target *url.URL) http.Handler {
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
}
