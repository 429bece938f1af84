package doctor

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/model"
	"github.com/postern-dev/postern/shared/store"
)

// U4: a healthy deployment has nothing wrong, and each connection is said to
// have been looked at.
func TestU4_HealthyIsHealthy(t *testing.T) {
	t.Parallel()
	all, wrong := build(t, nil).examine()
	if len(wrong) > 0 {
		t.Errorf("wrong: %v in %+v", wrong, all)
	}
	said := map[string]Level{}
	for _, f := range all {
		said[f.Check] = f.Level
	}
	for _, check := range []string{"address", "slack.entrance", "feishu.entrance", "github.entrance", "slack", "slack.channel", "slack.messages", "slack.clicks",
		"feishu", "feishu.messages", "feishu.clicks", "github", "link", "model", "policy", "queues", "reconciler"} {
		if said[check] != OK {
			t.Errorf("%s is %q", check, said[check])
		}
	}
}

// U4: each way of being wrong turns its own check red, no other, says what to
// do, and repeats no secret.
func TestU4_EachWayOfBeingWrongIsFound(t *testing.T) {
	t.Parallel()
	for _, x := range ways {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := build(t, x.before)
			if x.after != nil {
				x.after(w)
			}
			all, wrong := w.examine()
			want := slices.Sorted(slices.Values(x.wrong))
			if !slices.Equal(wrong, want) {
				t.Errorf("red: %v, want %v", wrong, want)
			}
			said := false
			for _, f := range all {
				if f.Level == Wrong && f.Do == "" {
					t.Errorf("%s does not say what to do", f.Check)
				}
				said = said || f.Level == Wrong && strings.Contains(f.Says+f.Do, x.says)
				for _, secret := range tokens(w) {
					if strings.Contains(f.Says+f.Do, secret) {
						t.Errorf("%s repeats a secret", f.Check)
					}
				}
			}
			if !said {
				t.Errorf("nothing says %q: %+v", x.says, all)
			}
		})
	}
}

// U4: what cannot be known is said to be unknown and makes nothing wrong.
func TestU4_NotKnownIsNotWrong(t *testing.T) {
	t.Parallel()
	fresh := func(w *world) { w.unheard, w.unclicked = "slack", "feishu" }
	for name, x := range map[string]struct {
		check  string
		before func(*world)
		after  func(*world)
	}{
		"a card that was shown just now": {"feishu.clicks", fresh, func(w *world) { w.card("feishu", start.Add(-time.Minute)) }},
		"no message yet":                 {"slack.messages", fresh, nil},
		"no model":                       {"model.none", nil, func(w *world) { w.target.Model = nil }},
		"a scripted model":               {"model.played", nil, func(w *world) { w.target.Model = func(context.Context) (Talker, string, error) { return nil, "", nil } }},
		"a busy model":                   {"model.busy", nil, func(w *world) { w.model = &model.Error{Kind: model.Overloaded} }},
		"a card that was given up": {"cards.given", nil, func(w *world) {
			w.card("slack", start.Add(-time.Minute))
			items, _, err := w.run.Store.Items(w.ctx, "", 1)
			if err != nil {
				w.Fatal(err)
			}
			row, err := w.run.Store.Shown(w.ctx, items[0].ID, items[0].Places[0])
			if err != nil {
				w.Fatal(err)
			}
			row.State, row.Error = store.Dropped, "send: message_not_found (final)"
			w.write(store.SaveShown(*row))
		}},
		"a new deployment": {"reconciler.young", nil, func(w *world) {
			w.target.Since = start.Add(-time.Minute)
			w.target.Reconciled = func(context.Context) (time.Time, error) { return time.Time{}, nil }
		}},
		"a log that cannot be read": {"reconciler.unknown", nil, func(w *world) {
			w.target.Reconciled = func(context.Context) (time.Time, error) { return time.Time{}, errors.New("denied") }
		}},
		"a Source that lists nobody":  {"policy.listed", nil, func(w *world) { w.apply(strings.Replace(rules, "listed: [slack:T0DEV/U0ADA]", "listed: []", 1)) }},
		"cards where sessions listen": {"policy.mixed", nil, func(w *world) { w.apply(strings.Replace(rules, "C0APPROVALS", "C0OPS", 1)) }},
		"a platform that no Source listens to": {"policy.unheard", nil, func(w *world) {
			w.apply(strings.Replace(rules, "platform: feishu\n    accounts: [cli_dev]\n    scopes: [{name: oc_ops}]\n    listed: [feishu:cli_dev/ou_ada]", "platform: github\n    accounts: [acme]\n    scopes: [{name: comments}]\n    listed: []", 1))
		}},
		"hook config hidden":       {"github.hook.unknown", nil, func(w *world) { w.answer("back GET /github/app/hook/config", 403, object{}) }},
		"deliveries hidden":        {"github.deliveries.unknown", nil, func(w *world) { w.answer("back GET /github/app/hook/deliveries", 403, object{}) }},
		"an installation not seen": {"github.installation.unknown", nil, func(w *world) { w.answer("back GET /github/app/installations/7700", 502, object{}) }},
		"a channel not seen":       {"slack.channel.unknown", nil, func(w *world) { w.answer("back POST /slack/conversations.info", 500, object{}) }},
		"paused":                   {"policy.paused", nil, func(w *world) { w.pause() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := build(t, x.before)
			if x.after != nil {
				x.after(w)
			}
			all, wrong := w.examine()
			if len(wrong) > 0 {
				t.Errorf("wrong: %v", wrong)
			}
			if !slices.ContainsFunc(all, func(f Finding) bool { return f.Check == x.check && f.Level == Note }) {
				t.Errorf("no note %s: %+v", x.check, all)
			}
		})
	}
}

// U4: GitHub alone is a whole deployment, by a token as well.
func TestU4_GitHubAloneIsWhole(t *testing.T) {
	t.Parallel()
	w := build(t, func(w *world) {
		w.opened.Slack, w.opened.Feishu = nil, nil
		delete(w.target.Secrets, "slack")
		delete(w.target.Secrets, "feishu")
		w.replaced = "owners: [panel:ada]\nsources:\n  - {name: g, platform: github, accounts: [acme/shop], scopes: [{name: issues}], listed: ['github:11']}\n"
	})
	all, wrong := w.examine()
	if len(wrong) > 0 {
		t.Errorf("wrong: %v in %+v", wrong, all)
	}
	for _, f := range all {
		if strings.HasPrefix(f.Check, "slack") && f.Check != "slack.absent" {
			t.Errorf("%+v", f)
		}
	}
}

// TestU4_EachCheckHasItsRow reads the source: every check that can be wrong
// has a row that makes it so.
func TestU4_EachCheckHasItsRow(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	sources, err := filepath.Glob("*.go")
	if err != nil || len(sources) < 5 {
		t.Fatal(len(sources), err)
	}
	known := map[string]bool{}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, source, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "bad" {
				switch check := call.Args[0].(type) {
				case *ast.BasicLit:
					s, _ := strconv.Unquote(check.Value)
					known[s] = true
				case *ast.BinaryExpr: // platform + ".entrance.off": one row on any platform
					s, _ := strconv.Unquote(check.Y.(*ast.BasicLit).Value)
					known["*"+s] = true
				default:
					t.Errorf("a check that is not written out: %v", files.Position(call.Pos()))
				}
			}
			return true
		})
	}
	if len(known) < 30 {
		t.Fatalf("only %d checks found: the test does not see them", len(known))
	}
	for _, x := range ways {
		for _, check := range x.wrong {
			delete(known, check)
			_, rest, _ := strings.Cut(check, ".")
			delete(known, "*."+rest)
		}
	}
	if len(known) > 0 {
		t.Errorf("no way of being wrong for %v", slices.Sorted(maps.Keys(known)))
	}
}
