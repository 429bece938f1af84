package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
)

// dev is a postern dev of ours, which is killed and started again on the same
// files.
type dev struct {
	binary, dir, addr, world string
	log                      logs
	child                    *exec.Cmd
	lost                     time.Time // when the lost record was written
}

// logs keeps what every start of it wrote to standard error.
type logs struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// newDev gives it a folder and a free loopback address that it keeps.
func newDev(binary, world string) (*dev, error) {
	dir, err := os.MkdirTemp("", "postern-e2e-")
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &dev{binary: binary, dir: dir, world: world, addr: l.Addr().String()}
	return d, errors.Join(l.Close(), os.WriteFile(d.policy(), rules, 0o600))
}

func (d *dev) url() string    { return "http://" + d.addr }
func (d *dev) policy() string { return filepath.Join(d.dir, "policy.yaml") }

// start starts it and waits until it says that it is up.
func (d *dev) start(ctx context.Context) error {
	c := exec.Command(d.binary, "dev", "--dir", d.dir, "--addr", d.addr, "--platforms", d.world, "--policy", d.policy(),
		"--reconcile", "10s", "--verbose", "--json")
	c.Stderr = &d.log
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("start postern dev: %w", err)
	}
	d.child = c
	stop := context.AfterFunc(ctx, func() { _ = c.Process.Kill() })
	defer stop()
	var up struct{ URL string }
	if err := json.NewDecoder(out).Decode(&up); err != nil || up.URL != d.url() {
		d.end()
		return fmt.Errorf("postern dev did not come up: %w\n%s", err, d.log.String())
	}
	return nil // it writes nothing more there
}

// end kills it, as power that fails does.
func (d *dev) end() {
	if d.child != nil {
		_ = d.child.Process.Kill()
		_ = d.child.Wait()
		d.child = nil
	}
}

func (d *dev) close() {
	d.end()
	_ = os.RemoveAll(d.dir)
}

// kill ends the process that waits for an answer: it has to be ours.
func (d *dev) kill(ctx context.Context, peer string) (string, error) {
	pid, err := processAt(peer)
	if err != nil {
		return "", err
	}
	if pid != d.child.Process.Pid {
		return "", fmt.Errorf("process %d waits for the answer, not postern dev, %d", pid, d.child.Process.Pid)
	}
	d.end()
	return fmt.Sprintf("postern dev, process %d, was killed and started again on the same files", pid), d.start(ctx)
}

// table opens the file beside whoever has it open.
func (d *dev) table(f func(*sqlite.DB, *store.Store) error) error {
	db, err := sqlite.Open(filepath.Join(d.dir, "table.db"))
	if err != nil {
		return err
	}
	return errors.Join(f(db, store.New(db)), db.Close())
}

func (d *dev) login(ctx context.Context) (key string, err error) {
	err = d.table(func(_ *sqlite.DB, s *store.Store) error {
		key, err = (&door{store: s}).login(ctx)
		return err
	})
	return key, err
}
