package instructions

import (
	"slices"

	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// talk is an option about how much a command prints.
	talk = lazy.Regexp{Source: `( )(?:-v{1,3}|-q{1,2}|--verbose|--quiet)( |$)`}
	// ownV are programs whose option of that name means something else, or takes a value.
	ownV = lazy.Regexp{Source: `^(?:docker|podman|grep|rg|node|ruby|python3?|kubectl|ssh|perl|php|deno|bun|npx?)(?: |$)`}
)

// withoutTalk are the patterns of a demanded command, also without an option about how much it
// prints: that it ran is what is demanded.
func withoutTalk(cmd string, list []string) []string {
	bare := talk.Get().ReplaceAllString(cmd, "$2")
	if bare == cmd || ownV.Get().MatchString(cmd) || placeholder.Get().MatchString(cmd) || survey.TooWide(bare, false) {
		return list
	}
	more, _ := patterns(bare)
	list = slices.Clone(list)
	for _, p := range more {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}
