package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/cmd/postern/internal/event"
	"github.com/postern-dev/postern/infra/policy"
	domain "github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/local"
	"github.com/postern-dev/postern/shared/local/clock"
	"github.com/postern-dev/postern/shared/local/scenario"
)

func demoCommand() *cobra.Command {
	var asJSON, verbose bool
	var model string
	c := &cobra.Command{Use: "demo", Short: "The main job, start to finish, on this machine",
		Long: "Plays people on Slack, GitHub and Feishu against a whole Postern in this process, and shows each step as it is seen. Exit code 0 only if every step was seen.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return demo(cmd.Context(), cmd.OutOrStdout(), model, asJSON, verbose)
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object per step")
	c.Flags().StringVar(&model, "model", "scripted:demo", "the agent's model, provider:model; a real one needs its key in the environment")
	c.Flags().BoolVar(&verbose, "verbose", false, "Postern's own log on standard error")
	return c
}

func demo(ctx context.Context, out io.Writer, model string, asJSON, verbose bool) error {
	dir, err := os.MkdirTemp("", "postern-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	log := slog.New(slog.DiscardHandler)
	if verbose {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	r, world, close, err := startDemo(dir, model, log)
	if err != nil {
		return err
	}
	defer close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()

	if !asJSON {
		fmt.Fprintln(out, "Postern in one process, with Slack, GitHub and Feishu played by stand-ins. The agent's model")
		fmt.Fprintf(out, "is %s. Everything between is real.\n\n", model)
	}
	played := scenario.Demo(ctx, scenario.Target{
		URL: r.PublicURL, Client: &http.Client{Timeout: 20 * time.Second}, Slack: world.Slack, Feishu: world.Feishu, GitHub: world.GitHub,
		SignIn:   func(ctx context.Context) (string, error) { return r.LoginKey(ctx, "panel:owner", "Owner", "owner") },
		Patience: 20 * time.Second, Nap: 2,
	}, printer(out, asJSON))
	stop()
	if err := <-ended; err != nil {
		return err
	}
	if played != nil {
		return errTold
	}
	return nil
}

// startDemo opens the runtime and its two listeners: Postern, and the world.
func startDemo(dir, model string, log *slog.Logger) (*local.Runtime, *local.World, func(), error) {
	world := local.NewWorld(clock.Real{}.Now)
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, nil, err
	}
	back, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, nil, err
	}
	cfg := local.Config{Dir: dir, Clock: clock.Real{}, Log: log, LinkKey: []byte(event.DevLinkKey),
		PublicURL: "http://" + front.Addr().String(), Model: modelByName, ModelName: model, Private: true}
	if cfg.Policy, err = domain.Parse("dev.yaml", policy.Dev); err != nil {
		return nil, nil, nil, err
	}
	cfg.Source = string(policy.Dev)
	world.Connect(&cfg, "http://"+back.Addr().String())
	r, err := local.Open(cfg)
	if err != nil {
		return nil, nil, nil, err
	}
	mux := http.NewServeMux()
	world.Routes(mux)
	servers := []*http.Server{serve(front, r.Handler), serve(back, mux)}
	return r, world, func() {
		for _, s := range servers {
			_ = s.Close()
		}
		_ = r.Close()
	}, nil
}

func serve(l net.Listener, h http.Handler) *http.Server {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(l) }()
	return s
}

// printer shows steps: for people a line each, else a JSON object each (U2).
func printer(out io.Writer, asJSON bool) scenario.Report {
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		return func(s scenario.Step) { _ = enc.Encode(s) }
	}
	return func(s scenario.Step) {
		if s.Step == "done" {
			fmt.Fprintln(out, "\nEvery step was seen.")
			return
		}
		mark := "ok  "
		if !s.OK {
			mark = "FAIL"
		}
		fmt.Fprintf(out, "%8s  %s  %-24s %s\n", s.At, mark, s.Step, s.What)
	}
}
