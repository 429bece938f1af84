package event_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/postern-dev/postern/cmd/postern/internal/event"
)

// FuzzRead: no file breaks the reader, and what it reads it signs and writes
// so that the same body is read again (Q3).
func FuzzRead(f *testing.F) {
	for _, name := range []string{"slack-app_mention", "slack-block_actions", "feishu-message-mention", "github-ping"} {
		raw, err := os.ReadFile("../../../../events/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(`{"rawPath":"/hooks/feishu","body":"{\"header\":{\"token\":\"t\"}}","headers":{"A":"1","a":"2"},"requestContext":{"timeEpoch":-1,"http":{"method":"POST"}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := event.Read(raw)
		if err != nil {
			return
		}
		signed, err := event.DevSecrets().Sign(file, now)
		if err != nil {
			return
		}
		text, err := signed.Write()
		if err != nil {
			t.Fatal(err)
		}
		again, err := event.Read(text)
		if err != nil || !bytes.Equal(again.Body, signed.Body) || again.Platform != file.Platform {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}
