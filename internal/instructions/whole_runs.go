package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// wholeSuite is a line about a run of all tests: how a single one is run, it does not say.
var wholeSuite = lazy.Regexp{Source: `\b(?:run|execute|running) (?:the |all |your )*(?:full|entire|whole|complete) (?:[a-z]+ )?(?:tests?|suite|lint\w*|checks?)\b`}

// ofWholeRuns makes rules about programs those about their calls without arguments, which are runs of all that
// there is.
func ofWholeRuns(list []ruletext.Rule) []ruletext.Rule {
	for i := range list {
		r := &list[i]
		r.Scope = slices.DeleteFunc(slices.Clone(r.Scope), func(s string) bool { return strings.HasSuffix(s, " *") })
		for _, s := range r.Scope {
			r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: s + " a/b"}))
		}
	}
	return list
}
