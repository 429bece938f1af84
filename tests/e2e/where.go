package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/postern-dev/postern/shared/local"
)

// where is a deployment and the world around it, as infra writes it down.
type where struct {
	API      string            `json:"api"`
	Host     string            `json:"host"`
	Outputs  map[string]string `json:"outputs"`
	StandIns struct {
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
			return at, errors.New("--url or --addresses says where the deployment is")
		}
		at.API, at.Host, at.Table, at.StandIns.All = f.url, f.host, f.table, f.platforms
		return at, nil
	}
	raw, err := os.ReadFile(f.addresses)
	if err != nil {
		return at, err
	}
	if err := json.Unmarshal(raw, &at); err != nil {
		return at, fmt.Errorf("%s: %w", f.addresses, err)
	}
	if at.Table = at.Outputs["TableName"]; at.Table == "" || at.API == "" {
		return at, fmt.Errorf("%s names no api or no output TableNameName", f.addresses)
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

// play serves the platforms at their addresses.
func (w where) play(world *local.World) (stop func(), err error) {
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
			return nil, fmt.Errorf("play a platform: %w", err)
		}
		s := &http.Server{Handler: p.handler, ReadHeaderTimeout: 10 * time.Second}
		servers = append(servers, s)
		go func() { _ = s.Serve(l) }()
	}
	return stop, nil
}
