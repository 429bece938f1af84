package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/domain/trigger"
	"github.com/postern-dev/postern/shared/store"
)

// I22: who came by a card's own link is listed the items that he may answer.
func TestI22_GuestsAreListedWhatIsForThem(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := inbox.Item{ID: "itemitem", Session: "s1", Kind: inbox.Approval, Title: "comment on PRIVATE", Queue: "default", Tool: "t", Digest: "d",
		State: inbox.Pending, Places: []trigger.Place{}, Created: h.now, Expires: inbox.Never, Version: 1}
	h.do(store.NewItem(x, inbox.Body{Item: x.ID})...)
	for who, listed := range map[string]bool{"panel:ada " + store.Guest: true, "slack:T9/U9 " + store.Guest: false, "nonsense " + store.Guest: false, "panel:vic viewer": true} {
		for _, query := range []string{"", "?state=all"} {
			r := httptest.NewRequest(http.MethodGet, "http://postern.test/v1/items"+query, nil)
			r.Header.Set("Test-Person", who)
			w := httptest.NewRecorder()
			h.mux.ServeHTTP(w, r)
			if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "PRIVATE") != listed {
				t.Errorf("%s%s: %d %s", who, query, w.Code, w.Body)
			}
		}
	}
}
