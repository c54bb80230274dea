package shell

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// ran adds an effect for each text from elsewhere that a command runs: what another
// program prints, and a file that came from another machine in the same line.
func (a *analyzer) ran() {
	network := slices.ContainsFunc(a.line.Commands, func(c Command) bool { return c.Network })
	for i := range a.line.Commands {
		c := &a.line.Commands[i]
		seen := ""
		for _, program := range c.Runs {
			if strings.Contains(seen, program+"\n") {
				continue
			}
			seen += program + "\n"
			a.noteRunOf(i, program)
		}
		switch {
		case isAway(c.Script): // deno run https://…
			a.noteRun(Effect{Command: i, Object: c.Script, Remote: true, Certain: c.Certain})
		case strings.Contains(c.Path, "://"):
			a.noteRun(Effect{Command: i, Object: c.Path, Remote: true, Certain: c.Certain})
		case c.Script != "" && len(c.Runs) == 0 && network:
			if address, ok := a.fetched(joinPath(c.Dir, homePath(c.Script)), i, 0); ok {
				a.noteRun(Effect{Command: i, Object: address, Remote: true, Certain: c.Certain})
			}
		}
	}
}

// noteRunOf adds the effect of a command that runs what a program prints.
func (a *analyzer) noteRunOf(command int, program string) {
	e := Effect{Command: command, Object: program, Certain: a.line.Commands[command].Certain, Origin: OriginUnknown}
	if strings.HasPrefix(program, "/dev/") {
		e.Remote = true
	} else {
		e.Remote = table.Find(program).Has("network") || isAway(program) || strings.HasPrefix(program, ".Download")
		for i := command; i >= 0; i-- { // the nearest one that was recorded before
			c := &a.line.Commands[i]
			address := addressOf(c)
			if c.Program != program || !c.Network && !isAway(address) {
				continue
			}
			if e.Remote = !isLocal(c, address); e.Remote {
				e.Object = address
				break
			}
		}
	}
	a.noteRun(e)
}

func (a *analyzer) noteRun(e Effect) {
	if len(a.line.Effects) < 4*maxCommands {
		e.Kind = EffectRun
		a.line.Effects = append(a.line.Effects, e)
	}
}

// isLocal reports whether a program for other machines gets something from this one,
// or nothing.
func isLocal(c *Command, address string) bool {
	switch c.Program {
	case "nc", "ncat", "netcat":
		return c.HasFlag("-z")
	case "http", "https":
		return c.HasFlag("--offline", "-d", "--download")
	}
	return strings.HasPrefix(address, "file:")
}

// addressOf is where a program that talks to other machines gets something from.
func addressOf(c *Command) string {
	for _, o := range c.Operands {
		if isAway(o) {
			return o
		}
	}
	for _, o := range c.Operands {
		if strings.ContainsAny(o, ".:") {
			return o
		}
	}
	if len(c.Operands) > 0 {
		return c.Operands[0]
	}
	return c.Program
}

// maxFetched is how often a file is followed to another one that it was made of.
const maxFetched = 4

// fetched returns the address that a file comes from which the line has made before a
// command: a download, or a copy of one.
func (a *analyzer) fetched(name string, command, depth int) (address string, ok bool) {
	if !a.follow(len(a.line.Effects)) {
		return "", false
	}
	for _, e := range slices.Backward(a.line.Effects) {
		if e.Command >= command || e.Kind == EffectRead || e.Path == "" {
			continue
		}
		made := e.Kind == EffectMove && joinPath(e.Dir, e.To) == name
		if !made && joinPath(e.Dir, e.Path) != name {
			continue
		}
		if made || e.Kind == EffectCreate || e.Kind == EffectAppend {
			if address, ok = a.madeOf(e, depth); ok {
				return address, true
			}
		}
		if e.Certain && !made && e.Kind != EffectAppend && e.Kind != EffectEdit && e.Kind.OnFile() {
			return "", false // it is another file, or none
		}
	}
	return "", false
}

// madeOf returns the address that the content of a file comes from which an effect makes.
func (a *analyzer) madeOf(made Effect, depth int) (address string, ok bool) {
	for i := a.feeders[made.Command]; i <= made.Command; i++ {
		if c := &a.line.Commands[i]; c.Network {
			return addressOf(c), true
		}
	}
	for _, from := range a.line.Effects {
		if from.Command != made.Command || from.Kind != EffectRead && from.Kind != EffectMove || depth == maxFetched {
			continue
		}
		if address, ok := a.fetched(joinPath(from.Dir, from.Path), made.Command, depth+1); ok {
			return address, true
		}
	}
	return "", false
}
