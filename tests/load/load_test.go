package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// D11: what is answered with 200 is judged, all of it; the curve is drawn.
func TestD11_NothingAcceptedIsLost(t *testing.T) {
	t.Parallel()
	svg := filepath.Join(t.TempDir(), "load.svg")
	var out bytes.Buffer
	err := load(t.Context(), plan{rates: []int{20, 40}, each: time.Second, drain: time.Minute, svg: svg}, &out)
	if err != nil {
		t.Fatal(err, out.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.HasPrefix(strings.TrimSpace(lines[1]), "20       20       20        0") {
		t.Errorf("printed:\n%s", out.String())
	}
	drawn, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(drawn))
	circles := 0
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "circle" {
			circles++
		}
	}
	if circles != 2*len(curves) {
		t.Errorf("%d points drawn", circles)
	}
}

// A file that names no deployment is an error, and nothing is started instead.
func TestDeployed_Nowhere(t *testing.T) {
	t.Parallel()
	at := filepath.Join(t.TempDir(), "addresses.json")
	if err := os.WriteFile(at, []byte(`{"kind":"ministack","api":"http://127.0.0.1:1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := load(t.Context(), plan{rates: []int{1}, each: time.Second, at: at}, &out); err == nil || out.Len() != 0 {
		t.Errorf("%v: %s", err, out.String())
	}
}
