package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// step is what one rate came to. Times in milliseconds, from when a webhook
// was due.
type step struct {
	Rate     int     `json:"rate"`
	Sent     int     `json:"sent"`
	Accepted int     `json:"accepted"` // answered with 200
	Refused  int     `json:"refused"`  // anything else: the platform sends it again
	Lost     int     `json:"lost"`     // accepted and never judged
	Ack50    float64 `json:"ack_p50_ms"`
	Ack99    float64 `json:"ack_p99_ms"`
	Judged50 float64 `json:"judged_p50_ms"`
	Judged99 float64 `json:"judged_p99_ms"`
	Drained  float64 `json:"drained_s"` // from the last webhook until all were judged
}

type sent struct {
	id  string
	due time.Time
	ack time.Duration
	ok  bool
}

// inFlight is how many webhooks may wait for their answer at once; beyond it
// the sender waits too, and that counts.
const inFlight = 512

func (t *target) step(ctx context.Context, rate int, each, drain time.Duration) (step, error) {
	n := int(each.Seconds() * float64(rate))
	all := make([]sent, n)
	room := make(chan struct{}, inFlight)
	var wg sync.WaitGroup
	began := time.Now()
	for i := range n {
		due := began.Add(time.Duration(float64(i) / float64(rate) * float64(time.Second)))
		if err := until(ctx, due); err != nil {
			return step{}, err
		}
		body, header, id, err := t.webhook()
		if err != nil {
			return step{}, err
		}
		all[i] = sent{id: id, due: due}
		room <- struct{}{}
		wg.Go(func() {
			all[i].ok = t.post(ctx, body, header)
			all[i].ack = time.Since(due)
			<-room
		})
	}
	wg.Wait()
	last := time.Now()
	s := step{Rate: rate, Sent: n}
	var acks, judged []time.Duration
	for _, x := range all {
		acks = append(acks, x.ack)
		if !x.ok {
			s.Refused++
			continue
		}
		s.Accepted++
		at, ok, err := t.when(ctx, x.id, last.Add(drain))
		if err != nil {
			return s, err
		}
		if !ok {
			s.Lost++
			continue
		}
		judged = append(judged, at.Sub(x.due))
	}
	s.Drained = time.Since(last).Seconds()
	s.Ack50, s.Ack99 = quantile(acks, 50), quantile(acks, 99)
	s.Judged50, s.Judged99 = quantile(judged, 50), quantile(judged, 99)
	return s, nil
}

func until(ctx context.Context, at time.Time) error {
	d := time.Until(at)
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *target) post(ctx context.Context, body []byte, header http.Header) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url+"/hooks/slack", bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header, req.Host = header, t.host
	resp, err := t.client.Do(req)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.Body.Close() == nil && err == nil && resp.StatusCode == http.StatusOK
}

// when waits until a message was judged, at most to the end.
func (t *target) when(ctx context.Context, id string, end time.Time) (time.Time, bool, error) {
	for {
		at, ok, err := t.judged(ctx, id)
		if err != nil || ok || time.Now().After(end) {
			return at, ok, err
		}
		if err := until(ctx, time.Now().Add(t.look)); err != nil {
			return at, false, err
		}
	}
}

// quantile is in milliseconds.
func quantile(list []time.Duration, p int) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return float64(list[min(len(list)-1, len(list)*p/100)]) / float64(time.Millisecond)
}
