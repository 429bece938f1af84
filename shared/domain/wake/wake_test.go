package wake

import (
	"strings"
	"testing"
	"time"
)

// W6: the past means now; more than a year is refused with the reason.
func TestW6_Due(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		at      time.Time
		want    time.Time
		refused bool
	}{
		{"in a minute", now.Add(time.Minute), now.Add(time.Minute), false},
		{"now", now, now, false},
		{"past", now.Add(-time.Hour), now, false},
		{"long past", now.AddDate(-50, 0, 0), now, false},
		{"a year", now.Add(Longest), now.Add(Longest), false},
		{"a year and a second", now.Add(Longest + time.Second), time.Time{}, true},
		{"the far future", now.AddDate(500, 0, 0), time.Time{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Due(c.at, now)
			if !got.Equal(c.want) || (err != nil) != c.refused {
				t.Errorf("%s, %v", got, err)
			}
			if err != nil && !strings.Contains(err.Error(), "365 days") {
				t.Errorf("the refusal does not say what is allowed: %v", err)
			}
		})
	}
}
