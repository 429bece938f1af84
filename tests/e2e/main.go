// Command e2e plays the demo scenario and its harder cousins against a Postern
// that runs somewhere: postern dev, an emulator, LocalStack, a cloud account
// (D10). Only the addresses differ. It prints the same JSON steps as the demo
// and ends with code 0 only if every step was seen.
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
	"syscall"
	"time"

	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/scenario"
)

type flags struct {
	url, host, platforms, table, key, addresses string
	patience                                    time.Duration
	nap                                         int
	only                                        string
}

func main() {
	var f flags
	flag.StringVar(&f.addresses, "addresses", os.Getenv("POSTERN_ADDRESSES"), "file that says where a deployment is, instead of the flags below")
	flag.StringVar(&f.url, "url", "", "address of the deployment's HTTP entrances")
	flag.StringVar(&f.host, "host", "", "Host header to send, where an emulator tells APIs apart by it")
	flag.StringVar(&f.platforms, "platforms", "127.0.0.1:0", "loopback address on which the platforms are played")
	flag.StringVar(&f.table, "table", "", "the deployment's table, to mint sign-in links and save the policy (AWS credentials)")
	flag.StringVar(&f.key, "login-key", "", "a sign-in link's key, where there is no table to reach")
	flag.DurationVar(&f.patience, "patience", 60*time.Second, "how long one step may take")
	flag.IntVar(&f.nap, "nap", 3, "seconds that the agent sleeps")
	flag.StringVar(&f.only, "only", "", "demo or cousins; both if empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags) error {
	at, err := f.where()
	if err != nil {
		return err
	}
	world := local.NewWorld(func() time.Time { return time.Now().UTC() })
	stop, err := at.play(world)
	if err != nil {
		return err
	}
	defer stop()
	door, err := openDoor(ctx, at.Table, f.key)
	if err != nil {
		return err
	}
	t := scenario.Target{URL: at.API, Client: client(at.Host), Origin: at.origin(), Slack: world.Slack, Feishu: world.Feishu, GitHub: world.GitHub,
		SignIn: door.login, Patience: f.patience, Nap: f.nap}
	enc := json.NewEncoder(os.Stdout)
	report := func(s scenario.Step) { _ = enc.Encode(s) }
	if f.only != "cousins" {
		if err := scenario.Demo(ctx, t, report); err != nil {
			return err
		}
	}
	if f.only != "demo" {
		return scenario.Cousins(ctx, t, report)
	}
	return nil
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
