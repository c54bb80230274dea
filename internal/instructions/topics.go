package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/scope"
)

// An item may say of the code in some folders what the list behind it then goes on with: "Code in `lib/` is
// performance sensitive", "Avoid: …".

// inTopics limits a rule about what is written to the folders that its list is about. It returns false for a
// rule that it cannot limit.
func (b *builder) inTopics(r *ruletext.Rule) bool {
	if len(b.s.Topics) == 0 {
		return true
	}
	if r.Trigger != "file_write" || len(r.Scope) == 0 {
		return false
	}
	var dirs, globs []string
	for _, t := range b.s.Topics {
		dir := strings.Trim(b.p.Placed(t, b.s.Base()), "/")
		if dir == "" || strings.ContainsAny(dir, "*{[") {
			return false
		}
		dirs = append(dirs, dir)
		for _, g := range r.Scope {
			globs = append(globs, belowDir(dir, g))
		}
	}
	were := scope.NewPaths(r.Scope, false)
	r.Scope = globs
	r.MoveCases(dirs[0]+"/**", were)
	return true
}
