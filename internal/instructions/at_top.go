package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// fromTop matches the words behind a command that is forbidden in the project's folder alone.
var fromTop = lazy.Regexp{Source: `^(?: commands?)? (?:from|in|at) (?:the )?(?:(?:project|repo|repository|workspace|monorepo)(?:'s)? )?(?:root|top[- ]level)\b`}

// onlyAtTop limits a rule to commands before which no cd leads into another folder, if the line forbids them in the
// project's folder alone.
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
