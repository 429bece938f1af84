package inbox

import (
	"errors"
	"strings"
	"testing"
)

// I21: a button's value is ours or it is nothing, and fits Slack's limit.
func TestI21_Button(t *testing.T) {
	t.Parallel()
	key := []byte("key")
	b := Button{Item: ItemID("s", 3, 1, strings.Repeat("d", 64)), Digest: strings.Repeat("d", 64), Choice: "allow"}
	value := b.Value(key)
	if got, err := ParseButton(key, value); err != nil || got != b {
		t.Fatalf("%+v %v", got, err)
	}
	if len(value) > 2000 {
		t.Errorf("%d bytes", len(value))
	}
	for name, bad := range map[string]string{
		"another choice": strings.Replace(value, "allow", "deny", 1), "another item": strings.Replace(value, b.Item, "x", 1),
		"cut": value[:len(value)-1], "longer": value + "0", "empty": "", "no mac": "p1|i|d|allow", "too long": strings.Repeat("x", 3000),
		"another key": b.Value([]byte("other")), "another form": Button{Item: "a|b", Digest: "d", Choice: "allow"}.Value(key),
		"another version": strings.Replace(value, "p1", "p2", 1),
	} {
		if got, err := ParseButton(key, bad); !errors.Is(err, ErrButton) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	if _, err := ParseButton(nil, b.Value(nil)); !errors.Is(err, ErrButton) {
		t.Error("without a key everything would be ours (Q8)")
	}
}

// I3: the id is of session, message, position and arguments, and of nothing
// else; every part counts.
func TestI3_ItemID(t *testing.T) {
	t.Parallel()
	id := ItemID("s", 3, 1, "d")
	if id != ItemID("s", 3, 1, "d") || len(id) != 24 {
		t.Errorf("%q", id)
	}
	for name, other := range map[string]string{"session": ItemID("t", 3, 1, "d"), "message": ItemID("s", 4, 1, "d"), "position": ItemID("s", 3, 2, "d"),
		"digest": ItemID("s", 3, 1, "e"), "numbers run together": ItemID("s", 31, 0, "d"), "elsewhere": ItemIDElsewhere("s", "d")} {
		if other == id {
			t.Errorf("another %s, the same id", name)
		}
	}
	if ItemIDElsewhere("s", "k") == ItemIDElsewhere("s", "l") || ItemIDElsewhere("s", "k") == ItemIDElsewhere("t", "k") {
		t.Error("ids elsewhere do not differ by session and key")
	}
}
