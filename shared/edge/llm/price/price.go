// Package price says what model calls cost, by a checked-in table of list
// prices (D8). A model that is not in it has no known price: nothing is
// guessed.
//
// It must not stop a call or keep a sum: budgets are read from rows (W7).
package price

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/model"
)

//go:embed prices.json
var prices []byte

// Price is a model's, in dollars for a million tokens.
type Price struct{ Input, Output float64 }

// Table has prices by "provider:model", each exactly as it is configured.
type Table map[string]Price

// Load reads the checked-in table.
func Load() (Table, error) {
	var t struct{ Models Table }
	if err := json.Unmarshal(prices, &t); err != nil {
		return nil, fmt.Errorf("prices.json: %w", err)
	}
	return t.Models, nil
}

// Of is what so many tokens cost, in dollars.
func (p Price) Of(input, output int64) float64 {
	return (float64(input)*p.Input + float64(output)*p.Output) / 1e6
}

// Model is what is metered.
type Model interface {
	Complete(ctx context.Context, r model.Request) (model.Reply, error)
}

// Meter tells what each call of a Model that was answered cost. One that failed
// costs nothing that anybody told us of.
type Meter struct {
	Model
	Price   *Price // nil: not known
	Spent   func(usd float64)
	Unknown func() // a call whose price is not known
}

// Complete makes the call; its reply and its error are the Model's own.
func (m Meter) Complete(ctx context.Context, r model.Request) (model.Reply, error) {
	reply, err := m.Model.Complete(ctx, r)
	switch {
	case err != nil:
	case m.Price == nil:
		m.Unknown()
	default:
		m.Spent(m.Price.Of(reply.Input, reply.Output))
	}
	return reply, err
}
