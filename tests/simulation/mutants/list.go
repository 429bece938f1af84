package main

// mutant is one change that the simulation has to notice.
type mutant struct {
	name     string
	file     string
	old, new string
	also     [][2]string // further changes, so that it builds
	// covered says, of one that may live, what else settles the same race: it is
	// kept in the code as a second bolt.
	covered string
}

const (
	noCond  = `table.Lacks("no_such_attribute")`
	pending = `table.Equals("state", table.Str(string(inbox.Pending)))`
)

var list = []mutant{
	// The session's rows (S3, S9, I7).
	{name: "quiet mailbox", file: "shared/store/mailbox.go",
		old: `table.Equals("seq", table.Int(h.Seq)), table.Lacks("deleted")`, new: `table.Lacks("deleted")`},
	{name: "read mail present", file: "shared/store/mailbox.go",
		old: `Key: mailKey(m.Session, m.ID), If: []table.Cond{table.Present()}}`, new: `Key: mailKey(m.Session, m.ID)}`,
		covered: "the lease: one turn reads (S3)"},
	{name: "hold lease", file: "shared/store/lease.go",
		old: `If: []table.Cond{table.Equals("token", table.Int(l.Token)), table.Lacks("deleted")}}`, new: `If: []table.Cond{table.Lacks("deleted")}}`},
	{name: "give back a lost lease", file: "shared/store/lease.go",
		old: `table.Equals("token", table.Int(token)), table.Lacks("deleted"))`, new: `table.Lacks("deleted"))`, also: [][2]string{{"token := l.Token\n", ""}}},
	{name: "take lease version", file: "shared/store/lease.go",
		old: `table.Version(was.Version), table.Before(`, new: `table.Before(`},
	{name: "take lease until", file: "shared/store/lease.go",
		old: `table.Before("until", stampValue(now)), `, new: ``,
		covered: "the version: the row is the one whose end was read"},
	{name: "fencing token", file: "shared/store/lease.go", old: "	l := was\n	l.Token++\n", new: "	l := was\n"},
	{name: "free lease time", file: "shared/store/lease.go",
		old: `= "", state, item, free, 0`, new: `= "", state, item, now, 0`},
	{name: "append step absent", file: "shared/store/transcript.go",
		old: `"step", encode(x), table.Absent())`, new: `"step", encode(x))`, covered: "the lease: one turn writes (S3)"},
	{name: "rest while a wake is due", file: "shared/flow/turn/rest.go",
		old: "return session.Sleeping, nil", new: "return session.Idle, nil"},

	// Items (I3, I4, I10, S9, P27).
	{name: "pending item on park", file: "shared/store/item.go", old: `If: []table.Cond{` + pending + `}}`, new: `If: []table.Cond{table.Present()}}`},
	{name: "resolve state", file: "shared/store/item.go", old: `cond := []table.Cond{` + pending + `}`, new: `cond := []table.Cond{table.Present()}`},
	{name: "resolve expiry", file: "shared/store/item.go", old: `cond = append(cond, table.After("expires", stampValue(now)))`, new: ``,
		covered: "Judge, by the same instant: an item's expiry never changes"},
	{name: "judge expiry", file: "shared/domain/inbox/judge.go", old: "if !x.Expires.After(now) {", new: "if false {",
		covered: "the condition of the write, which then says so"},
	{name: "judge digest", file: "shared/domain/inbox/judge.go", old: "if a.Digest != x.Digest {", new: "if false {"},
	{name: "judge approvers", file: "shared/domain/inbox/judge.go", old: "if !who.May(a.Actor) {", new: "if false {"},
	{name: "judge persons only", file: "shared/domain/inbox/judge.go", old: "	if who.Kind != actor.Human {\n		return false\n	}\n", new: "",
		also: [][2]string{{`if ref == "" || a.Actor.Kind != actor.Human {`, `if ref == "" {`}}},
	{name: "judge no self", file: "shared/domain/inbox/judge.go", old: `if who.NoSelf && b != nil`, new: `if false && b != nil`},
	{name: "judge says who won", file: "shared/domain/inbox/judge.go", old: "if x.State.Terminal() {", new: "if false {",
		covered: "the condition of the write, whose loser is told the same"},
	{name: "winner recognised", file: "shared/flow/resolve/resolve.go", old: "case x.Resolution == a.ID: // our own", new: "case false: // our own"},
	{name: "one token for two commits", file: "shared/flow/resolve/resolve.go", old: "r.Store.Do(ctx, s.id, s.Actions()...)", new: `r.Store.Do(ctx, "t-"+a.ID, s.Actions()...)`},
	{name: "settled without a ring", file: "shared/store/rings.go", old: "r.Bells = append(r.Bells, Bell{Ring: RingTurn", new: "_ = append(r.Bells, Bell{Ring: RingTurn"},
	{name: "settled and not open", file: "shared/store/item.go", old: "case len(x.Places) > 0 || !x.AgentKnows(\"\"):", new: "case false:"},
	{name: "settled not looked for", file: "shared/flow/wake/reconcile.go", old: `named("settled items", w.settled(ctx, &f)),`, new: ""},
	{name: "closed unread", file: "shared/domain/inbox/item.go", old: "return x.State == Approved && Ended(ran)", new: "return true"},
	{name: "closed unshown", file: "shared/store/item.go", old: "return !w.Item.AgentKnows(w.Ran()) || len(w.Behind()) > 0", new: "return !w.Item.AgentKnows(w.Ran())"},
	{name: "never closed", file: "shared/flow/wake/reconcile.go", old: "case !waits && len(behind) == 0:", new: "case !waits && false:"},
	{name: "outcome without a ring", file: "shared/store/rings.go", old: "Bells: shows(a.Item, a.Places), Cor", new: "Bells: nil, Cor"},
	{name: "new item absent", file: "shared/store/item.go", old: `"item", itemRow(x), table.Absent())`, new: `"item", itemRow(x))`,
		also:    [][2]string{{`"body", encode(b), table.Absent())`, `"body", encode(b))`}},
		covered: "the lease and the version of what was asked (I3)"},
	{name: "asks version", file: "shared/store/ask.go", old: "cond := table.Version(a.Version)\n	if a.Version == 0 {\n		cond = table.Absent()\n	}\n",
		new: "cond := " + noCond + "\n"},
	{name: "denied twin forgotten", file: "shared/domain/session/next.go", old: "s.Pos < len(a.Calls) && a", new: "s.Pos < 1 && s.Pos < len(a.Calls) && a"},
	{name: "denied asked again", file: "shared/domain/session/next.go", old: "s.Denied != ByPerson {", new: "true {"},
	{name: "parked before all is raised", file: "shared/flow/turn/ask.go", old: "j := &js[i]\n		if j.fate != ask {", new: "j := &js[i]\n		if j.fate != ask || did {"},
	{name: "nobody to ask in doubt", file: "shared/flow/turn/unsure.go", old: `if why := raise.Nobody(rules, t.s.Queue); why != "" {`, new: `if why := ""; why != "" {`, also: [][2]string{{"rules, err := t.policy(ctx)", "_, err := t.policy(ctx)"}}},

	// Calls (S8, P25).
	{name: "new attempt absent", file: "shared/store/transcript.go", old: `"call", encode(a), table.Absent())`, new: `"call", encode(a))`},
	{name: "attempt not looked for", file: "shared/flow/turn/attempt.go", old: "if j.begun != nil {", new: "if false {"},
	{name: "end attempt state", file: "shared/store/transcript.go", old: "		table.Equals(\"state\", table.Str(string(session.Intended))),\n		table.Equals(\"writer\"", new: "		table.Equals(\"writer\"",
		covered: "the version"},
	{name: "end attempt all", file: "shared/store/transcript.go",
		old: "		table.Equals(\"state\", table.Str(string(session.Intended))),\n		table.Equals(\"writer\", table.Str(a.Writer)), table.Version(was))", new: "		table.Present())", also: [][2]string{{"	was := a.Version\n", ""}}},
	{name: "take over attempt", file: "shared/store/transcript.go",
		old: `table.Equals("state", table.Str(string(session.Intended))), table.Version(was))`, new: "table.Version(was))", covered: "the version"},
	{name: "asked what is known", file: "shared/store/transcript.go", old: "If: []table.Cond{table.Version(a.Version)}}", new: "If: []table.Cond{table.Present()}}",
		covered: "seldom met in a short run; TestS8_OutcomeWhileAsking holds it"},
	{name: "deadline", file: "shared/flow/turn/unsure.go", old: "if a.Deadline.After(t.Now()) {", new: "if false {"},
	{name: "open ticket", file: "shared/store/thread.go", old: "		table.Equals(\"state\", table.Str(string(ticket.Open))), table.Version(t.Version)}}", new: "		table.Present()}}",
		covered: "seldom met in a short run; TestG36_MeetsTheEnd holds it"},
	{name: "ended and spent", file: "shared/store/thread.go", old: `a.Set["closed"] = table.Bool(true)`, new: ""},
	{name: "ended and not fenced", file: "shared/store/lease.go", old: `map[string]int64{"token": 1, "version": 1}`, new: `map[string]int64{"version": 1}`},
	{name: "taken up and closed", file: "shared/store/thread.go", old: `a.Remove = append(a.Remove, "closed")`, new: ""},
	{name: "grant not judged today", file: "shared/flow/turn/attempt.go", old: "return permission.MaySpend(g, j.call, j.decision, today)", new: "return \"\"", also: [][2]string{{"	g.Tool, g.Digest = j.item.Tool, j.item.Digest\n", "	_ = g\n"}}},

	{name: "doubt told as failure", file: "shared/flow/turn/unsure.go", old: "func doubtful(err error) bool {\n", new: "func doubtful(err error) bool {\n	if err != nil {\n		return false\n	}\n"},
	{name: "doubt forgotten when repeated", file: "shared/flow/turn/attempt.go", old: "doubtful(err) || err != nil && a.Version > 1", new: "doubtful(err)"},
	{name: "idempotent repeated for ever", file: "shared/flow/turn/unsure.go", old: "if j.tool.Idempotent && a.Version <= maxAgain {", new: "if j.tool.Idempotent {",
		covered: "nothing: it only costs; a unit test holds it"},
	{name: "failed run ends its ticket", file: "shared/flow/turn/rest.go", old: "return t.end(ctx, w, state, ticket.Failed, why)", new: "return t.end(ctx, w, session.Idle, ticket.Failed, why)", also: [][2]string{{"state, err := t.resting(ctx)\n	if err != nil {\n		return err\n	}\n	t.Count", "_, err := t.resting(ctx)\n	if err != nil {\n		return err\n	}\n	t.Count"}},
		covered: "seldom met in a short run; TestFailedRunKeepsItsWake holds it"},

	// The gate (G47, G48, B05).
	{name: "same thread", file: "shared/store/thread.go", old: "func SameThread(t ticket.Thread) table.Action {\n	cond := table.Version(t.Version)\n	if t.Version == 0 {\n		cond = table.Absent()\n	}\n",
		new: "func SameThread(t ticket.Thread) table.Action {\n	cond := " + noCond + "\n"},
	{name: "save thread version", file: "shared/store/thread.go", old: "func SaveThread(t ticket.Thread) table.Action {\n	cond := table.Version(t.Version)\n	if t.Version == 0 {\n		cond = table.Absent()\n	}\n",
		new: "func SaveThread(t ticket.Thread) table.Action {\n	cond := " + noCond + "\n"},
	{name: "new judged absent", file: "shared/store/thread.go", old: `"trigger", it, table.Absent())`, new: `"trigger", it)`},
	{name: "mention after message", file: "shared/flow/gate/gate.go", old: `return was.Session == "" &&`, new: `return false && was.Session == "" &&`},
	{name: "upgrade of what began", file: "shared/flow/gate/gate.go", old: `return was.Session == "" &&`, new: `return`},
	{name: "message to an ended ticket", file: "shared/flow/gate/become.go", old: "out = append(out, store.OpenTicket(*tk)) // it may", new: "_ = 0 // it may"},
	{name: "ended ticket not resumed", file: "shared/flow/gate/become.go", old: "if tk.State == ticket.Ended {", new: "if false {"},
	{name: "save ticket version", file: "shared/store/thread.go", old: `"ticket", ticketRow(t), table.Version(was))`, new: `"ticket", ticketRow(t))`, also: [][2]string{{"	was := t.Version\n", ""}}},
	{name: "stopped still listens", file: "shared/flow/gate/gate.go", old: "if s.Own && !s.Stopped {", new: "if s.Own {", also: nil},

	// Wakes, outbox, schedules (W2, D5, O1).
	{name: "end wake", file: "shared/store/wake.go", old: `"wake", wakeRow(w),
		table.Equals("state", table.Str(string(wake.Pending))))`, new: `"wake", wakeRow(w))`},
	{name: "close before ring", file: "shared/flow/dispatch/dispatch.go", old: "	log := d.Log.With(", new: "	_, _ = d.Store.Do(ctx, d.NewID(), store.CloseOutbox(o))\n	log := d.Log.With("},
	{name: "closed though not rung", file: "shared/flow/dispatch/dispatch.go", old: "			log.Warn(\"doorbell not rung; the reconciler will\", \"ring\", b.Ring, \"error\", err)\n			return\n", new: "			log.Warn(\"doorbell not rung\", \"error\", err)\n"},
	{name: "attempt not in the dedup id", file: "shared/store/rings.go", old: `fmt.Sprintf("%s-%d", o.ID, o.Attempt)`, new: `fmt.Sprintf("%s", o.ID)`,
		covered: "what the id swallows was accepted by the same queue before"},
	{name: "reconcile outbox", file: "shared/flow/wake/reconcile.go", old: `named("outbox", w.outbox(ctx, &f)),`, new: ""},
	{name: "reconcile wakes", file: "shared/flow/wake/reconcile.go", old: `named("wakes", w.wakes(ctx, &f)),`, new: ""},
	{name: "reconcile mail", file: "shared/flow/wake/reconcile.go", old: `named("mail", w.mail(ctx, &f)),`, new: ""},
	{name: "reconcile leases", file: "shared/flow/wake/reconcile.go", old: `named("leases", w.leases(ctx, &f)),`, new: ""},
	{name: "reconcile cards", file: "shared/flow/wake/reconcile.go", old: `named("cards", w.cards(ctx, &f)),`, new: ""},
	{name: "reconcile expiry", file: "shared/flow/wake/reconcile.go", old: `named("expired", w.expired(ctx, &f)),`, new: ""},
	{name: "trigger not queued and 200", file: "shared/flow/ingest/ingest.go", old: `http.Error(w, "try again", http.StatusServiceUnavailable)`, new: "w.WriteHeader(200)"},

	// What is shown (I23).
	{name: "save shown version", file: "shared/store/shown.go", old: `"show", shownRow(x), table.Version(was))`, new: `"show", shownRow(x))`, also: [][2]string{{"	was := x.Version\n", ""}}},
	{name: "save said version", file: "shared/store/said.go", old: "cond := table.Version(x.Version)\n	if x.Version == 0 {\n		cond = table.Absent()\n	}\n", new: "cond := " + noCond + "\n",
		covered: "the outbound queue's order by place"},
	{name: "clicked message replaces", file: "shared/store/shown.go", old: `a.Set["also"] = table.Str(ref.Message)`, new: `a.Set["message"] = table.Str(ref.Message)`},
	{name: "posted message's id lost", file: "shared/store/shown.go", old: `case x.Message == "":
		a.Set["message"] = table.Str(message)
`, new: `case x.Message == "":
`},
	{name: "another's claim ended", file: "shared/store/shown.go", old: "if !claim.IsZero() && Stamp(x.Lease) == Stamp(claim) {", new: "if true {",
		covered: "the outbound queue's order by place; the races hold it"},
	{name: "settled posted", file: "shared/flow/deliver/deliver.go", old: `card.Settled && row.Attempts == 0 {`, new: `false {`},
	{name: "outcome not said", file: "shared/flow/deliver/deliver.go", old: "if final(err) && card.Settled {", new: "if false {"},
	{name: "claim of what became due", file: "shared/flow/deliver/deliver.go", old: "if row.Lease.After(now) {", new: "if row.State == store.Sending && row.Lease.After(now) {",
		covered: "the outbound queue's order by place; the races hold it"},
	{name: "shown again", file: "shared/flow/deliver/deliver.go", old: "if !row.Behind(version) {", new: "if false {", covered: "showing the same twice does no harm"},

	// Agents elsewhere (S14, P25, I3).
	{name: "submitted absent", file: "shared/store/submitted.go", old: `encode(x), table.Absent())`, new: `encode(x))`},
	{name: "key reused", file: "shared/flow/api/elsewhere.go", old: "if was.Digest != call.Digest || was.Tool != call.Name() {", new: "if false {"},
	{name: "join denied", file: "shared/flow/api/elsewhere.go", old: "	case inbox.Denied:\n", new: "	case \"\":\n"},
	{name: "join pending", file: "shared/flow/api/elsewhere.go", old: "	case inbox.Pending:\n", new: "	case \"\":\n"},
	{name: "spent by another key", file: "shared/flow/api/look.go", old: "if was != nil && was.Key == a.Key {", new: "if was != nil {"},
	{name: "session twice", file: "shared/flow/api/elsewhere.go", old: `id := "s-" + digest(k.Hash, idem)[:26]`, new: `id := "s-" + g.NewID()`},
}
