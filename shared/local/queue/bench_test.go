package queue_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/queue"
)

// BenchmarkMessages sends, delivers and deletes messages through Run, four
// senders and eight handlers at a time.
func BenchmarkMessages(b *testing.B) {
	for _, kind := range []string{"memory", "file"} {
		for _, q := range []string{doorbell.Triggers, doorbell.Turns} {
			b.Run(kind+"/"+q, func(b *testing.B) {
				path := queue.Memory
				if kind == "file" {
					path = filepath.Join(b.TempDir(), "q.db")
				}
				e, err := queue.Open(path, clock.Real{}, queue.Options{})
				if err != nil {
					b.Fatal(err)
				}
				defer e.Close()
				var left sync.WaitGroup
				left.Add(b.N)
				stop := running(b, e, map[string]queue.Handler{q: func(context.Context, queue.Received) error {
					left.Done()
					return nil
				}}, map[string]int{q: 8})
				b.ResetTimer()
				for s := range 4 {
					go func() {
						for i := s; i < b.N; i += 4 {
							m := doorbell.Message{Queue: q, Body: `{"session":"s1","correlation":"0123456789abcdef"}`}
							if doorbell.Fifo(q) {
								m.Group, m.Dedup = fmt.Sprint(i%50), fmt.Sprint(i)
							}
							if err := e.Send(ctx, m); err != nil {
								b.Error(err)
							}
						}
					}()
				}
				left.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
				stop()
			})
		}
	}
}
