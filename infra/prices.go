// Package infra holds what the programs about the deployment share: the price
// table (D9). It must not know a row or a handler.
package infra

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed prices.json
var prices []byte

// Price is what an amount of something costs.
type Price struct {
	USD    float64 `json:"usd"`
	Per    float64 `json:"per"`
	Free   float64 `json:"free"` // of it every month, for ever, in one account
	Source string  `json:"source"`
}

// Of is the price in dollars of n, without a free tier.
func (p Price) Of(n float64) float64 { return n * p.USD / p.Per }

// Beyond is the price of a month's n after what is free.
func (p Price) Beyond(n float64) float64 { return p.Of(max(0, n-p.Free)) }

// Prices is the price table, with what the money depends on beside it.
type Prices struct {
	Region string           `json:"region"`
	Date   string           `json:"date"`
	Note   string           `json:"note"`
	Prices map[string]Price `json:"prices"`
	Stack  struct {
		Secrets          float64            `json:"secrets"`
		Alarms           float64            `json:"alarms"`
		MetricFilters    float64            `json:"metric_filters"`
		Dashboards       float64            `json:"dashboards"`
		FIFOQueues       float64            `json:"fifo_queues"`
		StandardQueues   float64            `json:"standard_queues"`
		ReconcileMinutes float64            `json:"reconcile_minutes"`
		MemoryMB         map[string]float64 `json:"memory_mb"`
	} `json:"stack"`
	Assumptions Assumptions `json:"assumptions"`
	Goals       struct {
		WriteUnits float64 `json:"write_units"`
		ReadUnits  float64 `json:"read_units"`
		Thousand   float64 `json:"usd_per_thousand"`
		IdleMonth  float64 `json:"idle_usd_month"`
	} `json:"goals"`
}

// Assumptions are what no local run can measure.
type Assumptions struct {
	Invocation    float64 `json:"invocation_ms"`
	Read          float64 `json:"read_ms"`
	Write         float64 `json:"write_ms"`
	Transaction   float64 `json:"transaction_ms"`
	Send          float64 `json:"send_ms"`
	Platform      float64 `json:"platform_ms"`
	ReconcileWait float64 `json:"reconcile_wait_ms"` // of the receive that looks for dead letters
	LogEvent      float64 `json:"log_event_bytes"`
	AccessLog     float64 `json:"access_log_bytes"`
	Traced        float64 `json:"traced"` // share of invocations
	Pollers       float64 `json:"pollers_per_queue"`
	PollSeconds   float64 `json:"poll_seconds"`
	RowOverhead   float64 `json:"row_overhead_bytes"`
	IdleTableGB   float64 `json:"idle_table_gb"`
}

// LoadPrices reads the checked-in table. A price that is used and not there is
// found by Price.
func LoadPrices() (Prices, error) {
	var p Prices
	if err := json.Unmarshal(prices, &p); err != nil {
		return p, fmt.Errorf("prices.json: %w", err)
	}
	return p, nil
}

// Price finds one price. An unknown name is a programming mistake.
func (p Prices) Price(name string) Price {
	x, ok := p.Prices[name]
	if !ok || x.Per == 0 {
		panic("prices.json has no price " + name)
	}
	return x
}
