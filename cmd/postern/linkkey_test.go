package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// The key of buttons is another in each folder, stays over starts, and is for
// its owner's eyes (C4, U8).
func TestC4_LinkKey(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	first, err := linkKey(dir)
	if err != nil || len(first) < 32 {
		t.Fatalf("%q, %v", first, err)
	}
	if again, err := linkKey(dir); err != nil || !bytes.Equal(first, again) {
		t.Errorf("a second start has another key: %v", err)
	}
	if second, err := linkKey(other); err != nil || bytes.Equal(first, second) {
		t.Errorf("two folders have one key: %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "link.key"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "link.key"), nil, 0o600); err != nil { // cut off by a crash
		t.Fatal(err)
	}
	if key, err := linkKey(dir); err != nil || len(key) < 32 {
		t.Errorf("after a crash: %q, %v", key, err)
	}
	if _, err := linkKey(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there has a key")
	}
}
