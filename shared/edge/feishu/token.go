package feishu

import (
	"context"
	"time"
)

// refreshBefore is how long before its end a token is asked for anew: from
// then on the platform gives a new one, and both are valid (webhook fact 2.7).
const refreshBefore = 30 * time.Minute

// tokens holds the one tenant token of a Client. One fetch at a time; who waits
// for it gives up with its context.
type tokens struct {
	now   func() time.Time
	fetch func(context.Context) (token string, lives time.Duration, err error)
	lock  chan struct{}

	value   string
	refresh time.Time
	expires time.Time
}

// get gives a token that is still good as far as we know. A refresh that fails
// costs nothing while the old token lives.
func (t *tokens) get(ctx context.Context) (string, error) {
	select {
	case t.lock <- struct{}{}:
	case <-ctx.Done():
		return "", callError(ctx, "fetch token", ctx.Err())
	}
	defer func() { <-t.lock }()
	now := t.now()
	if t.value != "" && now.Before(t.refresh) {
		return t.value, nil
	}
	value, lives, err := t.fetch(ctx)
	if err != nil {
		if t.value != "" && now.Before(t.expires) {
			return t.value, nil
		}
		return "", err
	}
	ahead := refreshBefore
	if lives < 2*ahead {
		ahead = lives / 2
	}
	t.value, t.expires, t.refresh = value, now.Add(lives), now.Add(lives-ahead)
	return value, nil
}

// evict drops a token that the platform rejected, unless another call has
// replaced it already.
func (t *tokens) evict(value string) {
	t.lock <- struct{}{}
	defer func() { <-t.lock }()
	if t.value == value {
		t.value = ""
	}
}
