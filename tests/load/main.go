package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

// plan is what is to be sent.
type plan struct {
	rates  []int // webhooks a second
	each   time.Duration
	drain  time.Duration // how long a step may take to judge what it accepted
	at     string        // file that says where a deployment is; empty starts an embedded one
	svg    string
	asJSON bool
}

// Rates that go from ease to more than can be judged at once.
const (
	fast = "25,50,100,200,400,800"
	slow = "2,5,10,20,40"
)

func main() {
	var p plan
	rates := flag.String("rates", "", "webhooks a second, one step after the other (default: "+slow+" to a deployment, "+fast+" to an embedded one)")
	seconds := flag.Int("seconds", 5, "how long a step sends")
	drain := flag.Duration("drain", 2*time.Minute, "how long a step may take to judge what it accepted")
	flag.StringVar(&p.at, "addresses", os.Getenv("POSTERN_ADDRESSES"), "file that says where a deployment is (infra/emulate); empty starts an embedded one")
	flag.StringVar(&p.svg, "svg", "", "file to draw into; empty draws nothing")
	flag.BoolVar(&p.asJSON, "json", false, "one JSON object a step")
	flag.Parse()
	p.each, p.drain = time.Duration(*seconds)*time.Second, *drain
	if *rates == "" {
		*rates = fast
		if p.at != "" {
			*rates = slow
		}
	}
	for _, r := range strings.Split(*rates, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(r))
		if err != nil || n < 1 || n > 5000 || *seconds < 1 || *seconds > 60 {
			fmt.Fprintln(os.Stderr, "load: -rates are numbers from 1 to 5000, -seconds 1 to 60")
			os.Exit(2)
		}
		p.rates = append(p.rates, n)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := load(ctx, p, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func (p plan) target(ctx context.Context) (*target, error) {
	if p.at == "" {
		return embedded()
	}
	return deployed(ctx, p.at)
}

// errLost is the one thing that must never be: accepted and not judged.
var errLost = errors.New("a webhook that was answered with 200 was never judged")

// load runs the steps, prints each and draws the curve.
func load(ctx context.Context, p plan, out io.Writer) error {
	t, err := p.target(ctx)
	if err != nil {
		return err
	}
	defer t.close()
	var all []step
	if !p.asJSON {
		fmt.Fprintf(out, "%8s %8s %8s %8s | %10s %10s | %10s %10s | %8s\n", "a second", "sent", "200", "refused", "ack p50", "ack p99", "judged p50", "judged p99", "drained")
	}
	for _, rate := range p.rates {
		s, err := t.step(ctx, rate, p.each, p.drain)
		if err != nil {
			return err
		}
		all = append(all, s)
		if p.asJSON {
			if err := json.NewEncoder(out).Encode(s); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(out, "%8d %8d %8d %8d | %8.1fms %8.1fms | %8.1fms %8.1fms | %7.1fs\n", s.Rate, s.Sent, s.Accepted, s.Refused,
			s.Ack50, s.Ack99, s.Judged50, s.Judged99, s.Drained)
		if s.Lost > 0 {
			return fmt.Errorf("%w: %d at %d a second", errLost, s.Lost, rate)
		}
	}
	if p.svg == "" {
		return nil
	}
	return os.WriteFile(p.svg, draw(all, p.each, t), 0o644)
}
