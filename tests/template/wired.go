package template

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/postern-dev/postern/shared/edge/calls"
)

// methods says what each method of functions/wire's Base, and of what it makes,
// lets a function call.
var methods = map[string][]calls.Call{
	"Start":        calls.Table(),
	"LinkKey":      calls.Secret("LinkSecret"),
	"Slack":        calls.Secret("SlackSecretArn"),
	"SlackClient":  calls.Secret("SlackSecretArn"),
	"Feishu":       calls.Secret("FeishuSecretArn"),
	"FeishuClient": calls.Secret("FeishuSecretArn"),
	"GitHub":       calls.Secret("GithubSecretArn"),
	"GitHubClient": calls.Secret("GithubSecretArn"),
	"Timer":        calls.Schedule(),
	"RedriveOnce":  calls.Join(calls.Drain("TriggersDeadQueue"), calls.Send("TriggersQueue")),
}

// made says what a client that a function makes for itself lets it call.
var made = map[string][]calls.Call{
	"bedrockruntime.NewFromConfig": calls.Converse(),
}

// handed says what handing the queues to a field of a flow lets it call. In
// lambda.Handler it is the visibility of the function's own queue.
var handed = map[string][]calls.Call{
	"ingest.Handler.Queue":      calls.Send("TriggersQueue"),
	"dispatch.Dispatcher.Queue": calls.Join(calls.Send("TriggersQueue"), calls.Send("OutboundQueue"), calls.Send("TurnsQueue"), calls.Send("WakesQueue")),
}

// wiredCalls reads from a function's source what its wiring lets it call.
func wiredCalls(dir, function string) (map[calls.Call]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	w := &wiring{own: calls.Shorten(sources[function]), found: map[calls.Call]bool{}}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || filepath.Base(f) == "calls.go" {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("read wiring: %w", err)
		}
		if err := w.read(f, src); err != nil {
			return nil, err
		}
	}
	return w.found, nil
}

type wiring struct {
	own   []calls.Call // shortening the function's own queue
	found map[calls.Call]bool
}

func (w *wiring) read(name string, src []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse wiring: %w", err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				w.add(methods[sel.Sel.Name])
				if pkg, ok := sel.X.(*ast.Ident); ok {
					w.add(made[pkg.Name+"."+sel.Sel.Name])
				}
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "ModelSecret" {
				w.add(calls.Secret("ModelSecretArn"))
			}
		case *ast.CompositeLit:
			w.literal(n)
		}
		return true
	})
	return nil
}

// literal looks at the fields of pkg.Type{Field: ...}.
func (w *wiring) literal(n *ast.CompositeLit) {
	sel, ok := n.Type.(*ast.SelectorExpr)
	if !ok {
		return
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return
	}
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		field := fmt.Sprintf("%s.%s.%v", pkg.Name, sel.Sel.Name, kv.Key)
		w.add(handed[field])
		if field == "lambda.Handler.Visibility" {
			w.add(w.own)
		}
	}
}

func (w *wiring) add(list []calls.Call) {
	for _, c := range list {
		w.found[c] = true
	}
}

// checkWiring compares what a function declares with what its wiring lets it
// call, both ways (D2).
func checkWiring(function string, declared []calls.Call, wired map[calls.Call]bool) []finding {
	var bad []finding
	said := map[calls.Call]bool{}
	for _, c := range declared {
		if said[c] = true; !wired[c] {
			bad = append(bad, fmt.Sprintf("%s declares %s:%s on %s, which nothing in its wiring can call", function, c.Service, c.Action, c.Resource))
		}
	}
	for c := range wired {
		if !said[c] {
			bad = append(bad, fmt.Sprintf("%s can call %s:%s on %s and does not declare it", function, c.Service, c.Action, c.Resource))
		}
	}
	return bad
}
