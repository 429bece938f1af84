package template

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// parseYAML reads a CloudFormation template with its short tags into the form
// that JSON would have: !Ref X becomes {"Ref": "X"}, and so on. Whole numbers
// become int.
func parseYAML(text []byte) (map[string]any, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, fmt.Errorf("parse template: %w", err)
	}
	if len(file.Docs) != 1 {
		return nil, fmt.Errorf("parse template: %d documents, want one", len(file.Docs))
	}
	v, err := fromNode(file.Docs[0].Body)
	if err != nil {
		return nil, fmt.Errorf("parse template: %w", err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("parse template: not a mapping")
	}
	return m, nil
}

func fromNode(n ast.Node) (any, error) {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return nil, nil
	case *ast.MappingNode:
		return fromPairs(n.Values)
	case *ast.MappingValueNode:
		return fromPairs([]*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for _, e := range n.Values {
			v, err := fromNode(e)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case *ast.TagNode:
		return fromTag(n)
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.IntegerNode:
		switch i := n.Value.(type) {
		case int64:
			return int(i), nil
		case uint64:
			return int(i), nil
		}
	}
	return nil, fmt.Errorf("line %d: %s is not read here", n.GetToken().Position.Line, n.Type())
}

func fromPairs(pairs []*ast.MappingValueNode) (any, error) {
	m := make(map[string]any, len(pairs))
	for _, p := range pairs {
		key, err := fromNode(p.Key)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint(key)
		if _, twice := m[name]; twice {
			return nil, fmt.Errorf("line %d: %s stands twice", p.Start.Position.Line, name)
		}
		if m[name], err = fromNode(p.Value); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func fromTag(n *ast.TagNode) (any, error) {
	v, err := fromNode(n.Value)
	if err != nil {
		return nil, err
	}
	switch name := strings.TrimPrefix(n.Start.Value, "!"); name {
	case "Ref", "Condition":
		return map[string]any{name: v}, nil
	case "GetAtt":
		if s, ok := v.(string); ok {
			resource, attribute, _ := strings.Cut(s, ".")
			v = []any{resource, attribute}
		}
		return map[string]any{"Fn::GetAtt": v}, nil
	case "Sub", "If", "Not", "Equals", "And", "Or", "FindInMap", "Join", "Select":
		return map[string]any{"Fn::" + name: v}, nil
	default:
		return nil, fmt.Errorf("line %d: tag %s is not read here", n.Start.Position.Line, n.Start.Value)
	}
}
