package main

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/postern-dev/postern/infra/policy"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/local/scenario"
)

// The played world's policy is the development policy with one Source and one
// queue more, and nothing else.
func TestPolicy(t *testing.T) {
	t.Parallel()
	is, err := domain.Parse("policy.yaml", rules)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := domain.Parse("dev.yaml", policy.Dev)
	if err != nil {
		t.Fatal(err)
	}
	is.Sources = slices.DeleteFunc(is.Sources, func(s domain.Source) bool { return s.Queue == "hasty" && s.Accounts[0] == scenario.HastyRepo })
	is.Queues = slices.DeleteFunc(is.Queues, func(q domain.Queue) bool {
		return q.Name == "hasty" && q.Expiry == "1m" && q.Bindings[0].Channel == scenario.HastyChannel
	})
	if !reflect.DeepEqual(dev, is) {
		t.Errorf("it differs from the development policy: %+v", is)
	}
}

// The process at the other end of a connection is found, and killed at once.
func TestProcessAt(t *testing.T) {
	if _, err := os.Stat("/proc/net/tcp"); err != nil {
		t.Skip("left out: this machine has no /proc/net/tcp")
	}
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	host, port, _ := net.SplitHostPort(l.Addr().String())
	c := exec.CommandContext(t.Context(), "bash", "-c", "exec 3<>/dev/tcp/"+host+"/"+port+"; echo up; read -r line <&3")
	c.Env = append(os.Environ(), "WHO=me")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Skip("left out: no bash")
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "up\n" {
		t.Fatal(line, err)
	}
	pid, err := processAt(conn.RemoteAddr().String())
	if err != nil || pid != c.Process.Pid || environment(pid, "WHO") != "me" {
		t.Fatalf("found %d, want %d: %v", pid, c.Process.Pid, err)
	}
	if err := end(pid); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it ended with %v", err)
	}
	if _, err := processAt("127.0.0.1:1"); err == nil {
		t.Error("nobody is connected from there")
	}
}

// Where nothing is known of a deployment's functions, what needs them is left
// out and not taken as seen.
func TestWithout(t *testing.T) {
	t.Parallel()
	p, err := flags{url: "http://127.0.0.1:1"}.open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if l := p.target.Levers; l.Without == "" || l.Kill != nil || l.LoseRecord != nil || l.Hasty {
		t.Errorf("%+v", l)
	}
	if _, err := p.target.SignIn(context.Background()); err == nil {
		t.Error("nobody can sign in there")
	}
}

// An account's addresses: the entrance is the stack's output, and the platforms
// are played where the tunnel ends.
func TestWhere_Cloud(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "addresses.json")
	if err := os.WriteFile(file, []byte(`{"kind":"cloud","functions":{"TurnFunction":"t"},"outputs":{"Panel":"https://x.example","TableName":"T"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	at, err := flags{addresses: file, platforms: "127.0.0.1:1234"}.where()
	if err != nil || at.API != "https://x.example" || at.origin() != at.API || at.Table != "T" || at.StandIns.All != "127.0.0.1:1234" || at.Functions["TurnFunction"] != "t" {
		t.Errorf("%+v %v", at, err)
	}
	if err := os.WriteFile(file, []byte(`{"outputs":{"Panel":"https://x.example"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (flags{addresses: file}).where(); err == nil {
		t.Error("no table, and no error")
	}
}
