package deliver

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/postern-dev/postern/shared/domain/delivery"
	"github.com/postern-dev/postern/shared/store"
)

func (h *house) openBell(item string) string {
	return store.Bell{Ring: store.RingOpen, Item: item, Place: h.at, User: "slack:T1/U9", Name: "eve", Key: "open-a1"}.Encode()
}

// links are the keys that were told, in order.
func (h *house) links() []string {
	var out []string
	for _, words := range h.board.told {
		who, key, ok := strings.Cut(words, "https://panel/login?key=")
		if !ok || !strings.HasPrefix(who, "slack:T1/U9: ") {
			h.t.Errorf("told %q", words)
		}
		out = append(out, key)
	}
	return out
}

// I22: whoever pressed Open is told a link of his own, once by his click: good
// once, for five minutes, and leading to the item. Only its hash is kept, and
// its key is in no log (C4).
func TestI22_Open(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var log bytes.Buffer
	h.Log = slog.New(slog.NewTextHandler(&log, nil))
	for range 2 {
		if err := h.Hear(t.Context(), h.openBell(h.x.ID)); err != nil {
			t.Fatal(err)
		}
	}
	keys := h.links()
	if len(keys) != 1 {
		t.Fatalf("told %q", h.board.told)
	}
	l, err := h.Store.Login(t.Context(), store.HashSecret(keys[0]))
	if err != nil || l == nil || l.Person != "slack:T1/U9" || l.Name != "eve" || l.Role != store.Guest || l.Item != h.x.ID || l.Used ||
		!l.Expires.Equal(h.now.Add(5*time.Minute)) {
		t.Errorf("%+v %v", l, err)
	}
	if kept, err := h.Store.Login(t.Context(), keys[0]); err != nil || kept != nil {
		t.Error("the key itself is kept")
	}
	if strings.Contains(log.String(), keys[0]) {
		t.Errorf("the key is in the log: %s", log.String())
	}
}

// I24: telling that failed is tried again, with a key of its own; the first
// runs out unheard.
func TestI22_OpenAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.board.fail = busy
	if err := h.Hear(t.Context(), h.openBell(h.x.ID)); !errors.Is(err, busy) || len(h.board.told) != 0 {
		t.Fatal(err, h.board.told)
	}
	row, err := h.Store.Said(t.Context(), "open-a1")
	if err != nil || row.State != store.Due || strings.Contains(row.Error, "key") {
		t.Fatalf("%+v %v", row, err)
	}
	h.now = h.now.Add(time.Minute)
	if err := h.Hear(t.Context(), h.openBell(h.x.ID)); err != nil || len(h.links()) != 1 {
		t.Fatal(err, h.board.told)
	}
	l, err := h.Store.Login(t.Context(), store.HashSecret(h.links()[0]))
	if err != nil || l == nil || !l.Expires.Equal(h.now.Add(5*time.Minute)) {
		t.Errorf("%+v %v", l, err)
	}
}

// C4: a platform that repeats what it was sent does not bring the key into a
// row or a log.
func TestC4_NoKeyInAnError(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var log bytes.Buffer
	h.Log = slog.New(slog.NewTextHandler(&log, nil))
	h.Secret = func() string { return "THEKEY" }
	h.board.fail = &delivery.SendError{Code: "invalid", Final: true, Err: errors.New("invalid text: https://panel/login?key=THEKEY")}
	if err := h.Hear(t.Context(), h.openBell(h.x.ID)); err != nil {
		t.Fatal(err)
	}
	row, err := h.Store.Said(t.Context(), "open-a1")
	if err != nil || row.State != store.Dropped || strings.Contains(row.Error+log.String(), "THEKEY") {
		t.Errorf("%+v %s %v", row, log.String(), err)
	}
}

// An item that is gone has no link, and nothing is tried again.
func TestI22_OpenGone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := h.Hear(t.Context(), h.openBell("nosuch")); err != nil || len(h.board.told) != 0 {
		t.Error(err, h.board.told)
	}
	if row, err := h.Store.Said(t.Context(), "open-a1"); err != nil || row.State != store.Dropped {
		t.Errorf("%+v %v", row, err)
	}
}
