package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// fromTop is the folder of the project behind a command: in another folder it is right.
var fromTop = lazy.Regexp{Source: `^(?: commands?)? (?:from|in|at) (?:the )?(?:(?:project|repo|repository|workspace|monorepo)(?:'s)? )?(?:root|top[- ]level)\b`}

// onlyAtTop limits a rule about commands to those that no cd of their line takes into another folder, where the line
// forbids them in the folder of the project alone.
func (b *builder) onlyAtTop(r *ruletext.Rule) {
	if behind, _ := b.after("deny"); !fromTop.Get().MatchString(behind) || r.When != "" {
		return
	}
	r.When = `cmd.dir == ""`
	for i := range r.Tests {
		if strings.HasPrefix(r.Tests[i].Bash, "cd sub && ") {
			r.Tests[i] = ruletext.AsPass(r.Tests[i])
		}
	}
}
