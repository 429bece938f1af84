package policy_test

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/policy"
)

func TestParseGood(t *testing.T) {
	t.Parallel()
	for _, s := range good {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if _, err := policy.Parse("policy.yaml", []byte(s.text)); err != nil {
				t.Fatalf("%v\n%s", err, s.text)
			}
		})
	}
}

// TestU12ErrorsNameFileLineAndKey: each mistake is told with where it stands
// and what is allowed, and nothing else is told.
func TestU12ErrorsNameFileLineAndKey(t *testing.T) {
	t.Parallel()
	for _, s := range bad {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p, err := policy.Parse("team/policy.yaml", []byte(s.text))
			var found policy.Problems
			if !errors.As(err, &found) {
				t.Fatalf("want problems, not %v", err)
			}
			if !reflect.DeepEqual(p, policy.Policy{}) {
				t.Errorf("something was read: %+v", p)
			}
			if len(found) != len(s.want) {
				t.Fatalf("want %d problems:\n%v", len(s.want), err)
			}
			for i, w := range s.want {
				if !strings.HasPrefix(found[i].Error(), "team/policy.yaml:"+w) {
					t.Errorf("want %s\n got %s", w, found[i])
				}
			}
		})
	}
}

func TestParseTooLong(t *testing.T) {
	t.Parallel()
	_, err := policy.Parse("p", []byte("owners: []\n#"+strings.Repeat("x", policy.MaxText)))
	if err == nil || !strings.Contains(err.Error(), "262156 bytes") {
		t.Fatal(err)
	}
}

// TestMarshalRoundTrip: what Marshal writes, Parse reads back.
func TestMarshalRoundTrip(t *testing.T) {
	t.Parallel()
	for _, s := range good {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			roundTrip(t, []byte(s.text))
		})
	}
}

// roundTrip parses, writes and parses again; absent lists of the required keys
// come back as empty ones.
func roundTrip(t *testing.T, text []byte) policy.Policy {
	t.Helper()
	p, err := policy.Parse("first", text)
	if err != nil {
		t.Fatal(err)
	}
	out, err := policy.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	q, err := policy.Parse("second", out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	again, err := policy.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != string(again) || !reflect.DeepEqual(q, full(p)) {
		t.Fatalf("first\n%s\nsecond\n%s\n%+v\n%+v", out, again, p, q)
	}
	return p
}

func full(p policy.Policy) policy.Policy {
	p.Owners, p.Sources, p.Queues = list(p.Owners), list(p.Sources), list(p.Queues)
	for i := range p.Sources {
		p.Sources[i].Listed = list(p.Sources[i].Listed)
	}
	return p
}

func list[T any](in []T) []T { return append([]T{}, in...) }

// TestPoliciesThatComeWithPostern: the example uses every key there is, and
// neither it nor the one of the demo has a warning.
func TestPoliciesThatComeWithPostern(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"example.yaml", "dev.yaml"} {
		text, err := os.ReadFile("../../../infra/policy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if w := roundTrip(t, text).Warnings(); len(w) > 0 {
			t.Error(file, w)
		}
		if file != "example.yaml" {
			continue
		}
		for _, typ := range []reflect.Type{reflect.TypeFor[policy.Policy](), reflect.TypeFor[policy.Source](), reflect.TypeFor[policy.Scope](), reflect.TypeFor[policy.Queue](), reflect.TypeFor[policy.Binding]()} {
			for _, key := range yamlKeys(typ) {
				if !strings.Contains(string(text), key+":") {
					t.Errorf("%s does not show %s", file, key)
				}
			}
		}
	}
}

func yamlKeys(t reflect.Type) (keys []string) {
	for i := range t.NumField() {
		if key, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

// FuzzParse: a policy file never crashes the reader; what it takes it writes
// back, and what it refuses it says where.
func FuzzParse(f *testing.F) {
	for _, s := range append(good, bad...) {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := policy.Parse("f", []byte(text))
		if err == nil {
			p.Warnings()
			roundTrip(t, []byte(text))
			return
		}
		var found policy.Problems
		if !errors.As(err, &found) || len(found) == 0 {
			t.Fatal(err)
		}
		for _, p := range found {
			if p.File != "f" || p.Line < 1 || p.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+1 || p.Say == "" {
				t.Fatalf("%+v", p)
			}
		}
	})
}
