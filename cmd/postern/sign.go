package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/postern-dev/postern/cmd/postern/internal/event"
)

func signCommand() *cobra.Command {
	var secretsFile, url string
	var write, curl bool
	c := &cobra.Command{Use: "sign FILE", Short: "Sign an event file anew, as its platform would now",
		Long: `Signs one event file with the development secrets, or those of --secrets, and the
present time, and prints it. A Feishu body that is not encrypted yet is
encrypted first. With --curl it prints a command that sends the request to
postern dev.`,
		Args: cobra.ExactArgs(1)}
	// The file is JSON already.
	out := jsonFlag(c)
	c.Flags().StringVar(&secretsFile, "secrets", "", "JSON file of secrets to sign with (default: the development secrets)")
	c.Flags().BoolVar(&write, "write", false, "write the file in its place instead of printing it")
	c.Flags().BoolVar(&curl, "curl", false, "print a curl command instead")
	c.Flags().StringVar(&url, "url", devURL, "where --curl sends it")
	c.MarkFlagsMutuallyExclusive("write", "curl")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		secrets, err := secretsFrom(secretsFile)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		f, err := event.Read(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if f, err = secrets.Sign(f, time.Now().UTC()); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if curl {
			command, err := f.Curl(url)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			_, err = fmt.Fprint(out().w, command)
			return err
		}
		text, err := f.Write()
		if err != nil {
			return err
		}
		if write {
			return replaceFile(args[0], text)
		}
		_, err = out().w.Write(text)
		return err
	}
	return c
}

// replaceFile writes a file whole or not at all, with the mode it had.
func replaceFile(name string, text []byte) error {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	temp := name + ".new"
	if err := os.WriteFile(temp, text, mode); err != nil {
		return err
	}
	return os.Rename(temp, name)
}
