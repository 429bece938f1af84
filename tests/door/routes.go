package door

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var pattern = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE) /\S*$`)

// Routes reads the routes of the panel and of the API out of their source:
// whatever is written there as a method and a path.
func Routes(root string) ([]string, error) {
	var found []string
	for _, dir := range []string{"shared/flow/panel", "shared/flow/api"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return nil, err
		}
		before := len(found)
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			list, err := in(f)
			if err != nil {
				return nil, err
			}
			found = append(found, list...)
		}
		if len(found)-before < 5 {
			return nil, fmt.Errorf("%s: only %d routes found: this does not see them", dir, len(found)-before)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

func in(file string) (found []string, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(token.NewFileSet(), file, raw, 0)
	if err != nil {
		return nil, err
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		route := ""
		switch n := n.(type) {
		case *ast.BasicLit: // "GET /inbox"
			route = text(n)
		case *ast.CompositeLit: // {"GET", "/v1/items", ...}
			if len(n.Elts) >= 2 {
				route = text(n.Elts[0]) + " " + text(n.Elts[1])
			}
		}
		if pattern.MatchString(route) {
			found = append(found, route)
		}
		return true
	})
	return found, nil
}

// text is what a string in the source says.
func text(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, _ := strconv.Unquote(lit.Value)
	return s
}
