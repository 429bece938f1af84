// Package attacks makes the attacks that are known from this field against a
// whole deployment, through its entrances, and sees each fail (Q7). What one
// package alone can show is tested there; docs/security.md names them all.
package attacks

import (
	"net/http"
	"time"

	"github.com/postern-dev/postern/shared/local"
)

var httpClient = &http.Client{Timeout: 10 * time.Second}

func newMux(w *local.World) http.Handler {
	mux := http.NewServeMux()
	w.Routes(mux)
	return mux
}
