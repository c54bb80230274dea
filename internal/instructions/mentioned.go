package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// ordersRun is a sentence that orders how something is run.
	ordersRun = lazy.Regexp{Source: `(?i)\b(?:always|must|only|never|required|mandatory|instead)\b|(?:^|[.;:—–] ?)\W*(?:please )?(?:use|run|execute|prefer)\b`}
	// ofPipeline is a heading above what runs on other machines, or what goes wrong.
	ofPipeline = lazy.Regexp{Source: `(?i)\b(?:ci/cd|ci (?:pipelines?|failures?|jobs?|workflows?|runs?|config\w*)|(?:build|release|deploy\w*) pipelines?|[\w-]+\.ya?ml|github actions|gitlab|jenkins|reusable workflows?|troubleshooting)\b`}
)

// onlyMentions reports whether a line shows a command without ordering it: the command installs something with an
// option, or a pipeline runs it.
func (b *builder) onlyMentions(cmd string) bool {
	if ordersRun.Get().MatchString(survey.Plain(b.quote)) {
		return false
	}
	if (managed.Get().MatchString(cmd) || prepared.Get().MatchString(cmd)) && strings.Contains(cmd, " -") {
		return true
	}
	return ofPipeline.Get().MatchString(b.s.Heading())
}
