package permission_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/postern-dev/postern/shared/domain/permission"
)

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// The seed tests a text prefix, by which "ls ; rm -rf /" passes an entry "ls".
func TestP15_OneSimpleCommand(t *testing.T) {
	t.Parallel()
	s := permission.State{Commands: commands(t, "ls", "go test", "git commit", "echo", `grep "a b"`)}
	pass := []string{
		"ls", " ls ", "ls\n", "ls -la /tmp", "ls a\tb", `ls "a b"`, `ls 'a;b'`, `l's'`, `"ls"`, `ls 'a
b'`,
		"go test ./...", "go  test -run=TestX ./...", "git commit -m 'one; two && $(three)'",
		`git commit -m "a | b > c"`, "echo 100%", "echo a@b.c", "ls größe", `grep 'a b' x`, `ls ""`,
	}
	asks := []string{
		"", " ", "lsx", "go", "go testx", "go vet", "git", "GO test", "grep a b",
		"ls ; rm -rf /", "ls; rm -rf /", "ls;", "ls && rm x", "ls || rm x", "ls | sh", "ls |& sh", "ls & rm x", "ls &", "ls &!",
		"ls\nrm -rf /", "ls\r\nrm x", "(ls)", "{ ls; }", "! ls", "time ls", "if ls; then rm x; fi", "while ls; do rm x; done",
		"for i in a; do ls; done", "ls() { rm x; }", "function ls { rm x; }", "coproc ls", "[[ -f ls ]]", "((ls))", "let ls",
		"ls $(rm x)", "ls `rm x`", `ls "$(rm x)"`, "ls \"`rm x`\"", "ls $HOME", `ls "$HOME"`, "ls ${HOME}", "ls $((1+1))", "ls <(rm x)", "ls >(rm x)",
		"ls > x", "ls >> x", "ls 2>&1", "ls < x", "ls <<< x", "ls << E\nx\nE", "ls >| x", "ls &> x", "> x ls",
		"A=b ls", "LD_PRELOAD=x ls", "A=b", "PATH=/tmp:$PATH ls", "declare a=b", "export A=b",
		"ls *", "ls a?", "ls [ab]", "ls {a,b}", "ls ~", "ls ~root", "ls a=~", "ls !x", `ls "!x"`, "ls =x", "ls ^x^y", "ls @(a|b)",
		"ls \\\nrm", "l\\\ns", `l\s`, `ls \; rm`, `ls "\$x"`, "ls $'a'", `ls $"a"`, "ls # ; rm x", "# ls", "ls a#b", "'ls", "ls 'a", "ls )", "ls \x01", "ls \x7f", "ls \x00 x",
		"sudo ls", "env ls", "eval ls", "bash -c ls", "./ls", "/bin/ls", "rm -rf / #ls", "\\ls",
	}
	for _, cmd := range pass {
		d := permission.Evaluate(call(t, "", "run_shell", `{"command":`+quoted(cmd)+`}`), s)
		if d.Outcome != permission.Allow || d.Step != 6 || d.By.Kind != permission.ByCommand {
			t.Errorf("%q: %s at %d (%s)", cmd, d.Outcome, d.Step, d.Reason)
		}
	}
	for _, cmd := range asks {
		d := permission.Evaluate(call(t, "", "run_shell", `{"command":`+quoted(cmd)+`}`), s)
		if d.Outcome != permission.Ask {
			t.Errorf("%q: %s by %s", cmd, d.Outcome, d.By)
		}
	}
}

func TestP15_TheDecisionNamesTheEntry(t *testing.T) {
	t.Parallel()
	s := permission.State{Commands: commands(t, "ls", "go test")}
	d := permission.Evaluate(call(t, "", "Bash", `{"command":"go test ./x"}`), s)
	if d.By.String() != "command go test" {
		t.Errorf("by %s", d.By)
	}
}

// A call that is more than its command asks: another folder, an environment, a
// sandbox switched off.
func TestP15_NothingBesideTheCommand(t *testing.T) {
	t.Parallel()
	s := permission.State{Commands: commands(t, "ls", "go test")}
	for _, r := range []struct {
		tool, args string
		want       permission.Outcome
	}{
		{"Bash", `{"command":"ls","description":"list","timeout":5000}`, permission.Allow},
		{"Bash", `{"command":"ls","run_in_background":true}`, permission.Allow},
		{"Bash", `{"command":"ls","dangerouslyDisableSandbox":false}`, permission.Allow},
		{"Bash", `{"command":"ls","dangerouslyDisableSandbox":true}`, permission.Ask},
		{"run_shell", `{"command":"ls","env":{"LD_PRELOAD":"/tmp/x.so"}}`, permission.Ask},
		{"run_shell", `{"command":"go test","cwd":"/tmp/evil"}`, permission.Ask},
		{"run_shell", `{"command":"ls","cmd":"rm x"}`, permission.Ask},
		{"Bash", `{"command":"ls","cmd":"rm x"}`, permission.Ask},
		{"run_shell", `{"command":7}`, permission.Ask},
		{"run_shell", `{}`, permission.Ask},
		{"shell", `{"command":["ls","-l"]}`, permission.Allow},
		{"shell", `{"command":["ls","; rm -rf /"]}`, permission.Allow}, // one argument, no shell
		{"shell", `{"command":["bash","-lc","go test ./..."]}`, permission.Allow},
		{"shell", `{"command":["bash","-lc","ls ; rm -rf /"]}`, permission.Ask},
		{"shell", `{"command":["sh","-c","ls","rm"]}`, permission.Ask},
		{"shell", `{"command":["ls -l"]}`, permission.Ask},
		{"shell", `{"command":[]}`, permission.Ask},
		{"shell", `{"command":["ls"],"workdir":"/tmp"}`, permission.Ask},
		{"shell_task_kill", `{"task":"ls"}`, permission.Ask},
		{"write_file", `{"command":"ls"}`, permission.Ask},
		{"mine", `{"command":"ls"}`, permission.Ask},
	} {
		if d := permission.Evaluate(call(t, "", r.tool, r.args), s); d.Outcome != r.want {
			t.Errorf("%s %s: %s (%s), want %s", r.tool, r.args, d.Outcome, d.Reason, r.want)
		}
	}
	if d := permission.Evaluate(call(t, "", "run_shell", `{"command":"ls"}`), permission.State{}); d.Outcome != permission.Ask {
		t.Errorf("without a list: %+v", d)
	}
}

func TestP15_EntriesAreSimpleCommands(t *testing.T) {
	t.Parallel()
	for _, e := range []string{"", " ", "ls ; rm", "ls *", "A=b ls", "$X", "ls |", "# x", "ls > x"} {
		if _, err := permission.NewCommands([]string{"ls", e}); err == nil || !strings.Contains(err.Error(), "entry 2") {
			t.Errorf("%q: %v", e, err)
		}
	}
}
