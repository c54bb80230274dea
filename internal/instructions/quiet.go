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

var (
	// allTests is a sentence about every test, and testScript a script of a manager, to which a name gives
	// a part of them.
	allTests   = lazy.Regexp{Source: `\b(?:full|whole|entire|complete) (?:[\w-]+ )?(?:suites?|tests?)\b`}
	testScript = lazy.Regexp{Source: `^(?:npm|pnpm|yarn|bun)(?: run)? test(?::[\w:-]+)?$`}
)

// asWhole are the patterns of a run of all tests, where the sentence wants that: no name is behind the
// command, but there may be options.
func (b *builder) asWhole(cmd string, list []string) []string {
	if !testScript.Get().MatchString(cmd) || !allTests.Get().MatchString(b.hit.Phrase.Words) {
		return list
	}
	return []string{cmd, cmd + " -*"}
}
