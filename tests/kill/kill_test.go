// Package kill ends postern dev by kill -9 at random moments of a running
// scenario, starts it again, and checks that nothing was lost and nothing
// happened twice (issue of the whole street, "local").
//
// The stand-ins run in the test's own process, as the platforms outlive ours.
package kill

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/standin/github"
	"github.com/postern-dev/postern/shared/local/standin/slack"
)

// kills is how often the process is killed: KILLS, or a few.
func kills(t *testing.T) int {
	t.Helper()
	s := os.Getenv("KILLS")
	if s == "" {
		return 5
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("KILLS=%q is no number", s)
	}
	return n
}

// patience is how long the scenario may take to end after the last kill: the
// reconciler finds what was missed after two minutes, every half minute here.
const patience = 6 * time.Minute

func TestKillLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("left out in short mode: kills a real process")
	}
	t.Parallel()
	p := newPlay(t)
	n := kills(t)
	threads := max(6, n/2)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go p.opens(ctx, threads)
	go p.answers(ctx)
	for i := range n {
		time.Sleep(time.Duration(40+p.rng.IntN(700)) * time.Millisecond) // a real process: the moment is real time
		p.kill()
		p.start()
		if i%10 == 9 {
			t.Logf("%d kills, %d of %d threads reported", i+1, p.reported(threads), threads)
		}
	}
	end := time.Now().Add(patience)
	for p.reported(threads) < threads || p.unsettled() > 0 {
		if time.Now().After(end) {
			t.Fatalf("after %d kills %d of %d threads reported, %d cards are not settled", n, p.reported(threads), threads, p.unsettled())
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.kill()
	p.check(threads)
	checkRows(t, p.dir, threads)
	t.Logf("%d kills of %d threads: nothing lost, nothing twice", n, threads)
}

type play struct {
	t       *testing.T
	world   *local.World
	binary  string
	dir     string
	addr    string
	worldAt string
	rng     *rand.Rand
	child   *exec.Cmd
}

func newPlay(t *testing.T) *play {
	p := &play{t: t, dir: t.TempDir(), rng: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))}
	p.world = local.NewWorld(func() time.Time { return time.Now().UTC() })
	mux := http.NewServeMux()
	p.world.Routes(mux)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	p.worldAt = "http://" + l.Addr().String()
	p.addr = freeAddr(t)
	p.binary = filepath.Join(t.TempDir(), "postern")
	if out, err := exec.Command("go", "build", "-o", p.binary, "../../cmd/postern").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	// The issue that the agents comment on; nobody listens yet.
	if _, _, err := p.world.GitHub.Open(t.Context(), github.Hook{URL: "http://127.0.0.1:1", Client: &http.Client{Timeout: time.Second}},
		github.Draft{Author: "bob", Repo: "acme/shop", Title: "Old bug"}); err == nil {
		t.Fatal("a webhook to nowhere was delivered")
	}
	p.start()
	t.Cleanup(p.kill)
	return p
}

func freeAddr(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts postern dev and waits until it is up.
func (p *play) start() {
	c := exec.Command(p.binary, "dev", "--dir", p.dir, "--addr", p.addr, "--platforms", p.worldAt, "--reconcile", "30s")
	out, err := c.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	var errs strings.Builder
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.child = c
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "is up at") {
			go func() {
				for lines.Scan() { // its output must not block it
				}
			}()
			return
		}
	}
	p.t.Fatalf("postern dev did not start: %s", errs.String())
}

func (p *play) kill() {
	if p.child == nil {
		return
	}
	_ = p.child.Process.Kill()
	_ = p.child.Wait()
	p.child = nil
}

func (p *play) hook(platform string) string { return "http://" + p.addr + "/hooks/" + platform }

// opens lets Ada open issues that name the agent; GitHub's webhook is sent
// again until it is taken, as its redelivery is.
func (p *play) opens(ctx context.Context, n int) {
	client := &http.Client{Timeout: 5 * time.Second}
	for i := range n {
		_, a, err := p.world.GitHub.Open(ctx, github.Hook{URL: p.hook("github"), Client: client}, github.Draft{Author: "ada", Repo: "acme/shop",
			Title: fmt.Sprintf("Work %d", i), Body: fmt.Sprintf("@postern-agent comment on acme/shop#1: kill-%d-end; sleep 1", i)})
		for ctx.Err() == nil && (err != nil || a.Status != http.StatusOK) {
			time.Sleep(50 * time.Millisecond)
			a, err = p.world.GitHub.Again(ctx, a.GUID)
		}
		time.Sleep(time.Duration(20+i%7*15) * time.Millisecond)
	}
}

// answers taps Allow on every card that has buttons, now and then twice.
func (p *play) answers(ctx context.Context) {
	client := &http.Client{Timeout: 5 * time.Second}
	for ctx.Err() == nil {
		for _, m := range p.world.Slack.Posted("C0APPROVALS") {
			if len(m.Buttons()) > 0 {
				_, _ = p.world.Slack.Press(ctx, slack.Hook{URL: p.hook("slack"), Client: client}, "U0ADA", m.Channel, m.TS, 0)
			}
		}
		time.Sleep(60 * time.Millisecond)
	}
}

// reported counts the issues on which the work was taken on and reported.
func (p *play) reported(threads int) int {
	n := 0
	for i := range threads {
		if p.said(int64(i)+2, "Done:") > 0 && p.said(int64(i)+2, "On it. Ticket ") > 0 {
			n++
		}
	}
	return n
}

func (p *play) said(issue int64, has string) int {
	n := 0
	for _, c := range p.world.GitHub.Posted("acme/shop", issue) {
		n += strings.Count(c.Body, has)
	}
	return n
}

func (p *play) unsettled() int {
	n := 0
	for _, m := range p.world.Slack.Posted("C0APPROVALS") {
		if len(m.Buttons()) > 0 {
			n++
		}
	}
	return n
}

func (p *play) check(threads int) {
	for i := range threads {
		if n := p.said(1, fmt.Sprintf("kill-%d-end", i)); n != 1 {
			p.t.Errorf("the comment of thread %d was written %d times", i, n)
		}
		if n := p.said(int64(i)+2, "On it. Ticket "); n != 1 {
			p.t.Errorf("thread %d has %d receipts", i, n)
		}
		if n := p.said(int64(i)+2, "Done:"); n != 1 {
			p.t.Errorf("thread %d has %d reports", i, n)
		}
	}
}
