package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/postern-dev/postern/infra"
)

func main() {
	asJSON := flag.Bool("json", false, "one JSON object")
	trips := flag.Int("trips", 3, "round trips to play; the mean is printed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := cost(ctx, os.Stdout, *trips, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

// cost measures and prints. A goal that is missed is said, and is no error.
func cost(ctx context.Context, out io.Writer, trips int, asJSON bool) error {
	if trips < 1 {
		return fmt.Errorf("%d round trips", trips)
	}
	prices, err := infra.LoadPrices()
	if err != nil {
		return err
	}
	m, err := measure(ctx, trips)
	if err != nil {
		return err
	}
	b := price(m, prices)
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(struct {
			Bill     bill        `json:"bill"`
			Keys     []sharedKey `json:"keys"`
			Measured measured    `json:"measured"`
		}{b, shared(m), m})
	}
	return print(out, b, m, prices)
}
