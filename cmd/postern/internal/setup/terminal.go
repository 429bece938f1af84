package setup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Terminal is whom setup talks to. It reads no further than the line it was
// answered with, so that who runs it can read on from the same input.
type Terminal struct {
	In  io.Reader
	Out io.Writer
}

// Say prints a line.
func (t *Terminal) Say(words string) { fmt.Fprintln(t.Out, words) }

// Line asks and reads one line, without spaces around it.
func (t *Terminal) Line(question string) (string, error) {
	fmt.Fprint(t.Out, question)
	return t.read()
}

// Hidden asks and reads one line that is not shown while it is typed. An input
// that is no terminal, a pipe, shows nothing anyway.
func (t *Terminal) Hidden(question string) (string, error) {
	fmt.Fprint(t.Out, question)
	f, ok := t.In.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		answer, err := t.read()
		fmt.Fprintln(t.Out)
		return answer, err
	}
	raw, err := term.ReadPassword(int(f.Fd()))
	fmt.Fprintln(t.Out)
	if err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// Yes asks for a yes or a no.
func (t *Terminal) Yes(question string, usual bool) (bool, error) {
	hint := " [y/N]: "
	if usual {
		hint = " [Y/n]: "
	}
	answer, err := t.Line(question + hint)
	if answer == "" {
		return usual, err
	}
	return strings.HasPrefix(strings.ToLower(answer), "y"), err
}

func (t *Terminal) read() (string, error) {
	var line []byte
	one := make([]byte, 1)
	for {
		n, err := t.In.Read(one)
		if n == 1 && one[0] == '\n' {
			return strings.TrimSpace(string(line)), nil
		}
		if n == 1 {
			line = append(line, one[0])
		}
		if errors.Is(err, io.EOF) {
			if len(line) > 0 {
				return strings.TrimSpace(string(line)), nil
			}
			return "", ErrEnded
		}
		if err != nil {
			return "", fmt.Errorf("read the answer: %w", err)
		}
	}
}
