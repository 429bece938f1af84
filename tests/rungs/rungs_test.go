package rungs

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine is a folder of commands: the few that the scripts' checks use, and
// the made ones.
func machine(t *testing.T, made map[string]string) (path string) {
	t.Helper()
	path = t.TempDir()
	for _, name := range []string{"bash", "env", "dirname", "printf", "sort", "tail", "uname", "cat"} {
		real, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("left out: this machine has no %s", name)
		}
		if err := os.Symlink(real, filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range made {
		if err := os.WriteFile(filepath.Join(path, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// check runs a script on a machine and gives what it said, its code, and what
// it left in its temporary folder.
func check(t *testing.T, script, path string, env ...string) (said string, code int, left []string) {
	t.Helper()
	tmp := t.TempDir()
	cmd := exec.Command("../../" + script)
	cmd.Env = append(env, "PATH="+path, "TMPDIR="+tmp, "HOME="+tmp)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(tmp)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	return out.String(), code, left
}

type row struct {
	name, script string
	made         map[string]string
	env          []string
	names        []string // all that has to be named
	not          []string // what is there and must not be
}

// A docker that answers, and one whose engine does not.
const (
	engine   = `case "$1" in info) exit 0 ;; network) echo 172.17.0.1 ;; *) echo "docker $1 was called" >&2; exit 9 ;; esac`
	noEngine = `exit 1`
)

var rows = []row{
	{"no docker", "infra/localstack/run.sh", nil, nil, []string{"no docker command"}, []string{"a token"}},
	{"no engine", "infra/localstack/run.sh", map[string]string{"docker": noEngine}, nil, []string{"no engine answers"}, []string{"no docker command", "a token"}},
	{"a newer image, no token", "infra/localstack/run.sh", map[string]string{"docker": engine}, []string{"POSTERN_LOCALSTACK_IMAGE=localstack/localstack:2026.3"}, []string{"LOCALSTACK_AUTH_TOKEN", "a plan"}, []string{"Docker"}},
	{"neither", "infra/localstack/run.sh", map[string]string{"docker": noEngine}, []string{"POSTERN_LOCALSTACK_IMAGE=localstack/localstack:5.0"}, []string{"no engine answers", "LOCALSTACK_AUTH_TOKEN"}, nil},
	{"nothing for the cloud", "infra/cloud/run.sh", nil, nil, []string{"consent", "a region", "credentials", "a tunnel", "POSTERN_TUNNEL_PORT"}, nil},
	{"all but consent", "infra/cloud/run.sh", nil, []string{"AWS_REGION=eu-west-1", "AWS_PROFILE=p", "POSTERN_TUNNEL=https://t.example", "POSTERN_TUNNEL_PORT=1"}, []string{"consent"}, []string{"a region", "credentials", "a tunnel"}},
	{"a tunnel that is none", "infra/cloud/run.sh", nil, []string{"AWS_REGION=eu-west-1", "AWS_PROFILE=p", "POSTERN_CLOUD_TEST=yes", "POSTERN_TUNNEL=http://t.example", "POSTERN_TUNNEL_PORT=1"}, []string{"a tunnel"}, []string{"consent", "the tunnel's end"}},
}

// D10: what is missing is named, all of it and nothing else; the code says that
// nothing was tried, and nothing is left behind.
func TestD10_WhatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			said, code, left := check(t, r.script, machine(t, r.made), r.env...)
			if code != 1 || !strings.Contains(said, "cannot run here. Missing:") {
				t.Errorf("code %d: %s", code, said)
			}
			for _, n := range r.names {
				if !strings.Contains(said, n) {
					t.Errorf("%q is not named: %s", n, said)
				}
			}
			for _, n := range r.not {
				if strings.Contains(said, n) {
					t.Errorf("%q is named, and is there: %s", n, said)
				}
			}
			if len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// D10: what LocalStack's plan lacks is said before anything is started.
func TestD10_WhatThePlanLacksIsSaidFirst(t *testing.T) {
	t.Parallel()
	path := machine(t, map[string]string{"docker": engine, "python3": "exit 1"})
	said, code, _ := check(t, "infra/localstack/run.sh", path)
	if code == 0 || strings.Contains(said, "Missing") {
		t.Fatalf("code %d: %s", code, said)
	}
	lacks := strings.Index(said, "LocalStack lacks")
	for _, n := range []string{"HTTP API", "never fires them", "postern wake --due", "CREATE_COMPLETE"} {
		if lacks < 0 || !strings.Contains(said[lacks:], n) {
			t.Errorf("%q is not said: %s", n, said)
		}
	}
	if called := strings.Index(said, "docker run was called"); called >= 0 && called < lacks {
		t.Error("it started something first")
	}
}
