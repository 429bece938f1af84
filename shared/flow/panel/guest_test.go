package panel_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/inbox"
	"github.com/postern-dev/postern/shared/flow/panel"
	"github.com/postern-dev/postern/shared/flow/raise"
)

// secrets is an item whose every text is private to those it is for.
func (h *house) secrets() inbox.Item {
	h.t.Helper()
	return h.raise(h.session("s1", "PRIVATE session"), raise.Ask{Title: "comment on PRIVATE target", Body: inbox.Body{Text: "PRIVATE words",
		Why: "PRIVATE why", Arguments: json.RawMessage(`{"body":"PRIVATE"}`)}})
}

// I22: a card's own link shows whoever can click what is for himself: a
// stranger reads nothing that anybody wrote, on any page, and answers nothing.
func TestI22_StrangersLink(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := h.secrets()
	eve := h.person("slack:T9/U9", panel.Guest)
	for path, status := range map[string]int{"/inbox/" + x.ID: 200, "/inbox": 200, "/inbox?tab=all": 200, "/sessions": 200, "/sessions/s1": 404, "/decisions": 404} {
		a := eve.get(path)
		if a.Code != status || strings.Contains(a.text, "PRIVATE") || path != "/inbox/"+x.ID && strings.Contains(a.text, x.ID) {
			t.Errorf("%s: %d %s", path, a.Code, a.text)
		}
	}
	eve.get("/inbox/"+x.ID).want(t, 200, "github_comment", "You may look, and not answer.")
	a := eve.send("POST", "/inbox/"+x.ID+"/answer", url.Values{"form": {eve.form}, "choice": {"deny"}, "digest": {x.Digest}, "once": {"1"}, "text": {"mine"}}, nil)
	if a.Code != 403 || strings.Contains(a.text, "PRIVATE") {
		t.Errorf("an answer: %d %s", a.Code, a.text)
	}
	h.person("panel:ada", panel.Approver).send("GET", "/inbox/"+x.ID, nil, nil).want(t, 200, "PRIVATE words")
	ada := h.person("panel:ada", panel.Approver)
	ada.get("/inbox/" + x.ID)
	ada.send("POST", "/inbox/"+x.ID+"/answer", url.Values{"form": {ada.form}, "choice": {"deny"}, "digest": {x.Digest}, "once": {"1"}, "text": {"PRIVATE reason"}}, nil).want(t, 200)
	for _, path := range []string{"/inbox/" + x.ID, "/inbox?tab=all"} {
		if a := eve.get(path); a.Code != 200 || strings.Contains(a.text, "PRIVATE") {
			t.Errorf("settled, %s: %d %s", path, a.Code, a.text)
		}
	}
}

// I22: an approver answers by such a link; who asked, and whom the Source
// lists, read.
func TestI22_OwnLink(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	x := h.secrets()
	for ref, lists := range map[string]bool{"slack:T1/U1": false, "panel:lin": false, "panel:bob": true} {
		b := h.person(ref, panel.Guest)
		b.get("/inbox/"+x.ID).want(t, 200, "PRIVATE words", "PRIVATE target", "PRIVATE why")
		b.get("/sessions").want(t, 200, "PRIVATE session")
		b.get("/sessions/s1").want(t, 200)
		if got := strings.Contains(b.get("/inbox").text, x.ID); got != lists {
			t.Errorf("%s: listed %v", ref, got)
		}
	}
	bob := h.person("panel:bob", panel.Guest)
	bob.get("/inbox/" + x.ID)
	bob.send("POST", "/inbox/"+x.ID+"/answer", url.Values{"form": {bob.form}, "choice": {"allow"}, "digest": {x.Digest}, "once": {"1"}}, nil).want(t, 200)
}
