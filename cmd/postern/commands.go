package main

import "github.com/spf13/cobra"

// devURL is where postern dev listens unless told otherwise.
const devURL = "http://127.0.0.1:7171"

// commands lists what the program can do.
func commands() []*cobra.Command {
	return []*cobra.Command{
		demoCommand(), devCommand(), // the whole of it on this machine
		hookCommand(), keysCommand(), // agents elsewhere
		loginCommand(), inboxCommand(), sessionsCommand(), stackStatus(statusCommand()), wakeCommand(), // a running Postern
		setupCommand(), doctorCommand(), redriveCommand(), uninstallCommand(), // a deployed one
		policyCommand(), pauseCommand(), unpauseCommand(), explainCommand(), replayCommand(), signCommand(), // its rules
		versionCommand(),
	}
}
