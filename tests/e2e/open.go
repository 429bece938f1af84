package main

import (
	"context"
	"time"

	"github.com/postern-dev/postern/shared/local/scenario"
)

// postern is one that is played against.
type postern struct {
	target scenario.Target
	closes []func()
}

func (p *postern) close() {
	for i := len(p.closes) - 1; i >= 0; i-- {
		p.closes[i]()
	}
}

// open finds a Postern, or starts one, and plays the platforms for it.
func (f flags) open(ctx context.Context) (*postern, error) {
	w := newWorld()
	p := &postern{target: scenario.Target{Slack: w.Slack, Feishu: w.Feishu, GitHub: w.GitHub, Hold: w.hold, Patience: f.patience, Nap: f.nap}}
	opened := f.deployed
	if f.dev != "" {
		opened = f.started
	}
	if err := opened(ctx, w, p); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// started starts postern dev.
func (f flags) started(ctx context.Context, w *world, p *postern) error {
	at := where{}
	at.StandIns.All = "127.0.0.1:0"
	stop, played, err := at.play(w)
	if err != nil {
		return err
	}
	p.closes = append(p.closes, stop)
	d, err := newDev(f.dev, "http://"+played)
	if err != nil {
		return err
	}
	p.closes = append(p.closes, d.close)
	if err := d.start(ctx); err != nil {
		return err
	}
	p.target.URL, p.target.Client, p.target.Origin = d.url(), client(""), d.url()
	p.target.SignIn = d.login
	p.target.Levers = scenario.Levers{Kill: d.kill, LoseRecord: d.loseRecord, Found: d.found, Hasty: true}
	return nil
}

// deployed finds what runs already.
func (f flags) deployed(ctx context.Context, w *world, p *postern) error {
	at, err := f.where()
	if err != nil {
		return err
	}
	stop, _, err := at.play(w)
	if err != nil {
		return err
	}
	p.closes = append(p.closes, stop)
	d, err := openDoor(ctx, at.Table, f.key)
	if err != nil {
		return err
	}
	p.target.URL, p.target.Client, p.target.Origin, p.target.SignIn = at.API, client(at.Host), at.origin(), d.login
	if len(at.Functions) == 0 {
		p.target.Levers.Without = "the functions' names are not known: only --addresses says them, or --dev starts a Postern"
		return nil
	}
	l, err := newLevers(ctx, at, d.store)
	if err != nil {
		return err
	}
	p.closes = append(p.closes, func() { l.restore(context.WithoutCancel(ctx), time.Now().Add(30*time.Second)) })
	p.target.Levers, err = l.levers(ctx)
	return err
}
