package table

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// O6: numbers are kept exactly, up to 38 digits.
func TestCanonical(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "-0e9": "0", "1": "1", "+1": "1", "01": "1", "-01.10": "-1.1", "1e2": "100",
		"1.23E+1": "12.3", "123e-5": "0.00123", ".5": "0.5", "5.": "5", "100": "100", "-100": "-100",
		strings.Repeat("0", 100) + "1": "1", "1" + strings.Repeat("0", 125): "1" + strings.Repeat("0", 125),
		"1e-130": "0." + strings.Repeat("0", 129) + "1",
	} {
		got, err := Canonical(give)
		if err != nil || got != want {
			t.Errorf("Canonical(%q) = %q, %v; want %q", give, got, err, want)
		}
	}
	for _, bad := range []string{
		"", "-", "+", ".", "e1", "1e", "1e1.5", "1e1e1", "NaN", "Inf", "0x1", "1 ", " 1", "1_0", "--1", "+-1", "1-", "1.1.1",
		"1e126", "1e-131", "1e1001", strings.Repeat("9", 39), strings.Repeat("0", 300),
	} {
		if got, err := Canonical(bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("Canonical(%q) = %q, %v; want ErrInvalid", bad, got, err)
		}
	}
}

// numberText draws a number in one of its many spellings.
func numberText(t *rapid.T, label string) string {
	digits := rapid.StringMatching(`[0-9]{1,30}`).Draw(t, label)
	at := rapid.IntRange(0, len(digits)).Draw(t, label+" point")
	sign := rapid.SampledFrom([]string{"", "-", "+"}).Draw(t, label+" sign")
	exponent := rapid.IntRange(-60, 60).Draw(t, label+" exponent")
	return fmt.Sprintf("%s%s.%se%d", sign, digits[:at], digits[at:], exponent)
}

func rat(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

// The canonical text is the same number, and its own canonical text.
func TestCanonicalKeepsTheNumber(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := numberText(t, "a")
		got, err := Canonical(text)
		if err != nil {
			t.Fatal(err)
		}
		if rat(t, got).Cmp(rat(t, strings.TrimPrefix(text, "+"))) != 0 {
			t.Fatalf("%q became %q", text, got)
		}
		if again, err := Canonical(got); again != got || err != nil {
			t.Fatalf("%q became %q, %v", got, again, err)
		}
		if strings.ContainsAny(got, "eE+") || got == "-0" {
			t.Fatalf("%q is not plain", got)
		}
	})
}

func TestCompareNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := numberText(t, "a"), numberText(t, "b")
		if rapid.Bool().Draw(t, "close") { // random numbers hardly ever meet
			b = a
		}
		order, ok := compareNumbers(a, b)
		want := rat(t, strings.TrimPrefix(a, "+")).Cmp(rat(t, strings.TrimPrefix(b, "+")))
		if !ok || order != want {
			t.Fatalf("%q against %q: %d, want %d", a, b, order, want)
		}
	})
	if _, ok := compareNumbers("x", "1"); ok {
		t.Error("a text that is no number has an order")
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a    string
		n    int64
		want string
	}{
		{"0", 0, "0"}, {"1", -1, "0"}, {"-5", 3, "-2"}, {"0.5", 1, "1.5"}, {"-0.5", 1, "0.5"},
		{"9223372036854775807", 9223372036854775807, "18446744073709551614"},
		{"12345678901234567890.5", -1, "12345678901234567889.5"}, {strings.Repeat("9", 37), 1, "1" + strings.Repeat("0", 37)},
	} {
		if got, err := Sum(c.a, c.n); err != nil || got != c.want {
			t.Errorf("%s + %d = %s, %v; want %s", c.a, c.n, got, err, c.want)
		}
	}
	for _, bad := range []string{"x", "", "1" + strings.Repeat("0", 60), "1e-60"} {
		if got, err := Sum(bad, 1); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s + 1 = %s, %v; want ErrInvalid", bad, got, err)
		}
	}
}
