package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// command runs a program with answers on its input, and gives what it printed
// on each output and its exit code. What it puts into a temporary folder or a
// home comes under tmp, and every command line of this machine is watched for
// keys meanwhile.
func (t *trial) command(answers []string, name string, args ...string) (out, errs string, code int, err error) {
	cmd := exec.CommandContext(t.ctx, name, args...)
	cmd.Dir = t.root
	cmd.Env = append(os.Environ(), "TMPDIR="+t.tmp, "POSTERN_SLACK_API="+t.world.slack, "POSTERN_GITHUB_API="+t.world.github)
	var o, e bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(strings.Join(answers, "\n")+"\n"), &o, &e
	if err := cmd.Start(); err != nil {
		return "", "", 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for watching := true; watching; {
		select {
		case err = <-ended:
			watching = false
		case <-time.After(20 * time.Millisecond):
			if who := t.seen(); who != "" {
				return "", "", 0, fmt.Errorf("a key stands in a command line: %s", who)
			}
		}
	}
	t.said += o.String() + e.String()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return o.String(), e.String(), exit.ExitCode(), nil
	}
	return o.String(), e.String(), 0, err
}

// seen is the program in whose command line a key stands, if any.
func (t *trial) seen() string {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err == nil && t.holds(raw) {
			program, _, _ := strings.Cut(string(raw), "\x00")
			return program
		}
	}
	return ""
}

func (t *trial) holds(raw []byte) bool {
	for _, k := range t.world.keys.all() {
		if bytes.Contains(raw, []byte(k)) {
			return true
		}
	}
	return false
}

// ours runs postern with --json, expects an exit code and reads what it says.
func (t *trial) ours(code int, into any, args ...string) error {
	return t.asked(nil, code, into, args...)
}

func (t *trial) asked(answers []string, code int, into any, args ...string) error {
	out, errs, got, err := t.command(answers, t.postern, append(args, "--json")...)
	if err != nil {
		return err
	}
	if got != code {
		return fmt.Errorf("postern %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		return fmt.Errorf("postern %s: %w\n%s%s", strings.Join(args, " "), err, out, errs)
	}
	return nil
}
