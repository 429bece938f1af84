package catalog

import "strings"

// where tells a person how to meet a requirement (P10).
func where(requirement string) string {
	kind, name, _ := strings.Cut(requirement, ":")
	switch kind {
	case "workspace":
		return "the session has no folder or repository: add one on the session's page"
	case "runner":
		return "no machine runs commands for this session: use an agent that runs elsewhere"
	case "connector":
		return "connect " + name + " in the panel under Connectors"
	case "secret":
		return "store the secret " + name + " in the panel under Connectors"
	}
	return "set up " + requirement
}
