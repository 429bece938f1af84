// Command mutants takes the conditions that settle the races of the spec out
// of the code, one at a time, in a copy of the repository, and says whether
// the simulation notices (Q2). A test that cannot fail proves nothing.
//
//	go run ./tests/simulation/mutants [-n 100000] [-seed 1] [NAME...]
//
// It changes nothing in the repository itself. Exit code 1 means that one
// lived that should not.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	n := flag.Int("n", 100_000, "operations for each mutant")
	seed := flag.Int("seed", 1, "the first seed")
	flag.Parse()
	dir, err := copyOf(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	defer os.RemoveAll(dir)
	lived := 0
	for _, m := range list {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), m.name) {
			continue
		}
		red, why, err := m.try(dir, *n, *seed)
		switch {
		case err != nil:
			fmt.Printf("FAIL  %-28s %v\n", m.name, err)
			lived++
		case red:
			fmt.Printf("red   %-28s %s\n", m.name, why)
		case m.covered != "":
			fmt.Printf("lives %-28s covered: %s\n", m.name, m.covered)
		default:
			fmt.Printf("LIVES %-28s %s\n", m.name, m.file)
			lived++
		}
	}
	if lived > 0 {
		os.RemoveAll(dir)
		os.Exit(1)
	}
}

// copyOf copies what Go needs of a repository.
func copyOf(root string) (string, error) {
	dir, err := os.MkdirTemp("", "postern-mutants-")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"go.mod", "go.sum", "shared", "tests", "infra", "docs", "cmd"} {
		if out, err := exec.Command("cp", "-r", filepath.Join(root, name), dir).CombinedOutput(); err != nil {
			return dir, fmt.Errorf("copy: %s", out)
		}
	}
	return dir, nil
}

// try applies a mutant, runs the simulation and takes the mutant back.
func (m mutant) try(dir string, n, seed int) (red bool, why string, err error) {
	path := filepath.Join(dir, m.file)
	was, err := os.ReadFile(path)
	if err != nil {
		return false, "", err
	}
	if strings.Count(string(was), m.old) != 1 {
		return false, "", fmt.Errorf("its text stands %d times in %s", strings.Count(string(was), m.old), m.file)
	}
	is := strings.Replace(string(was), m.old, m.new, 1)
	for _, x := range m.also {
		is = strings.Replace(is, x[0], x[1], 1)
	}
	if err := os.WriteFile(path, []byte(is), 0o600); err != nil {
		return false, "", err
	}
	defer func() { _ = os.WriteFile(path, was, 0o600) }()
	cmd := exec.Command("go", "test", "-count=1", "-timeout", "4m", "-run", "TestWorlds", "./tests/simulation")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("N=%d", n), fmt.Sprintf("SEED=%d", seed))
	out, err := cmd.CombinedOutput()
	switch text := string(out); {
	case err == nil:
		return false, "", nil
	case strings.Contains(text, "build failed") || strings.Contains(text, "setup failed"):
		return false, "", fmt.Errorf("does not build:\n%s", text)
	case strings.Contains(text, "test timed out"):
		return true, "it goes on for ever", nil
	default:
		return true, first(text), nil
	}
}

// first is the first fault of a run.
func first(out string) string {
	for line := range strings.Lines(out) {
		if _, fault, ok := strings.Cut(line, "N=4000: "); ok {
			return strings.TrimSpace(fault)
		}
	}
	return strings.TrimSpace(out[max(0, len(out)-200):])
}
