package table

import (
	"fmt"
	"unicode/utf8"
)

// Reserved attributes. The engines set them; a caller never writes them.
const (
	AttrPK = "pk"
	AttrSK = "sk"
	AttrTx = "tx" // token of the commit that wrote the row last
)

// MaxClauses is how many attributes one action may set, add to, remove and
// test together: DynamoDB takes expressions of 4 KB.
const MaxClauses = 100

// maxNameBytes is the longest attribute name.
const maxNameBytes = 255

// indexAttrs are the key attributes of the indexes: strings, never empty.
var indexAttrs = map[string]int{
	"open_pk": maxPartitionKeyBytes, "open_sk": MaxKeyBytes,
	"list_pk": maxPartitionKeyBytes, "list_sk": MaxKeyBytes,
}

const maxPartitionKeyBytes = 2048

// Attrs returns the names of an index's partition key and sort key.
func (i Index) Attrs() (pk, sk string) {
	if i == Primary {
		return AttrPK, AttrSK
	}
	return string(i) + "_pk", string(i) + "_sk"
}

// Validate reports, as ErrInvalid, whatever in a commit both engines refuse
// before they send or write anything (O6).
func Validate(tx Tx) error {
	_, err := Prepare(tx)
	return err
}

// ValidateKey refuses a key that is empty, too long or not UTF-8.
func ValidateKey(k Key) error {
	if err := keyPart("partition key", k.PK, maxPartitionKeyBytes); err != nil {
		return err
	}
	return keyPart("sort key", k.SK, MaxKeyBytes)
}

func keyPart(what, s string, limit int) error {
	switch {
	case s == "":
		return fmt.Errorf("%s is empty: %w", what, ErrInvalid)
	case len(s) > limit:
		return fmt.Errorf("%s %.40q... has %d bytes, more than %d: %w", what, s, len(s), limit, ErrInvalid)
	case !utf8.ValidString(s):
		return fmt.Errorf("%s %.40q is not UTF-8: %w", what, s, ErrInvalid)
	}
	return nil
}

func validateToken(token string) error {
	if token == "" || len(token) > 36 {
		return fmt.Errorf("token %.40q has not 1 to 36 characters: %w", token, ErrInvalid)
	}
	for _, c := range []byte(token) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return fmt.Errorf("token %q holds %q: %w", token, c, ErrInvalid)
		}
	}
	return nil
}

// ValidateItem refuses a row that no engine keeps: bad names or values, an
// index attribute that is no string or is empty, or more than MaxItemBytes.
// The error names the key and the size.
func ValidateItem(key Key, it Item) error {
	for name, v := range it {
		if err := validateAttr(name, v); err != nil {
			return fmt.Errorf("row %v: %w", key, err)
		}
	}
	return ValidateSize(key, it)
}

// ValidateSize refuses a row of more than MaxItemBytes, naming key and size.
func ValidateSize(key Key, it Item) error {
	if size := SizeOf(it); size > MaxItemBytes {
		return fmt.Errorf("row %v has %d bytes, more than %d: %w", key, size, MaxItemBytes, ErrInvalid)
	}
	return nil
}

func validateName(name string) error {
	if name == "" || len(name) > maxNameBytes || !utf8.ValidString(name) {
		return fmt.Errorf("attribute name %.40q is empty, too long or not UTF-8: %w", name, ErrInvalid)
	}
	return nil
}

func validateAttr(name string, v Value) error {
	if err := validateName(name); err != nil {
		return err
	}
	if err := validateValue(v); err != nil {
		return fmt.Errorf("attribute %q: %w", name, err)
	}
	if limit, ok := indexAttrs[name]; ok {
		if v.Type != String {
			return fmt.Errorf("attribute %q of an index is no string: %w", name, ErrInvalid)
		}
		return keyPart("attribute "+name, v.Str, limit)
	}
	return nil
}

func validateValue(v Value) error {
	switch v.Type {
	case String:
		if !utf8.ValidString(v.Str) {
			return fmt.Errorf("string is not UTF-8: %w", ErrInvalid)
		}
		return nil
	case Number:
		_, err := Canonical(v.Str)
		return err
	case Boolean, Binary:
		return nil
	}
	return fmt.Errorf("value has no type: %w", ErrInvalid)
}

func validateCond(c Cond) error {
	switch c.Op {
	case OpAbsent, OpPresent:
		if c.Attr == "" {
			return nil
		}
		return validateName(c.Attr)
	case OpEquals, OpBefore, OpAfter:
		if err := validateName(c.Attr); err != nil {
			return err
		}
		if c.Op != OpEquals && c.Value.Type == Boolean {
			return fmt.Errorf("condition on %q: a bool has no order: %w", c.Attr, ErrInvalid)
		}
		if err := validateValue(c.Value); err != nil {
			return fmt.Errorf("condition on %q: %w", c.Attr, err)
		}
		return nil
	}
	return fmt.Errorf("condition has no operator: %w", ErrInvalid)
}
