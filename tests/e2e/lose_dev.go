package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/postern-dev/postern/shared/local/scenario"
	"github.com/postern-dev/postern/shared/store"
	"github.com/postern-dev/postern/shared/store/sqlite"
	"github.com/postern-dev/postern/shared/store/table"
)

// place is where postern dev keeps how far it has read its change feed, which
// is what the table's stream is on AWS.
var place = table.Key{PK: "local", SK: "stream"}

// loseRecord kills it while the agent sleeps, has the wake fired by a process
// beside it (postern wake --due), moves the feed's reader behind that commit,
// and starts it again: nobody will ever read the record of it.
func (d *dev) loseRecord(ctx context.Context) (string, error) {
	if err := d.table(func(_ *sqlite.DB, s *store.Store) error { return asleep(ctx, s) }); err != nil {
		return "", err
	}
	d.end()
	fired := struct{ Fired int }{}
	for fired.Fired == 0 {
		out, err := exec.CommandContext(ctx, d.binary, "wake", "--due", "--dir", d.dir, "--json").Output()
		if err == nil {
			err = json.Unmarshal(out, &fired)
		}
		if err != nil {
			return "", fmt.Errorf("postern wake --due: %w", err)
		}
		if err := nap(ctx, 200*time.Millisecond); err != nil {
			return "", err
		}
	}
	var row store.Outbox
	if err := d.table(func(db *sqlite.DB, s *store.Store) error {
		rows, err := s.StuckOutbox(ctx, time.Now().Add(time.Hour), 10)
		if err != nil || len(rows) != 1 {
			return fmt.Errorf("%d outbox rows are open where the wake's was to be: %w", len(rows), err)
		}
		row = rows[0]
		return skip(ctx, db)
	}); err != nil {
		return "", err
	}
	d.lost = row.Created
	if err := d.start(ctx); err != nil {
		return "", err
	}
	if err := nap(ctx, 3*time.Second); err != nil {
		return "", err
	}
	return "the agent's wake fired while postern dev was dead, and the feed's reader was moved behind the outbox row: nobody rings the turn",
		d.table(func(_ *sqlite.DB, s *store.Store) error { return stillOpen(ctx, s, row) })
}

// skip moves the reader to the feed's end.
func skip(ctx context.Context, db *sqlite.DB) error {
	row, err := db.Get(ctx, place)
	if err != nil {
		return err
	}
	at := row["at"].Str
	for {
		changes, next, err := db.Changes(ctx, at, 500)
		if err != nil {
			return err
		}
		if at = next; len(changes) == 0 {
			break
		}
	}
	res, err := db.Commit(ctx, table.Tx{Token: ulid.Make().String(), Actions: []table.Action{{Verb: table.Put, Key: place,
		Item: table.Item{"at": table.Str(at), "kind": table.Str("local")}}}})
	if err == nil && !res.Won() {
		err = errors.New("the reader's place could not be written")
	}
	return err
}

// found reads what the reconciler logged since the record was lost.
func (d *dev) found(ctx context.Context) (scenario.Finds, error) {
	if err := nap(ctx, time.Until(d.lost.Add(missed))); err != nil {
		return scenario.Finds{}, err
	}
	var f scenario.Finds
	for range 60 {
		if f = d.finds(); f.Outbox > 0 {
			return f, nil
		}
		if err := nap(ctx, time.Second); err != nil {
			return f, err
		}
	}
	return f, nil
}

var counted = regexp.MustCompile(`(Outbox|Mail|Leases|Wakes|Cards):(\d+)`)

// finds adds up all passes: before the record was lost there was nothing to find.
func (d *dev) finds() (f scenario.Finds) {
	by := map[string]*int{"Outbox": &f.Outbox, "Mail": &f.Mail, "Leases": &f.Leases, "Wakes": &f.Wakes, "Cards": &f.Cards}
	for line := range strings.Lines(d.log.String()) {
		if !strings.Contains(line, "msg=reconciled") {
			continue
		}
		for _, m := range counted.FindAllStringSubmatch(line, -1) {
			n, _ := strconv.Atoi(m[2])
			*by[m[1]] += n
		}
	}
	return f
}
