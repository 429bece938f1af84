package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File reads from one JSON file on this machine that holds all secrets: names,
// and under each an object of strings. A file that anyone but its owner may
// read is refused (C4).
type File struct{ Path string }

// Read gives one secret of the file. The file is read each time: the Store
// keeps what it got.
func (f File) Read(_ context.Context, name string) (map[string]string, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", name, err)
	}
	defer file.Close()
	info, err := file.Stat() // of the file that is open, not of whatever has its name now
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", name, err)
	}
	if mode := info.Mode(); !mode.IsRegular() || mode.Perm()&0o077 != 0 {
		return nil, fmt.Errorf("secret %s: %s has mode %04o; only its owner may read it: chmod 600 %s",
			name, f.Path, mode.Perm(), f.Path)
	}
	raw, err := io.ReadAll(io.LimitReader(file, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", name, err)
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return nil, fmt.Errorf("secret %s: %s is no JSON object of objects", name, f.Path)
	}
	if all[name] == nil {
		return nil, fmt.Errorf("secret %s: %s does not hold it; add an object of strings by that name", name, f.Path)
	}
	values, err := object(all[name])
	if err != nil {
		return nil, fmt.Errorf("secret %s in %s: %w", name, f.Path, err)
	}
	return values, nil
}

// Create writes the file with mode 0600, all of it or nothing. A file that is
// there is left alone, and made says so: the first start makes the secrets, a
// later one keeps them.
func (f File) Create(secrets map[string]map[string]string) (made bool, err error) {
	raw, err := json.MarshalIndent(secrets, "", "  ")
	if err != nil {
		return false, fmt.Errorf("secrets: write %s: %w", f.Path, err)
	}
	temp, err := os.CreateTemp(filepath.Dir(f.Path), ".secrets-*") // mode 0600
	if err != nil {
		return false, fmt.Errorf("secrets: write %s: %w", f.Path, err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(append(raw, '\n'))
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return false, fmt.Errorf("secrets: write %s: %w", f.Path, err)
	}
	err = os.Link(temp.Name(), f.Path) // fails if the name is taken, unlike a rename
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("secrets: write %s: %w", f.Path, err)
	}
	return true, nil
}
