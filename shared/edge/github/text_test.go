package github

import (
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/trigger"
)

// B50: what goes on stays under 64 KB, whatever came.
func TestB50_LargeBodies(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain":   strings.Repeat("word ", 60<<10),
		"markup":  strings.Repeat("<&>", 100<<10),
		"short":   strings.Repeat("<", 40<<10),
		"control": strings.Repeat("\x01", 300<<10),
		"han":     strings.Repeat("門", 100<<10),
	} {
		got := triggerOf(t, "pull_request", opened("pull_request", text))
		if n := len(encode(t, got)); n > 64<<10 {
			t.Errorf("%s: %d bytes", name, n)
		}
		if len(got.Text) > trigger.MaxText || !strings.Contains(got.Text, "[cut: ") {
			t.Errorf("%s: %d bytes of text, ends %q", name, len(got.Text), got.Text[max(0, len(got.Text)-40):])
		}
		if strings.Contains(got.Text, "\ufffd") {
			t.Errorf("%s: cut inside a character", name)
		}
	}
	dropped(t, "push", m{"x": strings.Repeat("y", 5<<20)}, "unknown event")
	// The mention is looked for in the whole text.
	if got := triggerOf(t, "issues", opened("issue", strings.Repeat("log\n", 14<<10)+"\n\n@postern-agent why?")); got.Named != trigger.Mention {
		t.Error("a mention behind a long log is lost")
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 99, 100} {
		if s := strings.Repeat("a", n); cut(s, 100) != s {
			t.Errorf("%d bytes were cut", n)
		}
	}
	if got := cut(strings.Repeat("a", 101), 100); got != strings.Repeat("a", 60)+"\n[cut: 41 more bytes]" {
		t.Errorf("%q", got)
	}
}
