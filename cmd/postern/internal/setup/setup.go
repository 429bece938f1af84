// Package setup asks for what a connector's secret holds and stores it in
// Secrets Manager (U4, D3).
//
// An answer goes from the keyboard to the store: it is never written to a disk,
// put into a command line, or shown again. Asked anew it keeps what is stored
// where the answer is empty, and keeps a signing secret that is replaced beside
// the new one until it is told to end that.
package setup

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Vault stores secrets. *Manager is one.
type Vault interface {
	// Read gives what a secret holds, nil if there is no such secret.
	Read(ctx context.Context, name string) (arn string, values map[string]string, err error)
	// Write makes a secret, or gives an existing one new values.
	Write(ctx context.Context, name string, values map[string]string) (arn string, err error)
}

// Result is what became of one connector's secret.
type Result struct {
	Connector string `json:"connector"`
	ARN       string `json:"arn"`
	Made      bool   `json:"made"`    // it was not there before
	Changed   bool   `json:"changed"` // it holds something new
}

// Ask asks for a connector's secret and stores it under a name or ARN. Nothing
// is stored unless all of it is there and the connector takes it.
// api is where the platform's API is, empty for the usual place or what is
// stored.
func Ask(ctx context.Context, t *Terminal, v Vault, c Connector, name, url, api string) (Result, error) {
	arn, was, err := v.Read(ctx, name)
	if err != nil {
		return Result{}, err
	}
	r := Result{Connector: c.Name, ARN: arn, Made: arn == ""}
	if words := c.First(url); words != "" && r.Made {
		t.Say("\n" + words + "\n")
	}
	now := map[string]string{}
	for k, value := range was {
		now[k] = value
	}
	if api != "" {
		now["api"] = api
	}
	for _, k := range c.Keys {
		if err := t.key(k, was, now); err != nil {
			return r, err
		}
	}
	for _, k := range c.Keys {
		if err := t.rotate(k, was, now); err != nil {
			return r, err
		}
	}
	raw, err := json.Marshal(now)
	if err != nil {
		return r, err
	}
	if err := c.check(raw); err != nil {
		return r, fmt.Errorf("nothing was stored: %w", err)
	}
	if r.Changed = !same(was, now); !r.Changed {
		t.Say(c.Title + ": nothing changed.")
		return r, nil
	}
	if r.ARN, err = v.Write(ctx, name, now); err != nil {
		return r, err
	}
	t.Say(c.Title + ": stored in " + r.ARN + ".")
	if words := c.Then(url); words != "" {
		t.Say(words)
	}
	return r, nil
}

// key asks for one key.
func (t *Terminal) key(k Key, was, now map[string]string) error {
	if k.When != nil && !k.When(now) {
		delete(now, k.Name)
		return nil
	}
	for range 3 {
		answer, err := t.answer(k, was[k.Name] != "")
		if err != nil {
			return err
		}
		switch {
		case answer != "":
			now[k.Name] = answer
		case now[k.Name] == "" && k.Made:
			now[k.Name] = rand.Text()
			t.Say("  made one; it is shown this once, for the App's form: " + now[k.Name])
		}
		if now[k.Name] != "" || !k.Need {
			return nil
		}
		t.Say("  this one is needed.")
	}
	return fmt.Errorf("nothing was stored: %s was not given", k.Name)
}

func (t *Terminal) answer(k Key, stored bool) (string, error) {
	question := "  " + k.Ask
	if stored {
		question += " [stored; Enter keeps it]"
	}
	if k.Hidden {
		return t.Hidden(question + " (not shown): ")
	}
	answer, err := t.Line(question + ": ")
	if err != nil || !k.File || answer == "" {
		return answer, err
	}
	if rest, ok := strings.CutPrefix(answer, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		answer = home + "/" + rest
	}
	raw, err := os.ReadFile(answer)
	if err != nil {
		return "", fmt.Errorf("nothing was stored: %w", err)
	}
	return string(raw), nil
}

// rotate keeps the value that was replaced, or asks whether an older one is to
// be given up.
func (t *Terminal) rotate(k Key, was, now map[string]string) error {
	if k.Before == "" || was[k.Name] == "" {
		return nil
	}
	if was[k.Name] != now[k.Name] {
		now[k.Before] = was[k.Name]
		t.Say("  " + k.Name + ": the one before is accepted, too, until setup is told to end that.")
		return nil
	}
	if now[k.Before] == "" {
		return nil
	}
	end, err := t.Yes("  "+k.Name+": the one before is still accepted. End that?", false)
	if end {
		delete(now, k.Before)
	}
	return err
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || w != v {
			return false
		}
	}
	return true
}

// ErrEnded is an input that ended before its questions did.
var ErrEnded = errors.New("the answers ended before the questions did")
