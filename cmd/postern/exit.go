package main

import (
	"errors"
	"fmt"
)

// Exit codes (U11). Scripts may rely on them.
const (
	exitFailed  = 1 // it did not work; the message says why
	exitUsage   = 2 // the command line is wrong; hook: no decision could be made, which agents take as no
	exitFinding = 3 // it worked, and found what it looks for: something stuck, a lost race
	exitRefused = 4 // the caller may not do this
)

// exit is an error with the code that the program ends with.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string { return e.err.Error() }
func (e *exit) Unwrap() error { return e.err }

func finding(format string, a ...any) error { return &exit{exitFinding, fmt.Errorf(format, a...)} }

// usage is a command line that cannot be meant.
func usage(format string, a ...any) error { return &exit{exitUsage, fmt.Errorf(format, a...)} }

// told ends the program with a code after the command said why itself.
func told(code int) error { return &exit{code, errTold} }

// codeOf is the exit code of an error. Errors of the command line itself come
// before any command began.
func codeOf(err error, began bool) int {
	var e *exit
	switch {
	case errors.As(err, &e):
		return e.code
	case !began:
		return exitUsage
	}
	return exitFailed
}
