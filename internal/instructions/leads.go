package instructions

import (
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// onRequest introduces what is to be done in one case.
	onRequest = lazy.Regexp{Source: `(?i)^\W*(?:when(?:ever)?|if|in case)\b.*\b(?:users?|asks?|asked|requests?|conflicts?|fails?|errors?|unsure|unclear|stuck)\b.*:\W*$`}
	// firstOf is a lead about what is done before work begins, and otherTime a sentence about another
	// moment, or about how something is done.
	firstOf   = lazy.Regexp{Source: `(?i)^before (?:you )?(?:edit|chang|start|begin|modif|touch|writ|work|cod)`}
	otherTime = lazy.Regexp{Source: `\bafter\b|^(?:always |only )?use ‹\w\d+› (?:to|for)\b`}
)
