package sqlite

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/postern-dev/postern/shared/store/table"
)

// digest is the fingerprint of a prepared commit, without its token's effect:
// the same token with another fingerprint is another commit, and refused.
func digest(tx table.Tx) []byte {
	b := make([]byte, 0, 512)
	for _, a := range tx.Actions {
		b = append(b, byte(a.Verb))
		b = appendText(appendText(b, a.Key.PK), a.Key.SK)
		b = binary.AppendUvarint(b, uint64(len(a.Item)))
		b = appendItem(b, a.Item)
		b = binary.AppendUvarint(b, uint64(len(a.Set)))
		b = appendItem(b, a.Set)
		b = binary.AppendUvarint(b, uint64(len(a.Add)))
		for _, name := range slices.Sorted(maps.Keys(a.Add)) {
			b = binary.AppendVarint(appendText(b, name), a.Add[name])
		}
		b = binary.AppendUvarint(b, uint64(len(a.Remove)))
		for _, name := range slices.Sorted(slices.Values(a.Remove)) {
			b = appendText(b, name)
		}
		b = binary.AppendUvarint(b, uint64(len(a.If)))
		for _, c := range a.If {
			b = append(b, byte(c.Op))
			b = appendValue(appendText(b, c.Attr), c.Value)
		}
	}
	sum := sha256.Sum256(b)
	return sum[:]
}
