package local

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/store"
)

// LoginKey mints a one-time sign-in link for a person of the panel and returns
// its key: the link is PublicURL/login?key=KEY (U8). It lasts ten minutes.
func (r *Runtime) LoginKey(ctx context.Context, ref, name, role string) (string, error) {
	key := rand.Text()
	_, err := r.Store.Do(ctx, newID(), store.NewLogin(panel.NewLogin(key, ref, name, role, r.Clock.Now().Add(10*time.Minute))))
	return key, err
}
