package turn

import (
	"context"
	"fmt"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// mailAtOnce is how many mails one commit takes, well below a commit's limits.
const mailAtOnce = 20

// readMail appends unread mail to the transcript, each deleted in the same
// commit, so that it is read exactly once (I7, S3). It is called only where no
// call waits for its result, so the transcript stays valid (S7).
func (t *turn) readMail(ctx context.Context, w session.Standing) error {
	batch := t.mail[:min(len(t.mail), mailAtOnce)]
	var actions []table.Action
	var steps []session.Step
	n := w.Next
	for _, m := range batch {
		actions = append(actions, store.ReadMail(m))
		steps = append(steps, session.Step{Session: t.s.ID, N: n, Role: session.User, Text: framed(m),
			From: sender(m.From), Mail: m.ID, At: t.Now()})
		actions = append(actions, store.AppendStep(steps[len(steps)-1]))
		n++
	}
	lost, err := t.commit(ctx, actions...)
	if err != nil || t.done {
		return err
	}
	if lost != nil {
		return fmt.Errorf("mail was read by somebody else while the lease was held")
	}
	t.appended(steps...)
	t.mail = t.mail[len(batch):]
	t.allRead()
	return nil
}

// framed is a mail as the model reads it: who says it, and whether he is
// listed (G2). Whatever the text claims, the frame is ours.
func framed(m session.Mail) string {
	switch m.Kind {
	case session.Woke:
		return "[woken by timer] " + m.Text
	case session.Note:
		return "[from Postern] " + m.Text
	}
	if !m.Listed {
		return fmt.Sprintf("[message from %s, who is not listed]\n%s", sender(m.From), m.Text)
	}
	return fmt.Sprintf("[message from %s]\n%s", sender(m.From), m.Text)
}

func sender(a actor.Actor) string {
	if a.Name != "" {
		return a.Name
	}
	return a.Ref()
}
