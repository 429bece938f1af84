// Command e2e plays the demo scenario and its harder cousins against a Postern
// that runs somewhere: postern dev, an emulator, LocalStack, a cloud account
// (D10). Only the addresses differ, and how deep it can reach: what cannot be
// done to a deployment from here is printed as left out, with the reason. It
// prints the same JSON steps as the demo and ends with code 0 only if every
// other step was seen.
//
// The three platforms are played here; the deployment's secrets have to name
// this program's address as their API (see infra/emulate).
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/postern-dev/postern/shared/local/scenario"
)

type flags struct {
	dev                                         string
	url, host, platforms, table, key, addresses string
	patience                                    time.Duration
	nap                                         int
	only                                        string
}

func main() {
	var f flags
	flag.StringVar(&f.dev, "dev", "", "a built postern, to be started as postern dev, killed and started again, instead of the flags below")
	flag.StringVar(&f.addresses, "addresses", os.Getenv("POSTERN_ADDRESSES"), "file that says where a deployment is, instead of the flags below")
	flag.StringVar(&f.url, "url", "", "address of the deployment's HTTP entrances")
	flag.StringVar(&f.host, "host", "", "Host header to send, where an emulator tells APIs apart by it")
	flag.StringVar(&f.platforms, "platforms", "", "loopback address on which the platforms are played, where nothing else says")
	flag.StringVar(&f.table, "table", "", "the deployment's table, to mint sign-in links and save the policy (AWS credentials)")
	flag.StringVar(&f.key, "login-key", "", "a sign-in link's key, where there is no table to reach")
	flag.DurationVar(&f.patience, "patience", 60*time.Second, "how long one step may take")
	flag.IntVar(&f.nap, "nap", 3, "seconds that the agent sleeps")
	flag.StringVar(&f.only, "only", "", "of demo, cousins, slow: those to play, by commas; all if empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags) error {
	p, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer p.close()
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	return play(ctx, p.target, f.parts(), func(s scenario.Step) { _ = enc.Encode(s) })
}

func (f flags) parts() []string {
	if f.only == "" {
		return []string{"demo", "cousins", "slow"}
	}
	return strings.Split(f.only, ",")
}

// play begins what takes minutes, plays the rest meanwhile, and sees it end.
func play(ctx context.Context, t scenario.Target, parts []string, report scenario.Report) error {
	var slow *scenario.Slow
	if slices.Contains(parts, "slow") {
		var err error
		if slow, err = scenario.BeginSlow(ctx, t, report); err != nil {
			return err
		}
	}
	if slices.Contains(parts, "demo") {
		if err := scenario.Demo(ctx, t, report); err != nil {
			return err
		}
	}
	if slices.Contains(parts, "cousins") {
		if err := scenario.Cousins(ctx, t, report); err != nil {
			return err
		}
	}
	if slow == nil {
		return nil
	}
	return slow.Finish()
}

// client sends requests with the emulator's Host header, if there is one.
func client(host string) *http.Client {
	c := &http.Client{Timeout: 30 * time.Second}
	if host != "" {
		c.Transport = hosted{host}
	}
	return c
}

type hosted struct{ host string }

func (h hosted) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = h.host
	return http.DefaultTransport.RoundTrip(r)
}
