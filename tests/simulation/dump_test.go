package simulation

import (
	"context"
	"os"
	"testing"
)

func TestDump(t *testing.T) {
	sid := os.Getenv("DUMP")
	if sid == "" {
		t.Skip("DUMP names no session")
	}
	seed := env(t, "SEED", 1)
	weather := Storm
	if seed%4 == 1 {
		weather = Fair
	}
	w, _ := NewWorld(seed, weather)
	if err := w.Run(int(env(t, "N", perWorld))); err != nil {
		t.Log(err)
	}
	steps, _ := w.clean.Transcript(context.Background(), sid)
	for _, x := range steps {
		t.Logf("%d %s of=%d.%d from=%s ok=%v %q", x.N, x.Role, x.Of, x.Pos, x.From, x.OK, x.Text)
		for _, c := range x.Calls {
			t.Logf("      %s %s", c.Tool, c.Arguments)
		}
	}
	o, _ := w.clean.Open(context.Background(), sid)
	t.Logf("%+v\n%+v\n%+v", *o.Session, *o.Lease, *o.Head)
	mail, _ := w.clean.Mail(context.Background(), sid)
	t.Logf("mail %+v", mail)
	ws, _ := w.clean.Wakes(context.Background(), sid)
	t.Logf("wakes %+v", ws)
	rows, _ := w.clean.AuditOf(context.Background(), "session#"+sid, start, w.now)
	for _, r := range rows {
		t.Logf("audit %s %s %s->%s item=%s %s", r.At.Format("15:04:05"), r.What, r.Was, r.Is, r.Item, r.Reason)
	}
}
