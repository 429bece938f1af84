package template

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const module = "github.com/postern-dev/postern/"

// shape is how a metric stands in CloudWatch: with the one dimension "label", or
// with none.
type shape string

const (
	labelled shape = "label"
	plain    shape = "plain"
)

// emitters are the functions that write a metric, by their name in the code;
// the metric's own name is their first argument.
var emitters = map[string]shape{"Count": labelled, "Gauge": plain, "GaugeOf": plain, "Took": plain}

// emittedBy reads which metrics the packages that the functions are made of
// write: from the source, since most of them are written when something goes
// wrong.
func emittedBy(root string, functions []string) (map[string]map[shape]bool, error) {
	w := &emission{root: root, seen: map[string]bool{}, found: map[string]map[shape]bool{}}
	for _, f := range functions {
		if err := w.pkg("functions/" + strings.ToLower(f)); err != nil {
			return nil, err
		}
	}
	return w.found, nil
}

type emission struct {
	root  string
	seen  map[string]bool // packages
	found map[string]map[shape]bool
}

// pkg reads a package and those of ours that it imports.
func (w *emission) pkg(dir string) error {
	if w.seen[dir] {
		return nil
	}
	w.seen[dir] = true
	files, err := filepath.Glob(filepath.Join(w.root, dir, "*.go"))
	if err != nil {
		return fmt.Errorf("package %s: %w", dir, err)
	}
	if len(files) == 0 {
		return fmt.Errorf("there is no package %s", dir)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read metrics: %w", err)
		}
		imports, err := w.file(path, src)
		if err != nil {
			return err
		}
		for _, i := range imports {
			if err := w.pkg(i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *emission) file(name string, src []byte) (imports []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse metrics: %w", err)
	}
	for _, i := range file.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(path, module) {
			imports = append(imports, strings.TrimPrefix(path, module))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			w.call(call)
		}
		return true
	})
	return imports, nil
}

// call looks at one call: x.Count("name", label), x.Gauge("name", value).
func (w *emission) call(call *ast.CallExpr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) < 2 {
		return
	}
	f, ok := emitters[sel.Sel.Name]
	name, isText := literal(call.Args[0])
	if x, pkg := sel.X.(*ast.Ident); !ok || !isText || pkg && x.Name == "strings" {
		return
	}
	if label, isText := literal(call.Args[1]); f == labelled && isText && label == "" {
		f = plain
	}
	if w.found[name] == nil {
		w.found[name] = map[shape]bool{}
	}
	w.found[name][f] = true
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
