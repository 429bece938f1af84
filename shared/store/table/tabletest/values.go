package tabletest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/store/table"
)

func testValues(t *testing.T, e Env) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	row := table.Item{
		"empty": table.Str(""), "no bytes": table.Bytes([]byte{}), "nil": table.Bytes(nil),
		"zero": table.Int(0), "false": table.Bool(false), "true": table.Bool(true),
		"text": table.Str("tab\tnul\x00 \"<&>' é 漢字 🎉 \u2028"), "bytes": table.Bytes(every),
		"a.dotted[0].name": table.Str("x"), "größe": table.Int(1), "#n": table.Str(":v"), "size": table.Str("word of theirs"),
		"number text": table.Str("0010"),
	}
	for i, key := range []table.Key{
		k("plain", "plain"), k("p#1/2", "s p a c e"), k("漢字", "🎉"), k("q'\"", "nul\x00in\x00side"), k("%_", "\\%"),
		k(strings.Repeat("p", 2048), strings.Repeat("s", 1024)),
	} {
		win(t, e, fmt.Sprintf("p%d", i), put(key, row))
		read(t, e, key, row)
		win(t, e, fmt.Sprintf("d%d", i), del(key))
		win(t, e, fmt.Sprintf("u%d", i), set(key, row))
		read(t, e, key, row)
		// A condition on each attribute, and as a transaction.
		var conds []table.Cond
		for name, v := range row {
			conds = append(conds, table.Equals(name, v))
		}
		win(t, e, fmt.Sprintf("c%d", i), check(key, conds...), put(k("other", "x"), row))
		page, err := e.Table.Query(t.Context(), table.Query{PK: key.PK})
		if err != nil || len(page.Items) != 1 {
			t.Fatalf("query of %v: %v, %v", key, page, err)
		}
		same(t, e, page.Items[0], key, row)
	}
}

func testNumbers(t *testing.T, e Env) {
	digits := "12345678901234567890123456789012345678"
	cases := []struct{ give, want string }{
		{"0", "0"}, {"-0", "0"}, {"+7", "7"}, {"007", "7"}, {"1.50", "1.5"}, {".5", "0.5"}, {"5.", "5"}, {"1e3", "1000"},
		{"-12E-1", "-1.2"}, {"0.000", "0"}, {"0e5", "0"}, {"9223372036854775807", "9223372036854775807"},
		{"-9223372036854775808", "-9223372036854775808"}, {digits, digits}, {"-" + digits, "-" + digits},
		{"0." + digits, "0." + digits}, {digits[:20] + "." + digits[20:], digits[:20] + "." + digits[20:]},
		{strings.Repeat("9", 38), strings.Repeat("9", 38)},
		{"9.9999999999999999999999999999999999999E125", strings.Repeat("9", 38) + strings.Repeat("0", 88)},
		{"1E-130", "0." + strings.Repeat("0", 129) + "1"},
		{"-1E-130", "-0." + strings.Repeat("0", 129) + "1"},
		{"1" + strings.Repeat("0", 100), "1" + strings.Repeat("0", 100)},
	}
	row, want := table.Item{}, table.Item{}
	for i, c := range cases {
		name := fmt.Sprintf("n%d", i)
		row[name], want[name] = table.Num(c.give), table.Num(c.want)
	}
	win(t, e, "t1", put(k("a", "put"), row), set(k("a", "set"), row))
	read(t, e, k("a", "put"), want)
	read(t, e, k("a", "set"), want)
	// Order is by value, not by text, to the last digit.
	big := table.Item{"n": table.Num(digits)}
	win(t, e, "t2", put(k("a", "big"), big))
	less, more := digits[:37]+"7", digits[:37]+"9"
	win(t, e, "t3", check(k("a", "big"), table.After("n", table.Num(less)), table.Before("n", table.Num(more))))
	lose(t, e, "t4", []int{0}, check(k("a", "big"), table.Equals("n", table.Num(less))))
	for i, bad := range []string{
		"", "-", ".", "e", "1e", "NaN", "nan", "Infinity", "-Inf", "0x10", "1_000", "1,5", " 1", "1 ", "--1", "1.2.3", "٣",
		strings.Repeat("9", 39), "1." + strings.Repeat("0", 37) + "1", "1E126", "1E-131", "1e99999999999999999999",
	} {
		refuse(t, e, fmt.Sprintf("p%d", i), put(k("b", "1"), table.Item{"n": table.Num(bad)}))
		refuse(t, e, fmt.Sprintf("u%d", i), set(k("b", "1"), table.Item{"n": table.Num(bad)}))
		refuse(t, e, fmt.Sprintf("c%d", i), check(k("b", "1"), table.Equals("n", table.Num(bad))))
	}
	read(t, e, k("b", "1"), nil)
}
