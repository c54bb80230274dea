package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// atPrompt notes of a recorded command that it waits for commands which the line does not
// show: a shell, an interpreter or a client that is given none, and whose input is not
// redirected. What is typed there later, no line has. bare says that its operands name no
// command.
func (w walker) atPrompt(index int, bare bool, s simple) {
	if w.piped {
		return
	}
	c := &w.line.Commands[index]
	opens := s.facts.Value("opens")
	asked := opens != "" && slices.ContainsFunc(c.Args, func(a string) bool { return slices.Contains(strings.Split(opens, ","), a) })
	if !bare && !asked || c.HasFlag("--version", "--help") {
		return
	}
	if once := s.facts.Value("once"); once != "" && c.HasFlag(strings.Split(once, ",")...) {
		return
	}
	c.Interactive, c.Certain = true, false
}

// client is atPrompt for a program that is neither a shell nor an interpreter.
func (w walker) client(c *recorded) {
	most, err := strconv.Atoi(c.facts.Value("prompt"))
	script := slices.ContainsFunc(c.Operands, func(o string) bool { return path.Ext(o) == ".js" || path.Ext(o) == ".sql" })
	w.atPrompt(c.index, err == nil && len(c.Operands) <= most && !script, c.simple)
}
