package github

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

type examples []struct {
	Name     string            `json:"name"`
	Examples []json.RawMessage `json:"examples"`
}

func octokit(t testing.TB) examples {
	t.Helper()
	f, err := os.Open("testdata/octokit/index.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all examples
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Q3: GitHub's published examples are run whole, and every one earns 2xx: a
// delivery that is answered otherwise never comes again.
func TestQ3_OctokitExamplesAreAllTaken(t *testing.T) {
	t.Parallel()
	r := receiver(t)
	var lines strings.Builder
	n := 0
	for _, e := range octokit(t) {
		for i, body := range e.Examples {
			n++
			d, err := r.Receive(Sign(secret, body, e.Name, fmt.Sprintf("guid-%d", n)), body)
			if err != nil {
				t.Errorf("%s %d refused: %v", e.Name, i, err)
				continue
			}
			if outcomes(d) != 1 {
				t.Errorf("%s %d: %+v", e.Name, i, d)
			}
			fmt.Fprintf(&lines, "%s %d: ", e.Name, i)
			switch {
			case d.Reply != nil:
				fmt.Fprintf(&lines, "reply %d\n", d.Reply.Status)
			case d.Trigger != nil:
				fmt.Fprintf(&lines, "trigger %s %s by %s %q (%s) on %s\n", d.Trigger.Kind, d.Trigger.ID, d.Trigger.Sender.Kind, d.Trigger.Sender.Ref(), d.Trigger.Named, d.Trigger.Thread.Key())
			default:
				fmt.Fprintf(&lines, "dropped: %s\n", d.Drop)
			}
		}
	}
	if n != 329 {
		t.Errorf("%d examples, want 329", n)
	}
	golden(t, "testdata/octokit/outcomes.golden", []byte(lines.String()))
}
