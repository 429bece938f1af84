package tablecount

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/postern-dev/postern/shared/store/table"
)

// Units is what DynamoDB bills.
type Units struct {
	Write float64 `json:"write"` // of the table
	Index float64 `json:"index"` // write units of both indexes
	Read  float64 `json:"read"`
}

// Writes is all that is billed at the price of a write unit.
func (u Units) Writes() float64 { return u.Write + u.Index }

func (u *Units) add(v Units) {
	u.Write += v.Write
	u.Index += v.Index
	u.Read += v.Read
}

// Row is what one way of using rows of one kind cost in one phase.
type Row struct {
	Phase string `json:"phase"`
	Kind  string `json:"kind"`
	Verb  string `json:"verb"` // put, update, delete, check, get, query
	N     int    `json:"n"`    // rows, or queries
	Units
}

// Call is how often one request was sent in one phase.
type Call struct {
	Phase string `json:"phase"`
	API   string `json:"api"` // GetItem, BatchGetItem, Query, PutItem, UpdateItem, DeleteItem, TransactWriteItems
	N     int    `json:"n"`
	Lost  int    `json:"lost,omitempty"` // of them, whose conditions failed
}

// Key is the write units that went to one partition of an index, which takes
// 1,000 of them a second.
type Key struct {
	Phase string      `json:"phase"`
	Index table.Index `json:"index"`
	PK    string      `json:"pk"`
	Units float64     `json:"units"`
}

// Count is what was counted, sorted by phase and kind.
type Count struct {
	Rows  []Row  `json:"rows"`
	Calls []Call `json:"calls"`
	Keys  []Key  `json:"keys"`
}

// Sum adds up the rows that take says yes to; nil takes all.
func (c Count) Sum(take func(Row) bool) Units {
	var u Units
	for _, r := range c.Rows {
		if take == nil || take(r) {
			u.add(r.Units)
		}
	}
	return u
}

// Requests adds up the calls of a phase, of all phases for the empty name.
func (c Count) Requests(phase string) int {
	n := 0
	for _, x := range c.Calls {
		if phase == "" || x.Phase == phase {
			n += x.N
		}
	}
	return n
}

type phaseKey struct{}

// In returns a context whose requests are counted under a phase.
func In(ctx context.Context, phase string) context.Context {
	return context.WithValue(ctx, phaseKey{}, phase)
}

// Phase returns the phase of In; empty if there is none.
func Phase(ctx context.Context) string {
	phase, _ := ctx.Value(phaseKey{}).(string)
	return phase
}

// KindOf is a row's kind: its attribute "kind", or else the word that its sort
// key begins with, or its partition key if the sort key is a time or unknown.
func KindOf(key table.Key, row table.Item) string {
	if kind := row["kind"].Str; kind != "" {
		return kind
	}
	name := key.SK
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = key.PK
	}
	word, _, _ := strings.Cut(name, "#")
	return word
}

// Count is what was counted since the beginning or the last Reset.
func (c *Counter) Count() Count {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := Count{Rows: []Row{}, Calls: []Call{}, Keys: []Key{}}
	for k, u := range c.rows {
		out.Rows = append(out.Rows, Row{k[0], k[1], k[2], u.n, u.Units})
	}
	for k, n := range c.calls {
		out.Calls = append(out.Calls, Call{k[0], k[1], n.all, n.lost})
	}
	for k, u := range c.keys {
		out.Keys = append(out.Keys, Key{k[0], table.Index(k[1]), k[2], u})
	}
	slices.SortFunc(out.Keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.Index, b.Index), cmp.Compare(a.PK, b.PK))
	})
	slices.SortFunc(out.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Verb, b.Verb))
	})
	slices.SortFunc(out.Calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.API, b.API))
	})
	return out
}

// Reset begins anew.
func (c *Counter) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows, c.calls, c.keys = map[[3]string]*used{}, map[[2]string]*tally{}, map[[3]string]float64{}
}

type tally struct{ all, lost int }

type used struct {
	Units
	n int
}

func (c *Counter) bill(phase, kind, verb string, u Units) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := [3]string{phase, kind, verb}
	if c.rows[k] == nil {
		c.rows[k] = &used{}
	}
	c.rows[k].add(u)
	c.rows[k].n++
}

func (c *Counter) called(phase, api string, lost bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := [2]string{phase, api}
	if c.calls[k] == nil {
		c.calls[k] = &tally{}
	}
	c.calls[k].all++
	if lost {
		c.calls[k].lost++
	}
}

func (c *Counter) heat(phase string, all []spent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range all {
		c.keys[[3]string{phase, string(x.index), x.pk}] += x.units
	}
}
