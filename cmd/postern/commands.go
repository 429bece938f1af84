package main

import "github.com/spf13/cobra"

// commands lists what the program can do.
func commands() []*cobra.Command {
	return []*cobra.Command{demoCommand(), devCommand()}
}
