// Command deployed tries what deploys and operates Postern, on an account that
// an emulator plays: make deploy with answers from a pipe, doctor, status, the
// closed door, setup, redrive, uninstall. It plays the three platforms. Each
// thing seen is one JSON line, and the last says done; infra/deploy/try.sh
// starts the account.
//
// It looks only at what a deployer sees: commands' output and exit codes, the
// entrances, and by its AWS credentials the secrets, queues and table.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/postern-dev/postern/shared/local/scenario"
)

// trial is one stack and how to get at it.
type trial struct {
	ctx                            context.Context
	stack, url, postern, tmp, root string
	world                          *world
	began                          time.Time
	out                            *json.Encoder
	said                           string // all that the commands printed
}

func main() {
	var t trial
	flag.StringVar(&t.stack, "stack", "trial", "name of the stack")
	flag.StringVar(&t.url, "url", "", "address that the deployment will have")
	flag.StringVar(&t.postern, "postern", "", "the program")
	flag.StringVar(&t.tmp, "tmp", "", "empty folder for what the commands put anywhere")
	flag.StringVar(&t.root, "root", ".", "the repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	t.ctx, t.began, t.out = ctx, time.Now(), json.NewEncoder(os.Stdout)
	if err := t.run(); err != nil {
		fmt.Fprintln(os.Stderr, "deployed:", err)
		os.Exit(1)
	}
}

func (t *trial) run() error {
	world, err := play()
	if err != nil {
		return err
	}
	defer world.stop()
	t.world = world
	for _, x := range []struct {
		name string
		run  func() (string, error)
	}{
		{"deployed from nothing", t.first},
		{"no key left behind", t.clean},
		{"deployed again, all kept", t.again},
		{"doctor finds nothing wrong", t.healthy},
		{"status", t.status},
		{"closed door", t.door},
		{"rotated key", t.rotate},
		{"dead letter found and redriven", t.dead},
		{"restored to an earlier moment", t.restore},
		{"what doctor sees is wrong", t.wrong},
		{"uninstall says what it would do", t.look},
		{"uninstalled, the table kept", t.uninstall},
	} {
		what, err := x.run()
		s := scenario.Step{Step: x.name, At: time.Since(t.began).Round(time.Millisecond).String(), What: what, OK: err == nil}
		if err != nil {
			s.What = err.Error()
		}
		if err := t.out.Encode(s); err != nil {
			return err
		}
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	return t.out.Encode(scenario.Step{Step: "done", At: time.Since(t.began).Round(time.Millisecond).String(), OK: true})
}
