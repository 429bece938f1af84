package queue

import (
	"context"
	"errors"
	"time"

	"github.com/postern-dev/postern/shared/domain/doorbell"
)

// Fail accepts a message in a change that fails after it.
func (e *Engine) Fail(ctx context.Context, m doorbell.Message) error {
	return e.change(ctx, true, func(t tx) error {
		if err := t.insert(m.Queue, nil, m.Body, e.now(), e.now().Add(-time.Second)); err != nil {
			return err
		}
		return errors.New("on purpose")
	})
}
