package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// shell is a command line of a document, and where it stands.
type shell struct{ doc, line string }

// TestU15CommandsOfDocuments: every command in a block marked sh exists, with
// the flags and arguments it is shown with.
func TestU15CommandsOfDocuments(t *testing.T) {
	t.Parallel()
	targets := makeTargets(t)
	ours, total := 0, 0
	for _, s := range commandsShown(t) {
		words := split(t, s)
		for len(words) > 0 && strings.Contains(words[0], "=") && !strings.HasPrefix(words[0], "-") {
			words = words[1:] // NAME=value before a command
		}
		if len(words) == 0 {
			continue
		}
		total++
		switch name := strings.TrimPrefix(words[0], "./"); {
		case name == "postern":
			ours++
			checkOurs(t, s, words[1:])
		case name == "go" && len(words) > 2 && words[1] == "run" && words[2] == "./cmd/postern":
			ours++
			checkOurs(t, s, words[3:])
		case name == "make":
			for _, w := range words[1:] {
				if !strings.Contains(w, "=") && !strings.HasPrefix(w, "-") && !targets[w] {
					t.Errorf("%s: there is no make target %s", s.doc, w)
				}
			}
		case strings.HasPrefix(name, "infra/"):
			if _, err := os.Stat("../../" + name); err != nil {
				t.Errorf("%s: %s: %v", s.doc, s.line, err)
			}
		case !known[name]:
			t.Errorf("%s: %s: a command that this test does not know; add it if it is meant", s.doc, s.line)
		}
	}
	if ours < 8 || total < 12 {
		t.Fatalf("%d commands, %d of them ours: the test does not see them", total, ours)
	}
}

// known are the commands of others that documents may show.
var known = map[string]bool{"go": true, "git": true, "export": true, "unset": true, "cd": true, "echo": true, "cat": true, "curl": true,
	"aws": true, "sam": true, "openssl": true, "jq": true, "eval": true, "sh": true, "cp": true, "mkdir": true, "chmod": true, "docker": true}

// checkOurs finds the command and reads its flags and arguments as the program
// would; files that it names must be there, unless they are the reader's own.
func checkOurs(t *testing.T, s shell, args []string) {
	c, rest, err := root().Find(args)
	if err != nil || !c.Runnable() && !strings.Contains(s.line, "--help") {
		t.Errorf("%s: %s: no such command: %v", s.doc, s.line, err)
		return
	}
	c.InitDefaultHelpFlag()
	if err := c.ParseFlags(rest); err != nil {
		t.Errorf("%s: %s: %v", s.doc, s.line, err)
		return
	}
	if help, _ := c.Flags().GetBool("help"); !help {
		if err := argumentsOf(c); err != nil {
			t.Errorf("%s: %s: %v", s.doc, s.line, err)
		}
	}
	for _, a := range c.Flags().Args() {
		if strings.HasPrefix(a, "events/") || strings.HasPrefix(a, "infra/") {
			if found, _ := filepath.Glob("../../" + a); len(found) == 0 {
				t.Errorf("%s: %s: there is no %s", s.doc, s.line, a)
			}
		}
	}
}

func argumentsOf(c *cobra.Command) error {
	if c.Args == nil {
		return nil
	}
	return c.Args(c, c.Flags().Args())
}

var block = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// commandsShown reads the sh blocks of every document, one command a line;
// parts of a pipe and of && are commands of their own.
func commandsShown(t *testing.T) (all []shell) {
	t.Helper()
	var docs []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, found...)
	}
	for _, doc := range docs {
		raw, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range block.FindAllStringSubmatch(string(raw), -1) {
			text := strings.ReplaceAll(m[1], "\\\n", " ")
			for _, line := range strings.Split(text, "\n") {
				line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
				if line == "" || strings.HasPrefix(line, "#") {
					continue
				}
				for _, part := range regexp.MustCompile(` (?:\||&&) `).Split(line, -1) {
					all = append(all, shell{filepath.Base(doc), strings.TrimSpace(part)})
				}
			}
		}
	}
	return all
}

// split takes a line apart at spaces outside of quotes, up to a comment or a
// redirection.
func split(t *testing.T, s shell) (words []string) {
	t.Helper()
	var word strings.Builder
	quote, open := rune(0), false
	end := func() {
		if open {
			words = append(words, word.String())
		}
		word.Reset()
		open = false
	}
	for _, r := range s.line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == ' ':
			end()
		case (r == '#' || r == '>' || r == '<') && !open:
			return words
		default:
			open = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		t.Errorf("%s: %s: a quote is not closed", s.doc, s.line)
	}
	end()
	return words
}

func makeTargets(t *testing.T) map[string]bool {
	t.Helper()
	targets := map[string]bool{}
	for _, file := range []string{"../../Makefile", "../../build.mk"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(string(raw), -1) {
			targets[m[1]] = true
		}
	}
	if !targets["demo"] || !targets["build"] {
		t.Fatal("the test does not see the make targets")
	}
	return targets
}
