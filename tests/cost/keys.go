package main

import (
	"sort"
	"strings"

	"github.com/postern-dev/postern/shared/store"
)

// sharedKey is a key, or a set of numbered shards of one, that every round
// trip uses.
type sharedKey struct {
	Name  string  `json:"key"`
	Units float64 `json:"units"`
	Most  float64 `json:"trips_a_second"`
}

// shared finds the keys that all round trips share: the indexes' partitions,
// the outbox's, and the policy, which is read only.
func shared(m measured) []sharedKey {
	units := map[string]float64{}
	for _, k := range m.Table.Keys {
		if within(stageOf(k.Phase)) {
			units["index "+string(k.Index)+", "+unnumbered(k.PK)] += k.Units / float64(m.Trips)
		}
	}
	reads := 0.0
	for _, r := range m.Table.Rows {
		if !within(stageOf(r.Phase)) {
			continue
		}
		switch r.Kind {
		case "outbox":
			units["table, outbox#n"] += r.Write / float64(m.Trips)
		case "policy":
			reads += r.Read / float64(m.Trips)
		}
	}
	var out []sharedKey
	for name, u := range units {
		most := perKey / u
		if strings.HasSuffix(name, "#n") {
			most *= store.Shards
		}
		out = append(out, sharedKey{name, round(u, 3), round(most, 0)})
	}
	if reads > 0 {
		out = append(out, sharedKey{"table, policy (reads)", reads, perKeyRead / reads})
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].Most < out[j].Most || out[i].Most == out[j].Most && out[i].Name < out[j].Name
	})
	return out
}

// unnumbered writes a shard's number as n.
func unnumbered(pk string) string {
	if word, _, ok := strings.Cut(pk, "#"); ok {
		return word + "#n"
	}
	return pk
}
