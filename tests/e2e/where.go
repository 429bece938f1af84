package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// where is a deployment and the world around it, as infra writes it down.
type where struct {
	Kind      string            `json:"kind"` // ministack, localstack, cloud
	API       string            `json:"api"`
	Host      string            `json:"host"`
	Functions map[string]string `json:"functions"` // logical name to name
	Outputs   map[string]string `json:"outputs"`
	StandIns  struct {
		Slack  string `json:"slack"`
		Feishu string `json:"feishu"`
		GitHub string `json:"github"`
		// All is one address for the three, under /slack, /feishu, /github.
		All string `json:"-"`
	} `json:"stand_ins"`
	Table string `json:"-"`
}

func (f flags) where() (where, error) {
	var at where
	if f.addresses == "" {
		if f.url == "" {
			return at, errors.New("--dev, --url or --addresses says where the deployment is")
		}
		at.API, at.Host, at.Table, at.StandIns.All = f.url, f.host, f.table, f.platforms
		if at.StandIns.All == "" {
			at.StandIns.All = "127.0.0.1:0"
		}
		return at, nil
	}
	raw, err := os.ReadFile(f.addresses)
	if err != nil {
		return at, err
	}
	if err := json.Unmarshal(raw, &at); err != nil {
		return at, fmt.Errorf("%s: %w", f.addresses, err)
	}
	if at.API == "" {
		at.API = at.Outputs["Panel"]
	}
	if at.Table = at.Outputs["TableName"]; at.Table == "" || at.API == "" {
		return at, fmt.Errorf("%s names no api or no output TableName", f.addresses)
	}
	if at.StandIns.Slack == "" {
		at.StandIns.All = f.platforms
	}
	return at, nil
}

// origin is what a browser would say that the panel's pages come from.
func (w where) origin() string {
	if w.Host == "" {
		return w.API
	}
	return "http://" + w.Host
}

// play serves the platforms at their addresses. last is the address of the one
// that was served last: where all are at one, that.
func (w where) play(world *world) (stop func(), last string, err error) {
	var servers []*http.Server
	stop = func() {
		for _, s := range servers {
			_ = s.Close()
		}
	}
	mux := http.NewServeMux()
	world.Routes(mux)
	for _, p := range []struct {
		addr    string
		handler http.Handler
	}{{w.StandIns.All, mux}, {w.StandIns.Slack, world.Slack}, {w.StandIns.Feishu, world.Feishu}, {w.StandIns.GitHub, world.GitHub}} {
		if p.addr == "" {
			continue
		}
		l, err := net.Listen("tcp", p.addr)
		if err != nil {
			stop()
			return nil, "", fmt.Errorf("play a platform: %w", err)
		}
		s := &http.Server{Handler: world.hold.Around(p.handler), ReadHeaderTimeout: 10 * time.Second}
		servers, last = append(servers, s), l.Addr().String()
		go func() { _ = s.Serve(l) }()
	}
	return stop, last, nil
}
