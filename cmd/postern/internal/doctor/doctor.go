// Package doctor looks at a deployment's connections one by one, from the
// outside in, and says of each what is wrong and what to do about it (U4).
//
// It looks as the outside does: it sends to the entrances, asks the platforms
// by the stored credentials, reads the table. It changes nothing, repeats no
// secret and no message, and knows no CloudFormation: what to look at is given.
package doctor

import (
	"context"
	"net/http"
	"time"

	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/store"
)

// Level says how much a finding matters.
type Level string

// Levels. Only Wrong makes a deployment unhealthy; Note is what cannot be
// known, or is as somebody may have meant it.
const (
	OK    Level = "ok"
	Note  Level = "note"
	Wrong Level = "wrong"
)

// Finding is one thing that was looked at.
type Finding struct {
	Check string `json:"check"` // stable, such as "slack.scopes"
	Level Level  `json:"level"`
	Says  string `json:"says"`
	Do    string `json:"do,omitempty"` // what a person can do about it
}

// Secret is one connector's secret as it is stored.
type Secret struct {
	Name   string            // its ARN, or the file it is in
	Values map[string]string // nil if it could not be read
	Err    error             // why not
}

// Talker is a model. Its errors are *model.Error.
type Talker interface {
	Complete(ctx context.Context, r model.Request) (model.Reply, error)
}

// Depth counts what one queue holds.
type Depth struct{ Waiting, Dead int }

// Target is the deployment to look at. A nil func means that it has no such
// thing, or that nobody here can ask.
type Target struct {
	URL  string // of the entrances, without a slash at the end
	HTTP *http.Client
	// Secrets by connector: slack, feishu, github, link. An absent one is not
	// configured.
	Secrets map[string]Secret
	Store   *store.Store
	Queues  func(context.Context) (map[string]Depth, error)
	// Reconciled is when the reconciler last said that it ran; zero: it did
	// not, as far back as was looked.
	Reconciled func(context.Context) (time.Time, error)
	// Since is when it was deployed first; zero: not known, long ago.
	Since time.Time
	// Model makes the deployment's model of hosted agents and gives the name
	// it has at its provider.
	Model func(context.Context) (Talker, string, error)
	// Provider is whose model it is: openai, anthropic, bedrock, scripted.
	Provider string
	// Stack is how commands name this deployment, such as "--stack postern".
	Stack string
	Now   func() time.Time
}

type doctor struct {
	Target
	report func(Finding)
	wrong  int

	policy policy.Policy
	known  bool // the policy could be read
	signs  signs
}

// Run looks at everything and reports each finding as it is made. It gives the
// number of those that are Wrong. The end of ctx ends it early.
func Run(ctx context.Context, t Target, report func(Finding)) int {
	own := *t.HTTP
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.HTTP = &own
	d := &doctor{Target: t, report: report}
	d.policy, d.known = d.table(ctx)
	if d.known {
		d.signs = d.read(ctx)
	}
	up := d.address(ctx)
	for _, look := range []func(context.Context, bool){d.slack, d.feishu, d.github} {
		look(ctx, up)
	}
	d.link()
	d.model(ctx)
	d.rules()
	d.cards(ctx)
	d.queues(ctx)
	d.reconciler(ctx)
	return d.wrong
}

func (d *doctor) ok(check, says string) { d.report(Finding{Check: check, Level: OK, Says: says}) }

func (d *doctor) note(check, says, do string) {
	d.report(Finding{Check: check, Level: Note, Says: says, Do: do})
}

func (d *doctor) bad(check, says, do string) {
	d.wrong++
	d.report(Finding{Check: check, Level: Wrong, Says: says, Do: do})
}
