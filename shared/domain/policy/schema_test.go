package policy_test

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/postern-dev/postern/shared/domain/policy"
)

const schemaFile = "../../../docs/policy.schema.json"

// TestU12Schema: the editors' schema takes what Parse takes, and refuses what
// it refuses as far as a schema can see it.
func TestU12Schema(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(slices.Clone(good), bad...) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var v any
			err := yaml.Unmarshal([]byte(s.text), &v)
			if err == nil {
				err = schema.Validate(asJSON(t, v))
			}
			switch {
			case len(s.want) == 0 && err != nil:
				t.Fatalf("refused: %v", err)
			case len(s.want) > 0 && err == nil && !s.blind:
				t.Fatalf("taken, but Parse refuses: %v", s.want)
			}
		})
	}
}

func asJSON(t *testing.T, v any) any {
	b, err := yaml.MarshalWithOptions(v, yaml.JSON())
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSchemaKeys: the schema has exactly the keys that the types have.
func TestSchemaKeys(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	root := doc.(map[string]any)
	defs := root["$defs"].(map[string]any)
	for name, typ := range map[string]reflect.Type{"": reflect.TypeFor[policy.Policy](), "source": reflect.TypeFor[policy.Source](), "scope": reflect.TypeFor[policy.Scope](), "queue": reflect.TypeFor[policy.Queue](), "binding": reflect.TypeFor[policy.Binding]()} {
		at := root
		if name != "" {
			at = defs[name].(map[string]any)
		}
		var keys []string
		for key := range at["properties"].(map[string]any) {
			keys = append(keys, key)
		}
		want := yamlKeys(typ)
		slices.Sort(keys)
		slices.Sort(want)
		if !slices.Equal(keys, want) {
			t.Errorf("%s: %v, the type has %v", name, keys, want)
		}
	}
}
