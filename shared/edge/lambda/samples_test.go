package lambda

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Every sample of an HTTP event in the repository is one the adapter reads.
func TestSampleEvents(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(raw, []byte(`"requestContext"`)) {
			continue // of a queue, a stream or a schedule
		}
		read++
		r, err := RequestFromEvent(raw)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || len(body) == 0 || r.Host == "" || r.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %s %s, %d bytes, %v", file, r.Host, r.URL, len(body), r.Header)
		}
	}
	if read == 0 {
		t.Error("no samples")
	}
}
