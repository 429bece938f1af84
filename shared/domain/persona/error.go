package persona

import "fmt"

// Error is what is wrong with a manifest, and where (PR1).
type Error struct {
	File string
	Line int    // of the file, from 1
	Key  string // such as tools[2]; empty if it is not about one key
	Err  error
}

func (e *Error) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d: %s: %v", e.File, e.Line, e.Key, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
