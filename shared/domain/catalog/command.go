package catalog

// Command says which argument of an exec tool holds the command (P15).
type Command struct {
	Args []string // alternatives; exactly one must be given
	// Neutral names the other arguments that change nothing about what runs.
	// Anything else (an environment, a folder, a switched-off sandbox) makes
	// the call more than its command.
	Neutral []string
}

// Of returns the command of a call as one shell text or as an argument list.
// plain is false if the call is more than its command, or the command cannot
// be told.
func (c Command) Of(args Args) (text string, list []string, plain bool) {
	for _, name := range c.Args {
		if !args.Given(name) {
			continue
		}
		if text != "" || list != nil {
			return "", nil, false
		}
		if s, ok := args.text(name); ok {
			text = s
		} else if l, ok := args.texts(name); ok {
			list = l
		} else {
			return "", nil, false
		}
	}
	if text == "" && len(list) == 0 {
		return "", nil, false
	}
	return text, list, args.only(c.Args, c.Neutral)
}
