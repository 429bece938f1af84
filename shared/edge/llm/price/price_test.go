package price

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/model"
)

// D8: the table can be read, names models as they are configured, and has no
// price that is none.
func TestD8_Table(t *testing.T) {
	t.Parallel()
	table, err := Load()
	if err != nil || len(table) == 0 {
		t.Fatal(len(table), err)
	}
	for name, p := range table {
		provider, id, _ := strings.Cut(name, ":")
		if provider == "" || id == "" || p.Input <= 0 || p.Output < p.Input {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if got := table["bedrock:global.amazon.nova-2-lite-v1:0"].Of(2_000_000, 100_000); got != 0.85 {
		t.Errorf("the default model: $%v", got)
	}
}

type played struct {
	reply model.Reply
	err   error
}

func (p played) Complete(context.Context, model.Request) (model.Reply, error) { return p.reply, p.err }

// D8: each answered call is told once, by its own tokens, or as unknown.
func TestD8_Meter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		price   *Price
		err     error
		spent   float64
		unknown int
	}{
		"priced":   {&Price{Input: 2, Output: 10}, nil, 0.0021, 0},
		"unpriced": {nil, nil, 0, 1},
		"failed":   {&Price{Input: 2, Output: 10}, errors.New("busy"), 0, 0},
	} {
		spent, unknown := 0.0, 0
		m := Meter{Model: played{model.Reply{Text: "x", Input: 1000, Output: 10}, c.err}, Price: c.price,
			Spent: func(usd float64) { spent += usd }, Unknown: func() { unknown++ }}
		reply, err := m.Complete(t.Context(), model.Request{})
		if reply.Text != "x" || err != c.err || spent != c.spent || unknown != c.unknown {
			t.Errorf("%s: %+v %v, spent %v, unknown %d", name, reply, err, spent, unknown)
		}
	}
}
