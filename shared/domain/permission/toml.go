package permission

import (
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// TOMLError is what is wrong with the portable form of the overrides, and
// where.
type TOMLError struct {
	File string
	Line int
	Key  string // as TOML writes it, such as mcp.notion.default
	Err  error
}

func (e *TOMLError) Error() string {
	where := fmt.Sprintf("%s:%d: ", e.File, e.Line)
	if e.Key != "" {
		where += e.Key + ": "
	}
	return where + e.Err.Error()
}

func (e *TOMLError) Unwrap() error { return e.Err }

// ParseOverrides reads the portable form (P4):
//
//	[mcp.notion]
//	default = "read"
//	[mcp.notion.tools]
//	"create_*" = "external"
//	[tools]
//	slack_send_message = "external"
//
// Rules count as written in the order of the text. file is for errors, each of
// which is a *TOMLError that names line and key; a key that is none of these is
// one.
func ParseOverrides(file, text string) (*Overrides, error) {
	doc := map[string]toml.Primitive{}
	md, err := toml.Decode(text, &doc)
	if err != nil {
		return nil, located(file, text, nil, err)
	}
	var list []Override
	for _, key := range md.Keys() {
		rule, leaf, err := readKey(&md, doc, key)
		if err == nil && leaf {
			_, err = NewOverrides([]Override{rule})
			err = errors.Unwrap(err) // the pattern is in the key
		}
		if err != nil {
			return nil, located(file, text, key, refuseAt(&md, doc, key, err))
		}
		if leaf {
			list = append(list, rule)
		}
	}
	return NewOverrides(list)
}

// readKey takes one key of the document for a rule (leaf), a table that may
// stand, or an error.
func readKey(md *toml.MetaData, doc map[string]toml.Primitive, key toml.Key) (rule Override, leaf bool, err error) {
	n := len(key)
	switch {
	case n == 1 && (key[0] == "tools" || key[0] == "mcp"), n == 2 && key[0] == "mcp", n == 3 && key[0] == "mcp" && key[2] == "tools":
		if md.Type(key...) != "Hash" {
			return rule, false, errors.New("want a table")
		}
		if n > 1 && (key[1] == "" || strings.Contains(key[1], "/")) {
			return rule, false, errors.New("a server's name is not empty and has no slash")
		}
		return rule, false, nil
	case n == 2 && key[0] == "tools":
		if strings.Contains(key[1], "/") {
			return rule, false, errors.New("a plain tool name has no slash; tools of a server go under [mcp.SERVER.tools]")
		}
		rule.Pattern = key[1]
	case n == 3 && key[0] == "mcp" && key[2] == "default":
		rule.Pattern = key[1] + "/*"
	case n == 4 && key[0] == "mcp" && key[2] == "tools":
		rule.Pattern = key[1] + "/" + key[3]
	default:
		return rule, false, errors.New("unknown key; want [tools], [mcp.SERVER] default, or [mcp.SERVER.tools]")
	}
	if md.Type(key...) != "String" {
		return rule, false, errors.New("want a risk class in quotes")
	}
	var word string
	err = at(md, doc, key, &word)
	rule.Risk = Risk(word)
	return rule, true, err
}

// at decodes what lies under a key.
func at(md *toml.MetaData, doc map[string]toml.Primitive, key toml.Key, v any) error {
	for _, k := range key[:len(key)-1] {
		inner := map[string]toml.Primitive{}
		if err := md.PrimitiveDecode(doc[k], &inner); err != nil {
			return err
		}
		doc = inner
	}
	return md.PrimitiveDecode(doc[key[len(key)-1]], v)
}

// refuseAt returns err as the decoder's own, which knows the key's line.
func refuseAt(md *toml.MetaData, doc map[string]toml.Primitive, key toml.Key, err error) error {
	if refused := at(md, doc, key, &refusal{err}); refused != nil {
		return refused
	}
	return err
}

type refusal struct{ err error }

func (r *refusal) UnmarshalTOML(any) error { return r.err }

func located(file, text string, key toml.Key, err error) error {
	out := &TOMLError{File: file, Key: key.String(), Err: err}
	var p toml.ParseError
	if errors.As(err, &p) {
		out.Line = p.Position.Line
		out.Err = errors.New(p.Message)
		if out.Key == "" {
			out.Key = p.LastKey
		}
	}
	if out.Line == 0 { // the decoder keeps no place for an empty piece of a key
		before := ""
		if len(key) > 0 {
			before, _, _ = strings.Cut(text, key[0])
		}
		out.Line = 1 + strings.Count(before, "\n")
	}
	return out
}
