package github

import (
	"fmt"
	"testing"
	"time"
)

// ago makes a try so many hours before noon.
func ago(id int64, guid string, status int, hours float64, again bool) Attempt {
	return Attempt{ID: id, GUID: guid, Status: status, At: noon.Add(-time.Duration(hours * float64(time.Hour))), Again: again}
}

// W8, B51: what was never taken is missed, by its latest try; what was taken at
// any try, is too old, or whose first try is out of sight, is not.
func TestW8_Missed(t *testing.T) {
	t.Parallel()
	got := Missed([]Attempt{
		ago(1, "failed", 500, 5, false), ago(2, "failed", 502, 1, true), ago(3, "ok", 200, 1, false),
		ago(4, "retried", 500, 3, false), ago(5, "retried", 204, 2, true), ago(6, "slow", 0, 1.5, false),
		ago(7, "old", 500, 73, false), ago(11, "old", 500, 1, true), ago(12, "cut", 500, 1, true),
		ago(8, "timeout", 0, 2, false), ago(9, "", 500, 1, false), ago(10, "redirect", 302, 1, false),
	}, noon)
	var list []string
	for _, l := range got {
		list = append(list, fmt.Sprintf("%s/%d after %d", l.GUID, l.ID, l.Tries))
	}
	if want := "[failed/2 after 2 timeout/8 after 1 slow/6 after 1 redirect/10 after 1]"; fmt.Sprint(list) != want {
		t.Errorf("%v, want %s", list, want)
	}
	if got := Missed(nil, noon); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// W8: each try doubles the wait for the next, to half a day.
func TestW8_Due(t *testing.T) {
	t.Parallel()
	for tries, wait := range map[int]time.Duration{1: 2 * time.Minute, 2: 4 * time.Minute, 5: 32 * time.Minute, 9: 512 * time.Minute,
		10: 12 * time.Hour, 64: 12 * time.Hour} {
		l := Lost{Attempt: Attempt{At: noon}, Tries: tries}
		if l.Due(noon.Add(wait-time.Second)) || !l.Due(noon.Add(wait)) {
			t.Errorf("after %d tries it does not wait %v", tries, wait)
		}
	}
}
