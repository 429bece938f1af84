package template

import (
	"fmt"
	"strings"
)

// resolver works out a template's parameters, mappings and conditions and
// leaves a tree of plain values. What only AWS knows becomes a string in the
// notation of Fn::Sub: "${Table}", "${Table.Arn}", "${AWS::Region}".
type resolver struct {
	params     map[string]any
	mappings   map[string]any
	conditions map[string]any
}

// noValue marks what Ref AWS::NoValue takes away.
type noValue struct{}

func (r *resolver) value(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 1 {
			for name, arg := range v {
				if name == "Ref" || strings.HasPrefix(name, "Fn::") {
					return r.function(name, arg)
				}
			}
		}
		m := make(map[string]any, len(v))
		for k, e := range v {
			x, err := r.value(e)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k, err)
			}
			if _, gone := x.(noValue); !gone {
				m[k] = x
			}
		}
		return m, nil
	case []any:
		list := make([]any, 0, len(v))
		for _, e := range v {
			x, err := r.value(e)
			if err != nil {
				return nil, err
			}
			if _, gone := x.(noValue); !gone {
				list = append(list, x)
			}
		}
		return list, nil
	default:
		return v, nil
	}
}

func (r *resolver) function(name string, arg any) (any, error) {
	list, _ := arg.([]any)
	switch {
	case name == "Ref" && arg == "AWS::NoValue":
		return noValue{}, nil
	case name == "Ref":
		if p, ok := r.params[fmt.Sprint(arg)]; ok {
			return p, nil
		}
		return fmt.Sprintf("${%v}", arg), nil
	case name == "Fn::GetAtt" && len(list) == 2:
		return fmt.Sprintf("${%v.%v}", list[0], list[1]), nil
	case name == "Fn::Sub":
		return r.sub(arg)
	case name == "Fn::FindInMap" && len(list) == 3:
		return r.find(list)
	case name == "Fn::If" && len(list) == 3:
		yes, err := r.condition(fmt.Sprint(list[0]))
		if err != nil {
			return nil, err
		}
		if yes {
			return r.value(list[1])
		}
		return r.value(list[2])
	}
	return nil, fmt.Errorf("%s is not worked out here", name)
}

func (r *resolver) sub(arg any) (any, error) {
	text, local := arg, map[string]any{}
	if list, ok := arg.([]any); ok && len(list) == 2 {
		text = list[0]
		local, _ = list[1].(map[string]any)
	}
	s, ok := text.(string)
	if !ok {
		return nil, fmt.Errorf("Fn::Sub of something that is no text")
	}
	for name, v := range local {
		x, err := r.value(v)
		if err != nil {
			return nil, err
		}
		s = strings.ReplaceAll(s, "${"+name+"}", fmt.Sprint(x))
	}
	for name, v := range r.params {
		s = strings.ReplaceAll(s, "${"+name+"}", fmt.Sprint(v))
	}
	return s, nil
}

func (r *resolver) find(list []any) (any, error) {
	var at any = r.mappings
	for _, e := range list {
		key, err := r.value(e)
		if err != nil {
			return nil, err
		}
		m, _ := at.(map[string]any)
		if at = m[fmt.Sprint(key)]; at == nil {
			return nil, fmt.Errorf("mapping %v has no %v", list[0], key)
		}
	}
	return at, nil
}

func (r *resolver) condition(name string) (bool, error) {
	c, ok := r.conditions[name]
	if !ok {
		return false, fmt.Errorf("no condition %s", name)
	}
	return r.holds(c)
}

func (r *resolver) holds(c any) (bool, error) {
	m, _ := c.(map[string]any)
	for name, arg := range m {
		list, _ := arg.([]any)
		switch {
		case name == "Condition":
			return r.condition(fmt.Sprint(arg))
		case name == "Fn::Not" && len(list) == 1:
			yes, err := r.holds(list[0])
			return !yes, err
		case name == "Fn::And" && len(list) >= 2:
			for _, e := range list {
				if yes, err := r.holds(e); !yes || err != nil {
					return false, err
				}
			}
			return true, nil
		case name == "Fn::Equals" && len(list) == 2:
			a, err := r.value(list[0])
			if err != nil {
				return false, err
			}
			b, err := r.value(list[1])
			return fmt.Sprint(a) == fmt.Sprint(b), err
		}
	}
	return false, fmt.Errorf("condition %v is not worked out here", c)
}
