package turn

import (
	"context"
	"fmt"
	"sync"

	"github.com/postern-dev/postern/shared/domain/session"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/table"
)

// readsAtOnce is how many reads run side by side.
const readsAtOnce = 8

// reads runs the cleared reads at the head of the open calls side by side and
// appends their results in call order (S6). Reading twice does no harm, so no
// intent is written: a turn that dies here reads again.
func (t *turn) reads(ctx context.Context, w session.Standing, js []judged) error {
	n := 0
	for n < len(js) && n < readsAtOnce && js[n].fate == read {
		n++
	}
	if t.said != nil { // before anything runs (S7)
		if _, err := t.commit(ctx); err != nil || t.done {
			return err
		}
	}
	for _, j := range js[:n] {
		if enough, err := t.enoughFor(ctx, &j); err != nil || !enough {
			return err
		}
	}
	texts, oks := make([]string, n), make([]bool, n)
	var wg sync.WaitGroup
	for i := range js[:n] {
		wg.Go(func() {
			call, cancel := context.WithTimeout(ctx, timeout(&js[i]))
			defer cancel()
			text, err := t.safely(call, &js[i], fmt.Sprintf("%s-%d-%d", t.s.ID, w.Asked.N, js[i].pos))
			if err != nil {
				text = "The call failed: " + err.Error()
			}
			texts[i], oks[i] = text, err == nil
		})
	}
	wg.Wait()
	var actions []table.Action
	var steps []session.Step
	for i, j := range js[:n] {
		step := t.result(w, j.pos, texts[i], oks[i])
		step.N += int64(i)
		steps = append(steps, step)
		actions = append(actions, store.AppendStep(step))
		t.Count("calls", "read")
	}
	lost, err := t.commit(ctx, actions...)
	if err != nil || t.done {
		return err
	}
	if lost != nil {
		return fmt.Errorf("results were written by somebody else while the lease was held")
	}
	t.appended(steps...)
	return nil
}
