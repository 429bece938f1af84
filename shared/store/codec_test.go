package store

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/actor"
	"github.com/postern-dev/postern/shared/store/table"
)

type sample struct {
	ID    string
	Kind  string
	Text  string
	N     int64
	Yes   bool
	At    time.Time
	Who   actor.Actor
	List  []string
	Args  json.RawMessage
	Maybe *actor.Actor
}

// Every field comes back as it was; zero values take no room; times are whole
// milliseconds in UTC, in text order.
func TestCodec(t *testing.T) {
	t.Parallel()
	who := actor.Actor{Provider: "slack", Workspace: "T", ID: "U", Name: "A & <B>", Kind: actor.Human}
	in := sample{ID: "1", Kind: "k", Text: "<é>\n\x00", N: -5, Yes: true, At: now.In(time.FixedZone("x", 3600)), Who: who,
		List: []string{"a", "<b>"}, Args: json.RawMessage(`{"a":"<&>\u2028"}`), Maybe: &who}
	it := encode(in)
	if it["kind_"].Str != "k" || it["id"].Str != "1" || it["at"].Str != "2026-03-01T09:00:00.123Z" || it["n"].Type != table.Number {
		t.Errorf("%v", it)
	}
	var out sample
	if err := decode(it, &out); err != nil {
		t.Fatal(err)
	}
	in.At = in.At.UTC()
	if !reflect.DeepEqual(in, out) {
		t.Errorf("in  %+v\nout %+v", in, out)
	}
	if n := len(encode(sample{})); n != 0 {
		t.Errorf("an empty value takes %d attributes", n)
	}
	early, late := Stamp(now), Stamp(now.Add(time.Millisecond))
	if early >= late || Stamp(now) != Stamp(now.Add(999*time.Microsecond)) || len(Stamp(time.Time{})) != len(early) {
		t.Errorf("%s %s", early, late)
	}
}

// D13: attributes that this release does not know are left alone, and those
// that are missing are zero; what is broken says which row and attribute.
func TestCodec_OtherReleases(t *testing.T) {
	t.Parallel()
	var out sample
	if err := decode(table.Item{"id": table.Str("1"), "new_in_the_next": table.Str("x")}, &out); err != nil || out.ID != "1" || out.N != 0 {
		t.Errorf("%+v %v", out, err)
	}
	for _, it := range []table.Item{{"n": table.Str("many")}, {"at": table.Str("soon")}, {"who": table.Str("{")}} {
		if err := decode(it, &out); err == nil {
			t.Errorf("%v was read", it)
		}
	}
}
