package instructions

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
)

// sparesDemanded lets the command pass that a rule demands, where that is a script or a task of the project
// which does what has to wait for it. If no condition can distinguish it, its case fails and no draft is
// made.
func (b *builder) sparesDemanded(r *ruletext.Rule) {
	if r.Trigger != "bash" || r.Requires == nil || b.p == nil || !b.p.Known() || len(r.Tests) < 2 || len(r.Tests[1].Before) == 0 {
		return
	}
	cmd := r.Tests[1].Before[len(r.Tests[1].Before)-1].Bash
	if cmd == "" || b.passes(r, cmd, "") {
		return
	}
	for _, name := range wrappersOf(cmd) {
		if of := "not any(cmd.wrappers, # == " + strconv.Quote(name) + ")"; b.passes(r, cmd, of) {
			r.When = of
			break
		}
	}
	r.Tests = append(slices.Clip(r.Tests), ruletext.AsPass(ruletext.Case{Bash: cmd, Before: r.Tests[0].Before}))
}

// wrappersOf are the names that the wrapper of what a command runs may have: those of a task are its words,
// that of a script is the name of its file.
func wrappersOf(cmd string) (list []string) {
	words := strings.Fields(cmd)
	for n := len(words); n > 0; n-- {
		list = append(list, path.Base(words[n-1]), strings.Join(words[:n], " "))
	}
	return list
}

// passes reports whether a rule, with a condition, lets a command pass in the project.
func (b *builder) passes(r *ruletext.Rule, cmd, when string) bool {
	one := *r
	one.When = when
	one.Tests = append(slices.Clip(r.Tests), ruletext.AsPass(ruletext.Case{Bash: cmd, Before: r.Tests[0].Before}))
	data, err := one.Render()
	return err == nil && ruletext.Read(one.ID, data).Holds(b.p.Root)
}
