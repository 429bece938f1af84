package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/infra/policy"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/playground"
)

type devFlags struct {
	dir, addr, model, policy, public, world string
	reconcile                               time.Duration
	verbose, json                           bool
}

func devCommand() *cobra.Command {
	var f devFlags
	c := &cobra.Command{Use: "dev", Short: "The whole system in one process on a SQLite file",
		Long: "Runs all of Postern on this machine, restart-safe, with the panel at a printed address and the three platforms played by stand-ins. Kill it at any moment: nothing that was accepted is lost.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return dev(cmd.Context(), cmd.OutOrStdout(), f) }}
	c.Flags().StringVar(&f.dir, "dir", ".dev", "where its files lie")
	c.Flags().StringVar(&f.addr, "addr", "127.0.0.1:7171", "loopback address to listen on")
	c.Flags().StringVar(&f.model, "model", "scripted:dev", "model of hosted agents, provider:model")
	c.Flags().StringVar(&f.policy, "policy", "", "policy.yaml for the first start (default: the development policy)")
	c.Flags().StringVar(&f.public, "public-url", "", "address that people and platforms use, if a tunnel leads here")
	c.Flags().StringVar(&f.world, "platforms", "", "address of stand-ins that run elsewhere (tests)")
	c.Flags().DurationVar(&f.reconcile, "reconcile", 5*time.Minute, "how often what was missed is looked for")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "log everything")
	c.Flags().BoolVar(&f.json, "json", false, "one JSON object with the address and the sign-in link, when it is up")
	return c
}

func dev(ctx context.Context, out io.Writer, f devFlags) error {
	if err := loopback(f.addr); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("%w; is another postern dev running? use --addr", err)
	}
	cfg, err := f.config("http://" + l.Addr().String())
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	var world *local.World
	if f.world == "" {
		f.world = "http://" + l.Addr().String() + "/platforms"
		world = local.NewWorld(clock.Real{}.Now)
		played := http.NewServeMux()
		world.Routes(played)
		mux.Handle("/platforms/", playground.Here(http.StripPrefix("/platforms", played)))
		world.Connect(&cfg, f.world)
		cfg.StandIns = playground.Path
	} else {
		(&local.World{}).Connect(&cfg, f.world)
	}
	r, err := local.Open(cfg)
	if err != nil {
		return err
	}
	defer r.Close()
	mux.Handle("/", r.Handler)
	if world != nil {
		mux.Handle(playground.Path, (&playground.Page{Slack: world.Slack, Feishu: world.Feishu, GitHub: world.GitHub,
			Hooks: "http://" + l.Addr().String() + "/hooks", Client: &http.Client{Timeout: time.Minute}, Panel: r.Panel, Log: cfg.Log}).Routes())
	}
	s := serve(l, mux)
	defer s.Close()
	key, err := r.LoginKey(ctx, "panel:owner", "Owner", "owner")
	if err != nil {
		return err
	}
	link := cfg.PublicURL + "/login?key=" + key
	if err := (output{out, f.json}).value(map[string]string{"url": cfg.PublicURL, "dir": f.dir, "login": link}, func(w io.Writer) {
		fmt.Fprintf(w, "Postern is up at %s, its files in %s\nSign in once at %s\n", cfg.PublicURL, f.dir, link)
		if world != nil {
			fmt.Fprintf(w, "Then be the people of Slack, Feishu and GitHub at http://%s%s\n", l.Addr(), playground.Path)
		}
	}); err != nil {
		return err
	}
	if err := r.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if !f.json {
		fmt.Fprintln(out, "Stopped. Start again with the same --dir to go on.")
	}
	return nil
}

func (f devFlags) config(url string) (local.Config, error) {
	level := slog.LevelWarn
	if f.verbose {
		level = slog.LevelDebug
	}
	cfg := local.Config{Dir: f.dir, Clock: clock.Real{}, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
		PublicURL: url, Reconcile: f.reconcile, Model: modelByName, ModelName: f.model}
	if f.public != "" {
		cfg.PublicURL = f.public
	}
	var err error
	if cfg.LinkKey, err = linkKey(f.dir); err != nil {
		return cfg, err
	}
	name, text := "dev.yaml", policy.Dev
	if f.policy != "" {
		if text, err = os.ReadFile(f.policy); err != nil {
			return cfg, err
		}
		name = filepath.Base(f.policy)
	}
	cfg.Source = string(text)
	cfg.Policy, err = domain.Parse(name, text)
	return cfg, err
}

// loopback refuses any address that others can reach (U8).
func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--addr %s is reachable from outside; postern dev listens on loopback only", addr)
	}
	return nil
}
