package table

import (
	"fmt"
	"maps"
)

// Apply returns the row that a prepared action leaves behind: nil after a
// Delete, the row itself after a Check. It does not look at conditions and
// changes neither argument. Errors are ErrInvalid: an Add on something that
// is no number or would overflow, or a row grown over MaxItemBytes.
func Apply(a Action, old Item) (Item, error) {
	switch a.Verb {
	case Put:
		return a.Item, nil
	case Delete:
		return nil, nil
	case Check:
		return old, nil
	}
	row := make(Item, len(old)+len(a.Set)+2)
	maps.Copy(row, old)
	row[AttrPK], row[AttrSK] = Str(a.Key.PK), Str(a.Key.SK)
	for _, name := range a.Remove {
		delete(row, name)
	}
	maps.Copy(row, a.Set)
	for name, n := range a.Add {
		sum, err := addTo(row, name, n)
		if err != nil {
			return nil, fmt.Errorf("row %v, add to %q: %w", a.Key, name, err)
		}
		row[name] = sum
	}
	return row, ValidateSize(a.Key, row)
}

func addTo(row Item, name string, n int64) (Value, error) {
	v, ok := row[name]
	if !ok {
		return Int(n), nil
	}
	if v.Type != Number {
		return Value{}, fmt.Errorf("the attribute is no number: %w", ErrInvalid)
	}
	text, err := Sum(v.Str, n)
	return Num(text), err
}

// WroteBy reports whether a row was last written by the commit with this
// token: then a condition lost on it was lost to our own earlier success, and
// the retry is a success too (O6). An action that would have left another row
// behind means the token was used for two different things: ErrInvalid.
func WroteBy(token string, a Action, row Item) (bool, error) {
	if !row[AttrTx].Equal(Str(token)) {
		return false, nil
	}
	same := true
	switch a.Verb {
	case Put:
		same = len(a.Item) == len(row)
		for name, v := range a.Item {
			same = same && v.Equal(row[name])
		}
	case Update:
		for name, v := range a.Set {
			same = same && v.Equal(row[name])
		}
		for _, name := range a.Remove {
			_, there := row[name]
			same = same && !there
		}
		for name := range a.Add {
			same = same && row[name].Type == Number
		}
	default:
		// A check or a delete beside a row that this commit itself wrote:
		// one commit has one action on a key, so this is another commit.
		same = false
	}
	if !same {
		return true, fmt.Errorf("row %v: token %s was used for another commit before: %w", a.Key, token, ErrInvalid)
	}
	return true, nil
}
