package scenario

import (
	"context"
	"time"
)

// Levers are what can be done to a Postern from below, where it runs so that
// it can: none of it is a way of the product. What is nil cannot be done, and
// Without says why.
type Levers struct {
	// Kill ends the process at the other end of a held answer, at once and
	// without a word to it, and starts again what does not start by itself. It
	// says what it did.
	Kill func(ctx context.Context, peer string) (string, error)
	// LoseRecord is called while the only agent at work sleeps for seconds. It
	// makes the stream lose the outbox row by which the wake rings its turn, and
	// makes sure that it is lost. It says what it did.
	LoseRecord func(ctx context.Context) (string, error)
	// Found waits until the lost record is old enough to be missed, has the
	// reconciler look, and gives what its log says it found since.
	Found func(ctx context.Context) (Finds, error)
	// Hasty says that the policy sends what comes from the repository HastyRepo
	// to a queue whose items expire after a minute, shown in channel C0HASTY.
	Hasty bool
	// Without says why what is missing cannot be done here.
	Without string
}

// Finds are the reconciler's counts that are looked at (W8).
type Finds struct{ Outbox, Mail, Leases, Wakes, Cards int }

// Where work goes whose questions expire soon, how soon, and where its cards
// are shown.
const (
	HastyRepo    = "acme/hasty"
	HastyChannel = "C0HASTY"
	hastyExpiry  = time.Minute
)
