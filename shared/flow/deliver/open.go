package deliver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/store"
)

// linkMinutes is how long a card's own sign-in link is good for.
const linkMinutes = 5

// open makes a sign-in link for the person who pressed Open on a card, and
// tells it to him alone (I22). The key stands in that message and nowhere else:
// the table has its hash (C4). Each try makes a key of its own; one that never
// arrived runs out.
func (d *Deliverer) open(ctx context.Context, surface Surface, b store.Bell) error {
	x, err := d.Store.Item(ctx, b.Item)
	if err != nil {
		return err
	}
	if x == nil {
		return &delivery.SendError{Code: "gone", Final: true, Err: fmt.Errorf("item %s is gone", b.Item)}
	}
	key := d.Secret()
	_, err = d.Store.Do(ctx, d.NewID(), store.NewLogin(store.Login{Hash: store.HashSecret(key), Person: b.User, Name: b.Name,
		Role: store.Guest, Item: x.ID, Expires: d.Now().Add(linkMinutes * time.Minute)}))
	if err != nil {
		return fmt.Errorf("a sign-in link: %w", err)
	}
	b.Text = fmt.Sprintf("Open this request as you, once, within %d minutes: %s", linkMinutes, d.SignIn(key))
	return without(key, d.tell(ctx, surface, b))
}

// without is an error whose words hold no key, whatever a platform repeats of
// what it was sent: errors are logged and kept in a row.
func without(key string, err error) error {
	if err == nil || !strings.Contains(err.Error(), key) {
		return err
	}
	out := &delivery.SendError{Code: "unsayable", Err: errors.New("the platform's words repeat the link")}
	var s *delivery.SendError
	if errors.As(err, &s) {
		out.Final, out.RetryAfter = s.Final, s.RetryAfter
	}
	return out
}
