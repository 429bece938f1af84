package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/postern-dev/postern/shared/domain/policy"
	"github.com/postern-dev/postern/shared/store/table"
)

// PolicyRow is one saved version of the whole policy (G32).
type PolicyRow struct {
	Version int64
	Text    string // the policy as JSON
	Source  string // the policy.yaml it was made from, comments and all
	By      string // actor ref
	At      time.Time
}

var policyKey = key("policy", "current")

// Policy reads the current policy by a strong read. Where none was ever saved
// it is the empty policy of version 0: nobody is listed, nobody may answer (Q8).
func (s *Store) Policy(ctx context.Context) (policy.Policy, error) {
	var p policy.Policy
	row, err := get[PolicyRow](ctx, s, policyKey)
	if err != nil || row == nil {
		return p, err
	}
	if err := json.Unmarshal([]byte(row.Text), &p); err != nil {
		return p, fmt.Errorf("policy version %d: %w", row.Version, err)
	}
	p.Version = row.Version
	return p, nil
}

// SavePolicy writes the next version, conditional on the version that the
// writer read (G32). It keeps every version's text.
func SavePolicy(was int64, p policy.Policy, source, by string, at time.Time) ([]table.Action, error) {
	p.Version = was + 1
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	row := PolicyRow{Version: p.Version, Text: string(text), Source: source, By: by, At: at}
	cond := table.Version(was)
	if was == 0 {
		cond = table.Absent()
	}
	return []table.Action{
		put(policyKey, "policy", encode(row), cond),
		put(key("policy", fmt.Sprintf("version#%08d", p.Version)), "policy", encode(row), table.Absent()),
	}, nil
}

// PolicyHistory lists saved versions, newest first.
func (s *Store) PolicyHistory(ctx context.Context, limit int) ([]PolicyRow, error) {
	return query[PolicyRow](ctx, s, table.Query{PK: "policy", Prefix: "version#", Newest: true, Limit: limit}, limit)
}
