package setup

import (
	"bufio"
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

// Hidden asks and reads one line that is not shown while it is typed, from the
// moment that it is asked. An input that is no terminal, a pipe, shows nothing
// anyway.
func (t *Terminal) Hidden(question string) (string, error) {
	f, ok := t.In.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(t.Out, question)
		answer, err := t.read()
		fmt.Fprintln(t.Out)
		return answer, err
	}
	// The terminal stops showing before the question is there: nobody can type
	// ahead of that. It edits no line then, so the few keys that matter are ours.
	was, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return "", fmt.Errorf("hide what is typed: %w", err)
	}
	fmt.Fprint(t.Out, question)
	answer, err := typed(f)
	if again := term.Restore(int(f.Fd()), was); err == nil && again != nil {
		err = fmt.Errorf("show what is typed again: %w", again)
	}
	fmt.Fprintln(t.Out)
	return strings.TrimSpace(answer), err
}

// ErrBroken is an answer that was broken off by its person.
var ErrBroken = errors.New("broken off")

// typed reads a line key by key.
func typed(f io.Reader) (string, error) {
	var line []rune
	keys := bufio.NewReaderSize(onebyte{f}, 16)
	for {
		r, _, err := keys.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return "", ErrEnded
		case err != nil:
			return "", fmt.Errorf("read the answer: %w", err)
		}
		switch r {
		case '\r', '\n':
			return string(line), nil
		case 3, 4: // control C, control D
			return "", ErrBroken
		case 8, 127:
			line = line[:max(0, len(line)-1)]
		case 21: // control U
			line = nil
		default:
			line = append(line, r)
		}
	}
}

// onebyte reads a byte at a time, so that a buffer on it never reads ahead.
type onebyte struct{ io.Reader }

func (o onebyte) Read(b []byte) (int, error) {
	if len(b) > 1 {
		b = b[:1]
	}
	return o.Reader.Read(b)
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
