// Command sizes checks that every function's package was built and is at most
// 5 MB zipped (D1). It takes the folder that holds one folder per function and
// changes nothing.
package main

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// limit is the most bytes a zipped package may have.
const limit = 5_000_000

var functions = []string{"Slack", "Feishu", "Github", "Gate", "Dispatch", "Turn", "Deliver", "Wake", "Api"}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sizes FOLDER")
		os.Exit(2)
	}
	failed := false
	for _, f := range functions {
		path := filepath.Join(os.Args[1], f+"Function", "bootstrap")
		n, err := zipped(path)
		switch {
		case err != nil:
			fmt.Printf("%-18s %v\n", f+"Function", err)
			failed = true
		case n > limit:
			fmt.Printf("%-18s %9d bytes zipped, over %d\n", f+"Function", n, limit)
			failed = true
		default:
			fmt.Printf("%-18s %9d bytes zipped\n", f+"Function", n)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// zipped gives the size of a zip file that holds only path.
func zipped(path string) (int64, error) {
	in, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("not built: %w", err)
	}
	defer in.Close()
	var n counter
	z := zip.NewWriter(&n)
	w, err := z.Create("bootstrap")
	if err != nil {
		return 0, fmt.Errorf("zip %s: %w", path, err)
	}
	if _, err := io.Copy(w, in); err != nil {
		return 0, fmt.Errorf("zip %s: %w", path, err)
	}
	if err := z.Close(); err != nil {
		return 0, fmt.Errorf("zip %s: %w", path, err)
	}
	return int64(n), nil
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
