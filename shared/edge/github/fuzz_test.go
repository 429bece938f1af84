package github

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/domain/trigger"
)

// FuzzReceive: whatever verifies is one outcome or a refusal 400, and what
// goes on is small, valid and on a place that exists.
func FuzzReceive(f *testing.F) {
	for event := range kinds {
		f.Add(event, encode(f, comment("@postern-agent go")))
		f.Add(event, encode(f, opened("issue", "x")))
		f.Add(event, encode(f, opened("pull_request", "x")))
		f.Add(event, encode(f, runDone()))
		f.Add(event, []byte(`{"action":"created","issue":{"number":[[[[`))
		f.Add(event, []byte(strings.Repeat(`{"issue":`, 2000)))
	}
	f.Add("issue_comment", encode(f, comment("/postern deny abc234 no")))
	f.Add("issue_comment", []byte(`{"action":"created","repository":{"id":"1e3","full_name":"a/b"},"issue":{"number":7.0},"comment":{"id":9,"body":"\ud800"},"sender":{"id":1}}`))
	for _, e := range octokit(f) {
		if _, handled := kinds[e.Name]; handled {
			f.Add(e.Name, []byte(e.Examples[0]))
		}
	}
	r := receiver(f)
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		d, err := r.Receive(Sign(secret, body, event, "guid-1"), body)
		if err != nil {
			var ref *delivery.Refusal
			if !errors.As(err, &ref) || ref.Code != "unreadable" || ref.Status != 400 || outcomes(d) != 0 {
				t.Fatalf("%+v, %v", d, err)
			}
			return
		}
		if outcomes(d) != 1 {
			t.Fatalf("%+v", d)
		}
		if a := d.Answer; a != nil && (a.Actor.ID == "" || a.ID == "" || !strings.HasPrefix(a.Item, CodePrefix)) {
			t.Errorf("%+v", *a)
		}
		if g := d.Trigger; g != nil {
			b, err := json.Marshal(g)
			if err != nil || len(b) > 70<<10 {
				t.Errorf("%d bytes, %v", len(b), err)
			}
			if g.Thread.Surface != trigger.GitHub || g.Thread.Account != g.Account || g.Thread.Channel == "" || g.ID == "" || strings.Count(g.Account, "/") != 1 {
				t.Errorf("%+v", *g)
			}
			if g.Sender.ID == "" && g.Kind != kindCI {
				t.Errorf("no sender: %+v", *g)
			}
		}
	})
}
