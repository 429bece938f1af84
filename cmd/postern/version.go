package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand() *cobra.Command {
	c := &cobra.Command{Use: "version", Short: "Say which build this is", Args: cobra.NoArgs}
	out := jsonFlag(c)
	c.RunE = func(*cobra.Command, []string) error {
		v := map[string]string{"version": "unknown", "commit": "", "go": ""}
		if b, ok := debug.ReadBuildInfo(); ok {
			v["version"], v["go"] = b.Main.Version, b.GoVersion
			for _, s := range b.Settings {
				if s.Key == "vcs.revision" {
					v["commit"] = s.Value
				}
			}
		}
		return out().value(v, func(o io.Writer) {
			fmt.Fprintf(o, "postern %s %s (%s)\n", v["version"], short(v["commit"], 13), v["go"])
		})
	}
	return c
}
