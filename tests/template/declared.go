package template

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"

	"github.com/postern-dev/postern/shared/edge/calls"
)

// words are those of package calls: what a calls.go may be built of.
var words = map[string]func(string) []calls.Call{
	"Table":    func(string) []calls.Call { return calls.Table() },
	"Schedule": func(string) []calls.Call { return calls.Schedule() },
	"Converse": func(string) []calls.Call { return calls.Converse() },
	"Send":     calls.Send,
	"Shorten":  calls.Shorten,
	"Drain":    calls.Drain,
	"Secret":   calls.Secret,
}

// declaredCalls reads the variable Calls of a function's calls.go. The file is
// Go that the function compiles in; here it is read as source, because a main
// package cannot be imported. It must have the form
//
//	var Calls = calls.Join(calls.Table(), calls.Send("TriggersQueue"), ...)
func declaredCalls(dir string) ([]calls.Call, error) {
	path := filepath.Join(dir, "calls.go")
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read declared calls: %w", err)
	}
	return parseCalls(path, src)
}

func parseCalls(path string, src []byte) ([]calls.Call, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse declared calls: %w", err)
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, sp := range g.Specs {
			v := sp.(*ast.ValueSpec)
			if len(v.Names) != 1 || v.Names[0].Name != "Calls" || len(v.Values) != 1 {
				continue
			}
			list, err := evaluate(v.Values[0])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", fset.Position(v.Pos()), err)
			}
			return list, nil
		}
	}
	return nil, fmt.Errorf("%s: no variable Calls", path)
}

// evaluate works out calls.Join(...) and the words inside it.
func evaluate(e ast.Expr) ([]calls.Call, error) {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil, fmt.Errorf("only words of package calls are read here")
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, fmt.Errorf("only words of package calls are read here")
	}
	if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != "calls" {
		return nil, fmt.Errorf("only words of package calls are read here")
	}
	if sel.Sel.Name == "Join" {
		var all []calls.Call
		for _, a := range call.Args {
			list, err := evaluate(a)
			if err != nil {
				return nil, err
			}
			all = append(all, list...)
		}
		return all, nil
	}
	word, ok := words[sel.Sel.Name]
	if !ok {
		return nil, fmt.Errorf("calls.%s is no word of package calls", sel.Sel.Name)
	}
	arg := ""
	if len(call.Args) == 1 {
		lit, ok := call.Args[0].(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return nil, fmt.Errorf("calls.%s takes one plain string here", sel.Sel.Name)
		}
		s, err := strconv.Unquote(lit.Value)
		if err != nil {
			return nil, err
		}
		arg = s
	}
	return word(arg), nil
}
