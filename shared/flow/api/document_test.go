package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document31 is the OpenAPI document as a test reads it.
type document31 struct {
	tree     map[string]any
	compiler *jsonschema.Compiler
}

func readDocument(t *testing.T) *document31 {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON(Document)
	if err != nil {
		t.Fatal(err)
	}
	d := &document31{compiler: jsonschema.NewCompiler()}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	d.tree = tree.(map[string]any)
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("https://postern.test/openapi", tree); err != nil {
		t.Fatal(err)
	}
	return d
}

// at follows names, and references on the way. where is the place arrived at,
// as a JSON pointer.
func (d *document31) at(t *testing.T, where string, names ...string) (any, string) {
	t.Helper()
	var x any = d.tree
	full := append(strings.Split(strings.Trim(where, "/"), "/"), names...)
	if where == "" {
		full = names
	}
	path := ""
	for _, name := range full {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		m, ok := x.(map[string]any)
		if !ok {
			return nil, path
		}
		if x, ok = m[name]; !ok {
			return nil, path
		}
		path += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		if m, ok := x.(map[string]any); ok {
			if ref, ok := m["$ref"].(string); ok && len(m) == 1 {
				x, path = d.at(t, strings.TrimPrefix(ref, "#"))
			}
		}
	}
	return x, path
}

// fits validates a JSON value against the schema at a place.
func (d *document31) fits(t *testing.T, where string, body []byte) error {
	t.Helper()
	s, err := d.compiler.Compile("https://postern.test/openapi#" + where)
	if err != nil {
		t.Fatalf("the schema at %s: %v", where, err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// told is one way to be answered: an operation, a status and, for a problem,
// its code.
type told struct {
	operation string // "POST /v1/sessions"
	status    int
	code      string
}

func (x told) String() string { return fmt.Sprintf("%s: %d %s", x.operation, x.status, x.code) }

// promised are all the ways that the document names.
func (d *document31) promised(t *testing.T) map[told]bool {
	t.Helper()
	out := map[told]bool{}
	for path, ops := range d.tree["paths"].(map[string]any) {
		for method, op := range ops.(map[string]any) {
			operation := strings.ToUpper(method) + " " + path
			for status := range op.(map[string]any)["responses"].(map[string]any) {
				var n int
				if _, err := fmt.Sscan(status, &n); err != nil {
					t.Fatalf("%s: status %q", operation, status)
				}
				if n < 400 {
					out[told{operation, n, ""}] = true
					continue
				}
				codes, where := d.at(t, "", "paths", path, method, "responses", status, "content", "application/problem+json", "schema", "properties", "code", "enum")
				list, ok := codes.([]any)
				if !ok || len(list) == 0 {
					t.Fatalf("%s: %s has no codes (%s)", operation, status, where)
				}
				for _, c := range list {
					out[told{operation, n, c.(string)}] = true
				}
			}
		}
	}
	return out
}

// check holds one answer to the document and gives which way it was.
func (d *document31) check(t *testing.T, method, path string, resp *http.Response, body []byte) told {
	t.Helper()
	x := told{operation: method + " " + path, status: resp.StatusCode}
	names := []string{"paths", path, strings.ToLower(method), "responses", fmt.Sprint(resp.StatusCode)}
	r, _ := d.at(t, "", names...)
	if r == nil {
		t.Errorf("%s: the document knows no %d: %s", x.operation, resp.StatusCode, body)
		return x
	}
	for name, h := range optional(r, "headers") {
		value := resp.Header.Get(name)
		_, where := d.at(t, "", append(names, "headers", name, "schema")...)
		if value == "" && optional(h, "")["required"] == true {
			t.Errorf("%s: %d lacks %s", x.operation, x.status, name)
		} else if err := d.fits(t, where, []byte(value)); err != nil {
			t.Errorf("%s: %d: %s: %v", x.operation, x.status, name, err)
		}
	}
	content := optional(r, "content")
	kind := resp.Header.Get("Content-Type")
	if len(content) == 0 {
		if len(body) > 0 || kind != "" {
			t.Errorf("%s: %d has a body: %s", x.operation, x.status, body)
		}
		return x
	}
	if _, ok := content[kind]; !ok {
		t.Errorf("%s: %d is %q, which the document does not know", x.operation, x.status, kind)
		return x
	}
	if kind == "application/yaml" {
		return x
	}
	_, where := d.at(t, "", append(names, "content", kind, "schema")...)
	if err := d.fits(t, where, body); err != nil {
		t.Errorf("%s: %d does not fit the document: %v\n%s", x.operation, x.status, err, body)
	}
	if kind == "application/problem+json" {
		var p Problem
		if err := json.Unmarshal(body, &p); err != nil || p.Status != resp.StatusCode || p.Detail == "" || p.Title == "" {
			t.Errorf("%s: problem %+v, %v", x.operation, p, err)
		}
		x.code = p.Code
	}
	return x
}

func optional(x any, name string) map[string]any {
	m, _ := x.(map[string]any)
	if name == "" {
		return m
	}
	out, _ := m[name].(map[string]any)
	return out
}

// The document has each operation of the handlers, and no others (U10).
func TestU10_DocumentHasEveryOperation(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	var there, here []string
	for path, ops := range d.tree["paths"].(map[string]any) {
		for method, op := range ops.(map[string]any) {
			there = append(there, strings.ToUpper(method)+" "+path)
			if o := op.(map[string]any); o["operationId"] == nil || o["summary"] == nil {
				t.Errorf("%s %s lacks a name or a summary", method, path)
			}
		}
	}
	for _, r := range (&Handler{}).routes() {
		here = append(here, r.method+" "+r.path)
	}
	slices.Sort(there)
	slices.Sort(here)
	if !slices.Equal(there, here) {
		t.Errorf("the document has\n%s\nand the handlers\n%s", strings.Join(there, "\n"), strings.Join(here, "\n"))
	}
}

// docs holds a copy for readers; go generate makes it.
func TestU10_CopyInDocsIsTheSame(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../docs/openapi.yaml")
	if err != nil || !bytes.Equal(b, Document) {
		t.Fatal("docs/openapi.yaml is another than shared/flow/api/openapi.yaml: go generate ./shared/flow/api", err)
	}
}
