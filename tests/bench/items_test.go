package bench

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/flow/raise"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/store"
)

// many is how many sessions the benchmark's items belong to.
const many = 64

// desk raises and resolves items by the same code as turns and clicks do.
type desk struct {
	r        *local.Runtime
	sessions []session.Session
	n        atomic.Int64
}

func newDesk(tb testing.TB, items int) *desk {
	tb.Helper()
	d := &desk{r: open(tb, tb.TempDir(), clock.Real{}, nil)}
	now := d.r.Clock.Now()
	fill(tb, d.r, items, now)
	for i := range many {
		s := aSession("bench-"+strconv.Itoa(i), now)
		must(tb, d.r.Store, "session-"+s.ID, store.NewSession(s, 0)...)
		d.sessions = append(d.sessions, s)
	}
	return d
}

// raise is the commit of one asking call: item, body, place, audit, outbox.
func (d *desk) raise(tb testing.TB, n int64) string {
	s, now := d.sessions[n%many], d.r.Clock.Now()
	digest := fmt.Sprintf("%043d", n)
	a := raise.Ask{ID: inbox.ItemID(s.ID, n, 0, digest), Kind: inbox.Approval, Title: "github_comment → acme/shop#1", Tool: "github_comment",
		Risk: "external", Digest: digest, Run: "r1", Step: n, Rule: "mode interactive",
		Body: inbox.Body{Text: "Allow once: the agent runs github_comment with exactly these arguments.", Arguments: []byte(`{"body":"hello","issue":"acme/shop#1"}`)}}
	id := fmt.Sprint("raise-", n)
	made := raise.New(s, a, d.r.Policy, id, now)
	lost, err := d.r.Store.Do(context.Background(), id, made.All()...)
	if err != nil || lost != nil {
		tb.Error(id, lost, err)
	}
	return a.ID
}

var bob = actor.Actor{Provider: "slack", Workspace: "T0DEV", ID: "U0BOB", Name: "Bob", Kind: actor.Human}

func (d *desk) resolve(tb testing.TB, n int64, item string) {
	out, err := d.r.Resolver.Resolve(context.Background(), inbox.Answer{Item: item, Digest: fmt.Sprintf("%043d", n), Choice: inbox.Allow,
		Actor: bob, Via: "panel", ID: fmt.Sprint("answer-", n)})
	if err != nil || out.Result != inbox.Won {
		tb.Error(item, out.Result, out.Words, err)
	}
}

// parallel runs f for b.N numbers by so many at a time.
func parallel(b *testing.B, at int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range at {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < b.N; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// Goal: flat; beside 1,000,000 stored items at most 1.2 times what it is
// beside none. On a file, each commit durable, eight at a time. All files are
// made before the first is measured, so that the machine is the same for all.
func BenchmarkItems(b *testing.B) {
	sizes := []int{0, 10_000, most(b)}
	desks := map[int]*desk{}
	var once sync.Once
	run := func(what string, f func(b *testing.B, d *desk) time.Duration) {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/stored=%d", what, n), func(sub *testing.B) {
				once.Do(func() {
					for _, n := range sizes {
						desks[n] = newDesk(b, n)
					}
				})
				used := f(sub, desks[n])
				sub.StopTimer()
				sub.ReportMetric(float64(used)/float64(time.Microsecond)/float64(sub.N), "cpu-µs/op")
				trim(sub, desks[n].r)
			})
		}
	}
	run("raise", func(b *testing.B, d *desk) time.Duration {
		b.ResetTimer()
		began := cpu(b)
		parallel(b, 8, func(int) { d.raise(b, d.n.Add(1)) })
		return cpu(b) - began
	})
	run("resolve", func(b *testing.B, d *desk) time.Duration {
		first := d.n.Add(int64(b.N)) - int64(b.N) + 1
		ids := make([]string, b.N)
		parallel(b, 8, func(i int) { ids[i] = d.raise(b, first+int64(i)) })
		b.ResetTimer()
		began := cpu(b)
		parallel(b, 8, func(i int) { d.resolve(b, first+int64(i), ids[i]) })
		return cpu(b) - began
	})
}
