package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// pathRun are files that are said to be run.
	pathRun = lazy.Regexp{Source: `\b(?:re-?)?(?:run|execute) (?:the )?‹p\d+›(?:(?:, |,? (?:and|then) (?:run )?)‹p\d+›)*`}
	// scriptFile is one in a folder of scripts, and testOf one of tests.
	scriptFile = lazy.Regexp{Source: `^(?:\./)?(?:scripts?|bin|hack|tools|ci)/[\w./-]*\w\.(?:[cm]?js|ts|rb|pl|php)$`}
	testOf     = lazy.Regexp{Source: `[._-](?:test|spec)s?\.\w+$`}
)

// scriptsRun makes commands of the scripts of the project that are run, whatever runs them.
func (p *phrase) scriptsRun() {
	p.words = pathRun.Get().ReplaceAllStringFunc(p.words, func(s string) string {
		return mark.Get().ReplaceAllStringFunc(s, func(m string) string {
			t := p.termIn(m)
			if !scriptFile.Get().MatchString(t.text) || testOf.Get().MatchString(t.text) {
				return m
			}
			t.kind = command
			return strings.Replace(m, "‹p", "‹c", 1)
		})
	})
}
