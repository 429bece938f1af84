package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// linkKey is the key that signs the buttons of postern dev's cards. It is made
// at the first start, in a file that only its owner can read (C4), so that an
// agent on this machine that knows the stand-ins' secrets still cannot make a
// click of its own (U8); a later start keeps it, since cards outlive a start.
func linkKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, "link.key")
	key, err := os.ReadFile(path)
	if err == nil && len(key) > 0 {
		return key, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the key of buttons: %w", err)
	}
	key = []byte(rand.Text() + rand.Text())
	if err := os.WriteFile(path+".new", key, 0o600); err != nil {
		return nil, fmt.Errorf("the key of buttons: %w", err)
	}
	return key, os.Rename(path+".new", path)
}
