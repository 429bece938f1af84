package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/edge/llm/scripted"
	"github.com/postern-dev/postern/shared/flow/turn"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/store"
)

// asks is how often one session's agent asks before it reports.
const asks = 5

// places is how many channels the cards go to: what goes to one place stays
// in order, one after the other (O1), which is a limit of its own.
const places = 16

func queueOf(i int) string { return fmt.Sprint("queue-", i%places) }

// office is a deployment whose Slack is in the same process: whoever sees a
// card with buttons answers it at once, and a call runs in no time. What is
// left is the engine.
type office struct {
	r       *local.Runtime
	decided sync.Map // session to when its pending item was answered
	mu      sync.Mutex
	waits   []time.Duration // from the answer to the call
	shown   sync.Map        // items whose card says how their call ran
	settled atomic.Int64    // how many
	changed chan struct{}
	ended   chan string // sessions that said their last word
	failed  func(error)
}

func newOffice(b *testing.B) *office {
	o := &office{changed: make(chan struct{}, 1), ended: make(chan string, 1<<16), failed: func(err error) { b.Error(err) }}
	o.r = open(b, b.TempDir(), clock.Real{}, func(cfg *local.Config) {
		cfg.Policy.Queues = nil
		for i := range places {
			q := policy.Queue{Name: queueOf(i), Approvers: &[]string{bob.Ref()}}
			q.Bindings = []policy.Binding{{Surface: trigger.Slack, Account: "T0DEV", Channel: fmt.Sprint("C", i), Private: true}}
			cfg.Policy.Queues = append(cfg.Policy.Queues, q)
		}
		cfg.Model = func(name string) (turn.Model, string, error) { return scripted.New(script()...), name, nil }
	})
	o.r.Deliver.Surfaces[trigger.Slack] = o
	o.r.Turns.Have["connector:github"] = true
	o.r.Turns.Tools["github_comment"] = o.comment
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- o.r.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			b.Error(err)
		}
	})
	return o
}

// script asks for one comment after another and then reports.
func script() []model.Reply {
	var out []model.Reply
	for i := range asks {
		args, _ := json.Marshal(map[string]string{"issue": "acme/shop#1", "body": "note " + strconv.Itoa(i)})
		out = append(out, model.Reply{Text: "next", Calls: []model.Call{model.NewCall(fmt.Sprint("c", i), "github_comment", string(args))}})
	}
	return append(out, model.Reply{Text: "done"})
}

// begin opens a session that works from here on.
func (o *office) begin(b *testing.B, n int) {
	now, id := o.r.Clock.Now(), fmt.Sprint("trip-", n)
	s := aSession(id, now)
	s.Queue = queueOf(n)
	s.Model = "scripted:bench"
	s.Origin = &trigger.Place{Surface: trigger.Slack, Account: "T0DEV", Channel: "C0OPS", Thread: id}
	actions := append(store.NewSession(s, 1), store.MailEntry(session.Mail{Session: id, ID: store.MailID(now, id), Kind: session.Message,
		From: bob, Listed: true, Text: "go", At: now}),
		store.NewOutbox(store.Outbox{ID: id, Created: now, Bells: []store.Bell{{Ring: store.RingTurn, Session: id}}}))
	must(b, o.r.Store, id, actions...)
}

// Post shows a card, and Bob answers it.
func (o *office) Post(_ context.Context, at trigger.Place, c inbox.Card, _ string) (string, error) {
	message := "m-" + c.Item
	go o.answer(c, at, message)
	return message, nil
}

func (o *office) answer(c inbox.Card, at trigger.Place, message string) {
	for _, btn := range c.Buttons {
		v, err := inbox.ParseButton(linkKey, btn.Value)
		if err != nil || v.Choice != inbox.Allow {
			continue
		}
		out, err := o.r.Resolver.Resolve(context.Background(), inbox.Answer{Item: c.Item, Digest: v.Digest, Choice: v.Choice, Actor: bob,
			Via: "panel", ID: "a-" + c.Item, Shown: inbox.Reference{Place: at, Message: message}})
		if err != nil || out.Result != inbox.Won {
			o.failed(fmt.Errorf("answer %s: %s %s: %w", c.Item, out.Result, out.Words, err))
			return
		}
		o.decided.Store(out.Item.Session, time.Now())
	}
}

// Update settles a card.
func (o *office) Update(_ context.Context, _ inbox.Reference, c inbox.Card) error {
	if !strings.Contains(c.Status, "ran: ok") {
		return nil
	}
	if _, twice := o.shown.LoadOrStore(c.Item, true); !twice {
		o.settled.Add(1)
		select {
		case o.changed <- struct{}{}:
		default:
		}
	}
	return nil
}

// Say is the agent's report: its session is at its end.
func (o *office) Say(_ context.Context, at trigger.Place, _, _ string) (string, error) {
	o.ended <- at.Thread
	return "said", nil
}

// Tell is for one person; nobody is told anything here.
func (o *office) Tell(context.Context, trigger.Place, actor.Actor, string) error { return nil }

// comment is the tool: the session resumed.
func (o *office) comment(_ context.Context, _ json.RawMessage, key string) (string, error) {
	sid := key[:strings.LastIndexByte(key[:strings.LastIndexByte(key, '-')], '-')]
	at, ok := o.decided.LoadAndDelete(sid)
	o.mu.Lock()
	defer o.mu.Unlock()
	if ok { // else the call began before the answerer even returned
		o.waits = append(o.waits, time.Since(at.(time.Time)))
	} else {
		o.waits = append(o.waits, 0)
	}
	return "commented", nil
}

// Goal: 1,000 round trips a second on two cores, and 50 ms from the answer to
// the call at p99. Each is a whole one: raised, shown, answered, resumed, run,
// settled; the embedded engine on files, every commit and message durable.
func BenchmarkRoundTrips(b *testing.B) {
	for _, sessions := range []int{1, 32, 128} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			o := newOffice(b)
			all := (b.N + asks - 1) / asks
			used := cpu(b)
			b.ResetTimer()
			begun, ended := 0, 0
			for ended < all {
				for begun < all && begun-ended < sessions {
					o.begin(b, begun)
					begun++
				}
				select {
				case <-o.ended:
					ended++
				case <-time.After(time.Minute):
					b.Fatalf("%d of %d sessions ended, nothing for a minute", ended, all)
				}
			}
			for o.settled.Load() < int64(all*asks) {
				select {
				case <-o.changed:
				case <-time.After(time.Minute):
					b.Fatalf("%d of %d cards settled, nothing for a minute", o.settled.Load(), all*asks)
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(all*asks)/b.Elapsed().Seconds(), "trips/s")
			b.ReportMetric(float64(cpu(b)-used)/float64(time.Millisecond)/float64(all*asks), "cpu-ms/trip")
			o.mu.Lock()
			defer o.mu.Unlock()
			slices.Sort(o.waits)
			b.ReportMetric(percentile(o.waits, 50), "resumed-p50-ms")
			b.ReportMetric(percentile(o.waits, 99), "resumed-p99-ms")
		})
	}
}

// percentile is in milliseconds; of a sorted list.
func percentile(sorted []time.Duration, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[min(len(sorted)-1, len(sorted)*p/100)]) / float64(time.Millisecond)
}

// cpu is the processor time that this process has used: on a busy machine the
// only number that means something.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
