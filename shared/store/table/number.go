package table

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Range and precision of a number, equal to DynamoDB's.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const (
	MaxDigits   = 38  // significant digits
	maxExponent = 125 // of the first significant digit
	minExponent = -130
	maxNumText  = 256 // characters read before a text is refused unparsed
)

// decimal is a parsed number: 0.d1d2d3... times ten to the power of point.
// Zero has no digits. The first and the last digit are never '0'.
type decimal struct {
	neg    bool
	digits string
	point  int
}

// Canonical returns the one text under which a number is kept: plain decimal,
// no exponent, no plus sign, no zeros that mean nothing, and "0" for zero of
// either sign. It takes decimal text with or without an exponent and refuses
// (ErrInvalid) anything else, more than 38 significant digits, and magnitudes
// outside 1E-130 to 9.99...E+125.
func Canonical(text string) (string, error) {
	if isPlainInteger(text) {
		return text, nil
	}
	d, err := parseDecimal(text)
	if err != nil {
		return "", err
	}
	return d.text(), nil
}

// isPlainInteger recognises the common case that is canonical as it stands.
func isPlainInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > MaxDigits || digits[0] == '0' {
		return s == "0"
	}
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

func parseDecimal(text string) (decimal, error) {
	bad := func(why string) (decimal, error) {
		return decimal{}, fmt.Errorf("number %.40q %s: %w", text, why, ErrInvalid)
	}
	if len(text) > maxNumText {
		return bad("is too long")
	}
	var d decimal
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.Atoi(text[i+1:])
		if err != nil || n < -1000 || n > 1000 {
			return bad("has no readable exponent")
		}
		mantissa, exponent = text[:i], n
	}
	switch {
	case strings.HasPrefix(mantissa, "-"):
		d.neg, mantissa = true, mantissa[1:]
	case strings.HasPrefix(mantissa, "+"):
		mantissa = mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	if all == "" || strings.Trim(all, "0123456789") != "" {
		return bad("is not a decimal number")
	}
	d.digits = strings.TrimLeft(all, "0")
	d.point = len(whole) + exponent - (len(all) - len(d.digits))
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		return decimal{}, nil
	}
	if len(d.digits) > MaxDigits {
		return bad("has more than 38 significant digits")
	}
	if e := d.point - 1; e > maxExponent || e < minExponent {
		return bad("is out of range")
	}
	return d, nil
}

func (d decimal) text() string {
	if d.digits == "" {
		return "0"
	}
	var b strings.Builder
	if d.neg {
		b.WriteByte('-')
	}
	switch n := len(d.digits); {
	case d.point <= 0:
		b.WriteString("0.")
		b.WriteString(strings.Repeat("0", -d.point))
		b.WriteString(d.digits)
	case d.point >= n:
		b.WriteString(d.digits)
		b.WriteString(strings.Repeat("0", d.point-n))
	default:
		b.WriteString(d.digits[:d.point])
		b.WriteByte('.')
		b.WriteString(d.digits[d.point:])
	}
	return b.String()
}

// compareNumbers orders two numbers by value: -1, 0 or 1. Texts that are no
// numbers cannot be ordered.
func compareNumbers(a, b string) (order int, ok bool) {
	x, err := parseDecimal(a)
	if err != nil {
		return 0, false
	}
	y, err := parseDecimal(b)
	if err != nil {
		return 0, false
	}
	if x.sign() != y.sign() {
		if x.sign() < y.sign() {
			return -1, true
		}
		return 1, true
	}
	order = x.compareMagnitude(y)
	if x.neg {
		order = -order
	}
	return order, true
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.neg:
		return -1
	}
	return 1
}

func (d decimal) compareMagnitude(e decimal) int {
	if d.point != e.point {
		if d.point < e.point {
			return -1
		}
		return 1
	}
	return strings.Compare(d.digits, e.digits)
}

// Sum adds n to a number and returns the canonical text. A result that would
// need more than 38 digits is refused with ErrInvalid, never rounded.
func Sum(number string, n int64) (string, error) {
	x, ok := new(big.Rat).SetString(number)
	if !ok || len(number) > maxNumText {
		return "", fmt.Errorf("number %.40q is not a decimal number: %w", number, ErrInvalid)
	}
	x.Add(x, new(big.Rat).SetInt64(n))
	if x.IsInt() {
		return Canonical(x.Num().String())
	}
	// A canonical number has at most 130+38 decimals.
	return Canonical(strings.TrimRight(x.FloatString(170), "0"))
}
