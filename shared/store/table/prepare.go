package table

import (
	"fmt"
	"slices"
)

// Prepare checks a commit and returns the form the engines work on. It shares
// no map with tx: numbers are canonical, attributes without a type are left
// out of a Put, a Put's Item holds the whole row with pk, sk and tx, and an
// Update's Set holds tx. Errors are ErrInvalid.
func Prepare(tx Tx) (Tx, error) {
	if err := validateToken(tx.Token); err != nil {
		return Tx{}, err
	}
	if n := len(tx.Actions); n == 0 || n > MaxActions {
		return Tx{}, fmt.Errorf("commit %s has %d actions, not 1 to %d: %w", tx.Token, n, MaxActions, ErrInvalid)
	}
	out := Tx{Token: tx.Token, Actions: make([]Action, len(tx.Actions))}
	seen := make(map[Key]bool, len(tx.Actions))
	size := 0
	for i, a := range tx.Actions {
		p, err := prepareAction(a, tx.Token)
		if err != nil {
			return Tx{}, fmt.Errorf("commit %s, action %d: %w", tx.Token, i, err)
		}
		if seen[a.Key] {
			return Tx{}, fmt.Errorf("commit %s, action %d: key %v twice in one commit: %w", tx.Token, i, a.Key, ErrInvalid)
		}
		seen[a.Key] = true
		size += p.size()
		out.Actions[i] = p
	}
	if size > MaxCommitBytes {
		return Tx{}, fmt.Errorf("commit %s has %d bytes, more than %d: %w", tx.Token, size, MaxCommitBytes, ErrInvalid)
	}
	return out, nil
}

func (a Action) size() int {
	size := len(a.Key.PK) + len(a.Key.SK) + SizeOf(a.Set)
	if a.Verb == Put {
		size = SizeOf(a.Item)
	}
	for name := range a.Add {
		size += len(name) + 12
	}
	return size
}

func prepareAction(a Action, token string) (Action, error) {
	if err := ValidateKey(a.Key); err != nil {
		return Action{}, err
	}
	if len(a.Set)+len(a.Add)+len(a.Remove)+len(a.If) > MaxClauses {
		return Action{}, fmt.Errorf("row %v: more than %d attributes in one action: %w", a.Key, MaxClauses, ErrInvalid)
	}
	if a.Verb != Update && (a.Set != nil || a.Add != nil || a.Remove != nil) {
		return Action{}, fmt.Errorf("row %v: set, add and remove go with an update only: %w", a.Key, ErrInvalid)
	}
	if a.Verb != Put && a.Item != nil {
		return Action{}, fmt.Errorf("row %v: an item goes with a put only: %w", a.Key, ErrInvalid)
	}
	p := Action{Verb: a.Verb, Key: a.Key}
	var err error
	if p.If, err = prepareConds(a.If); err != nil {
		return Action{}, fmt.Errorf("row %v: %w", a.Key, err)
	}
	switch a.Verb {
	case Put:
		p.Item, err = prepareRow(a, token)
	case Update:
		err = prepareUpdate(&p, a, token)
	case Delete:
	case Check:
		if len(a.If) == 0 {
			err = fmt.Errorf("row %v: a check without a condition: %w", a.Key, ErrInvalid)
		}
	default:
		err = fmt.Errorf("row %v: action without a verb: %w", a.Key, ErrInvalid)
	}
	return p, err
}

func prepareConds(conds []Cond) ([]Cond, error) {
	out := slices.Clone(conds)
	for i, c := range out {
		if err := validateCond(c); err != nil {
			return nil, err
		}
		out[i].Value = canonicalValue(c.Value)
	}
	return out, nil
}

// prepareRow makes the whole row of a Put. A "tx" that came with a row read
// before is replaced.
func prepareRow(a Action, token string) (Item, error) {
	row := make(Item, len(a.Item)+3)
	for name, v := range a.Item {
		if name == AttrTx || v.Type == 0 {
			continue
		}
		if (name == AttrPK && !v.Equal(Str(a.Key.PK))) || (name == AttrSK && !v.Equal(Str(a.Key.SK))) {
			return nil, fmt.Errorf("row %v: its attribute %q names another row: %w", a.Key, name, ErrInvalid)
		}
		row[name] = canonicalValue(v)
	}
	row[AttrPK], row[AttrSK], row[AttrTx] = Str(a.Key.PK), Str(a.Key.SK), Str(token)
	return row, ValidateItem(a.Key, row)
}

func prepareUpdate(p *Action, a Action, token string) error {
	touched := map[string]bool{AttrPK: true, AttrSK: true, AttrTx: true}
	touch := func(name string) error {
		if err := validateName(name); err != nil {
			return err
		}
		if touched[name] {
			return fmt.Errorf("row %v: attribute %q is reserved or named twice in one update: %w", a.Key, name, ErrInvalid)
		}
		touched[name] = true
		return nil
	}
	p.Set = make(Item, len(a.Set)+1)
	for name, v := range a.Set {
		if err := touch(name); err != nil {
			return err
		}
		p.Set[name] = canonicalValue(v)
	}
	for name, n := range a.Add {
		if err := touch(name); err != nil {
			return err
		}
		if _, ok := indexAttrs[name]; ok {
			return fmt.Errorf("row %v: attribute %q of an index is no number: %w", a.Key, name, ErrInvalid)
		}
		if p.Add == nil {
			p.Add = make(map[string]int64, len(a.Add))
		}
		p.Add[name] = n
	}
	for _, name := range a.Remove {
		if err := touch(name); err != nil {
			return err
		}
	}
	p.Remove = slices.Clone(a.Remove)
	p.Set[AttrTx] = Str(token)
	return ValidateItem(a.Key, p.Set)
}

// canonicalValue gives a number its canonical text, bytes a slice that is not
// nil, and drops what does not belong to the type. A bad number is left for
// validation to refuse.
func canonicalValue(v Value) Value {
	switch v.Type {
	case String:
		return Str(v.Str)
	case Number:
		if text, err := Canonical(v.Str); err == nil {
			return Num(text)
		}
		return Num(v.Str)
	case Boolean:
		return Bool(v.Bool)
	case Binary:
		if v.Bytes == nil {
			return Bytes([]byte{})
		}
		return Bytes(v.Bytes)
	}
	return v
}
