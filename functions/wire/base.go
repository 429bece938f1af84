package wire

import (
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/oklog/ulid/v2"

	"github.com/postern-dev/postern/shared/domain/doorbell"
	"github.com/postern-dev/postern/shared/edge/calls"
	"github.com/postern-dev/postern/shared/edge/log"
	"github.com/postern-dev/postern/shared/edge/queue"
	"github.com/postern-dev/postern/shared/edge/secret"
	"github.com/postern-dev/postern/shared/edge/timer"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/dynamo"
)

// Base is what every function has.
type Base struct {
	Env
	Name    string
	AWS     aws.Config
	Store   *store.Store
	Secrets *secret.Store
	Log     *slog.Logger
	Count   func(name, label string)
	Took    func(name string, d time.Duration)
	Gauge   func(name string, value float64)
	GaugeOf func(name string, value float64, members map[string]string)
}

// Start reads the environment and makes the clients of one function. list is
// every AWS call that the function can make; others are refused before they
// are sent (D2).
func Start(name string, list []calls.Call) (*Base, error) {
	env := FromEnv()
	if err := need(map[string]string{"TABLE": env.Table}); err != nil {
		return nil, err
	}
	cfg, err := awsConfig()
	if err != nil {
		return nil, err
	}
	cfg.APIOptions = append(cfg.APIOptions, calls.Guard(list))
	b := &Base{Env: env, Name: name, AWS: cfg, Log: log.New(os.Stdout, log.Level(os.Getenv)).With("function", name)}
	metrics := log.NewMetrics(os.Stdout, name, Now)
	b.Count = metrics.Label
	b.Took = func(name string, d time.Duration) { metrics.Took(name, d) }
	b.Gauge = func(name string, value float64) { metrics.Gauge(name, value) }
	b.GaugeOf = metrics.GaugeOf
	b.Store = store.New(dynamo.New(dynamodb.NewFromConfig(cfg, dynamo.WithBufferedBodies), env.Table))
	b.Secrets = secret.New(secret.Manager{Client: secretsmanager.NewFromConfig(cfg)}, Now)
	return b, nil
}

// Now is the clock of a deployed function.
func Now() time.Time { return time.Now().UTC() }

// NewID makes an id that sorts by time.
func NewID() string { return ulid.Make().String() }

// Must ends the start of a function with a message that says what to do (Q8).
func Must(err error) {
	if err != nil {
		slog.Error("this function cannot start", "error", err)
		os.Exit(1)
	}
}

// Queues makes the queues that the environment names.
func (b *Base) Queues() (*queue.Queue, error) {
	urls, dead := map[string]string{}, map[string]string{}
	for name, url := range map[string]string{doorbell.Triggers: b.TriggersQueue, doorbell.Outbound: b.OutboundQueue,
		doorbell.Turns: b.TurnsQueue, doorbell.Wakes: b.WakesQueue} {
		if url != "" {
			urls[name], dead[name] = url, DeadURL(url)
		}
	}
	return queue.New(sqs.NewFromConfig(b.AWS), urls, dead)
}

// Timer makes the one-time schedules.
func (b *Base) Timer() (*timer.Timer, error) {
	return timer.New(timer.Config{Group: b.ScheduleGroup, Role: b.ScheduleRole, Queue: b.WakesQueueARN, Dead: DeadURL(b.WakesQueueARN),
		Client: scheduler.NewFromConfig(b.AWS), Now: Now})
}
