package persona

import (
	"embed"
	"slices"
	"sync"
)

//go:embed builtin/*.md
var manifests embed.FS

// builtinIDs are the personas built in, the default first (PR3).
var builtinIDs = []string{Default, "code", "ops", Main}

const (
	Default = "cowork" // the persona of a session that names none
	Main    = "main"   // the gate's router
)

// Builtin returns a persona that is built in.
func Builtin(id string) (Persona, bool) {
	p, ok := builtins()[id]
	return p.clone(), ok
}

// Builtins lists the personas built in, the default first.
func Builtins() []Persona {
	var list []Persona
	for _, id := range builtinIDs {
		list = append(list, builtins()[id].clone())
	}
	return list
}

// builtins reads the manifests once, when first asked. They are the same format
// as everyone's, and a test reads each; a broken one stops the program.
var builtins = sync.OnceValue(func() map[string]Persona {
	all := map[string]Persona{}
	for _, id := range builtinIDs {
		file := "builtin/" + id + ".md"
		src, err := manifests.ReadFile(file)
		if err != nil {
			panic("persona: " + err.Error())
		}
		p, err := Parse(file, src)
		if err != nil {
			panic("persona: " + err.Error())
		}
		all[id] = p
	}
	return all
})

func (p Persona) clone() Persona {
	p.Tools, p.Connectors, p.MCP = slices.Clone(p.Tools), slices.Clone(p.Connectors), slices.Clone(p.MCP)
	p.Skills, p.Models, p.Automations = slices.Clone(p.Skills), slices.Clone(p.Models), slices.Clone(p.Automations)
	return p
}
