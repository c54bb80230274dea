package instructions

import (
	_ "embed"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/text"
)

// suite names a suite of tests that is not the usual one.
var suite = lazy.Regexp{Source: `(?i)\b(?:e2e|end-to-end|playwright|cypress|integration|smoke|eval)\b`}

// maxTopic bounds the topic in front of a colon, in bytes.
const maxTopic = 60

// jobCommands are the project's commands for a job: none where the statement or its heading names
// another suite of tests.
func (b *builder) jobCommands(said string) []string {
	clause, _, _ := strings.Cut(b.hit.Phrase.Words, ";")
	label, _, ok := strings.Cut(b.s.Text, ":")
	if survey.JobOf(said) == "test" && suite.Get().MatchString(b.s.Heading()+" "+clause+text.When(ok && len(label) < maxTopic, " "+label)) {
		return nil
	}
	return b.p.CommandsOf(said)
}
