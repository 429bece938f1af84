// Package hook is the door that a coding agent meets before it uses a tool
// (S15): it takes the agent's question from its hook, asks a Postern over HTTP,
// waits there while a person decides, and says allow, deny or ask.
//
// It never allows by itself. Only a Postern's word allows, and of a call that
// a person approved only once its grant is spent (P25). It keeps nothing
// between two calls.
package hook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/postern-dev/postern/shared/domain/permission"
)

// Input is what a coding agent says before it uses a tool. Fields that are not
// named here are not looked at.
type Input struct {
	Session string          `json:"session_id"`
	Tool    string          `json:"tool_name"`
	Args    json.RawMessage `json:"tool_input"`
	Use     string          `json:"tool_use_id"` // of this very call; empty if the agent does not say
	Dir     string          `json:"cwd"`
}

// maxInput is the most bytes of an input: arguments are at most 256 KB.
const maxInput = 1 << 20

// Read reads an input. An error means that no decision can be made.
func Read(r io.Reader) (Input, error) {
	var in Input
	raw, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return in, fmt.Errorf("the hook's input cannot be read: %w", err)
	case len(raw) > maxInput:
		return in, errors.New("the hook's input is over 1 MB")
	case json.Unmarshal(raw, &in) != nil:
		return in, errors.New("the hook's input is not the JSON object that a coding agent gives a pre-tool-use hook")
	case in.Session == "" || in.Tool == "":
		return in, errors.New("the hook's input names no session_id or no tool_name")
	}
	if len(in.Args) == 0 {
		in.Args = json.RawMessage("{}")
	}
	return in, nil
}

// Permission is the decision in the agent's words.
type Permission string

const (
	Allow Permission = "allow"
	Deny  Permission = "deny"
	Ask   Permission = "ask" // the agent's own user decides
)

// Decision is what the agent is told.
type Decision struct {
	Permission Permission
	Reason     string
}

// Output is the decision as a pre-tool-use hook prints it.
func (d Decision) Output() []byte {
	type specific struct {
		Event      string     `json:"hookEventName"`
		Permission Permission `json:"permissionDecision"`
		Reason     string     `json:"permissionDecisionReason"`
	}
	b, _ := json.Marshal(map[string]specific{"hookSpecificOutput": {"PreToolUse", d.Permission, d.Reason}}) // strings: cannot fail
	return append(b, '\n')
}

// Hook decides by one Postern.
type Hook struct {
	API
	Sleep func(ctx context.Context, d time.Duration) error
	Now   func() time.Time
	NewID func() string // for calls that the agent gives no id
	Wait  time.Duration // how long it waits for a person
	// Unreachable is the decision when Postern cannot be reached: Ask or Deny.
	Unreachable Permission
	// Mode, Queue and Title of the session it opens; empty is the key's.
	Mode, Queue, Title string
}

// rounds is how often a call is submitted again because somebody else spent
// the grant that it had joined.
const rounds = 3

// Decide decides on one call.
func (h *Hook) Decide(ctx context.Context, in Input) Decision {
	d, err := h.decide(ctx, in)
	if err != nil {
		return h.failed(err)
	}
	return d
}

func (h *Hook) decide(ctx context.Context, in Input) (Decision, error) {
	end := h.Now().Add(h.Wait)
	session, err := h.open(ctx, in)
	if err != nil {
		return Decision{}, err
	}
	base := in.Use
	if base == "" {
		base = h.NewID()
	}
	for n := range rounds {
		idem := name("call", in.Session, base, fmt.Sprint(n))
		told, err := h.submit(ctx, session, idem, in)
		if err != nil {
			return Decision{}, err
		}
		if told, err = h.await(ctx, session, told, end); err != nil {
			return Decision{}, err
		}
		switch {
		case told.Decision == "waiting":
			return stillWaiting(told), nil
		case told.Decision != "allow":
			return Decision{Deny, words(told)}, nil
		case told.Grant == "":
			return Decision{Allow, words(told)}, nil
		}
		if other(told.Arguments, in.Args) {
			return Decision{Deny, "What was approved has other arguments than this call; ask for exactly those. Item " + told.Item}, nil
		}
		told, err = h.spend(ctx, session, told.Call, idem)
		var no *Refused
		if errors.As(err, &no) && no.Code == "spent" {
			continue // an equal call took the grant first: ask for one of our own
		}
		if err != nil {
			return Decision{}, err
		}
		if told.Decision != "allow" {
			return Decision{Deny, words(told)}, nil
		}
		return Decision{Allow, words(told)}, nil
	}
	return Decision{Deny, "equal calls took each approval of this call first. Ask for it again."}, nil
}

// await asks again after the time that Postern gives, until a person has
// decided or the wait is over.
func (h *Hook) await(ctx context.Context, session string, told Told, end time.Time) (Told, error) {
	for told.Decision == "waiting" {
		pause := min(max(time.Duration(told.RetryAfter)*time.Second, 2*time.Second), 30*time.Second)
		if left := end.Sub(h.Now()); left < pause {
			return told, nil
		}
		if err := h.Sleep(ctx, pause); err != nil {
			return told, nil // the agent gave up: the item goes on waiting
		}
		next, err := h.look(ctx, session, told.Call)
		if err != nil {
			return told, err
		}
		told = next
	}
	return told, nil
}

// failed decides when Postern gave no decision: a refusal by Postern is a no,
// anything else is as configured. Neither is ever yes.
func (h *Hook) failed(err error) Decision {
	var no *Refused
	if errors.As(err, &no) {
		return Decision{Deny, no.Words()}
	}
	d := Decision{Deny, "Postern could not be asked (" + err.Error() + "), so this call is not allowed. This is no denial by a person; try again later."}
	if h.Unreachable == Ask {
		d = Decision{Ask, "Postern could not be asked (" + err.Error() + "). Decide here."}
	}
	return d
}

func stillWaiting(t Told) Decision {
	s := "Still waiting for a person, item " + t.Item
	if t.Link != "" {
		s += " (" + t.Link + ")"
	}
	return Decision{Deny, s + ". This is no denial: do something else, or ask for exactly this call again later; it joins that item and takes its answer."}
}

func words(t Told) string {
	s := "Postern: " + t.Reason
	if t.Item != "" {
		s += " (item " + t.Item + ")"
	}
	return s
}

// title is the session's name for the people who answer.
func (h *Hook) title(in Input) string {
	switch {
	case h.Title != "":
		return h.Title
	case in.Dir != "":
		return "Coding agent in " + filepath.Base(in.Dir)
	}
	return "Coding agent"
}

// other reports whether a person approved something else than what the agent
// would run (P25).
func other(approved, args json.RawMessage) bool {
	a, _, errA := permission.Canonical(approved)
	b, _, errB := permission.Canonical(args)
	return errA != nil || errB != nil || !bytes.Equal(a, b)
}

// name makes an idempotency key of any texts.
func name(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return "hook-" + hex.EncodeToString(h.Sum(nil)[:20])
}
