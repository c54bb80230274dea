package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// onEither are the acts that are done to issues and to pull requests. onPulls and onIssues say which of
// them a sentence names, and onGeneral that it may mean both.
var (
	onEither  = []string{"comment", "close"}
	onPulls   = lazy.Regexp{Source: `(?i)\b(?:prs?|pull requests?)\b`}
	onIssues  = lazy.Regexp{Source: `(?i)\b(?:issues?|tickets?)\b`}
	onGeneral = lazy.Regexp{Source: `(?i)\b(?:github|gh|discussions?|threads?)\b`}
)

// onNamed is an act, limited to the commands for what the sentence names: a ban of comments on pull
// requests is not about comments on issues.
func (b *builder) onNamed(a *forms.Act) *forms.Act {
	pulls, issues := onPulls.Get().MatchString(b.quote), onIssues.Get().MatchString(b.quote)
	if !slices.Contains(onEither, a.Name) || pulls == issues || onGeneral.Get().MatchString(b.quote) {
		return a
	}
	one, other := *a, "gh issue "
	if issues {
		other = "gh pr "
	}
	one.Commands = slices.DeleteFunc(slices.Clone(a.Commands), func(c string) bool { return strings.HasPrefix(c, other) })
	if strings.HasPrefix(a.Example, other) {
		one.Example = strings.TrimRight(one.Commands[0], "*") + strings.TrimPrefix(a.Example, strings.TrimRight(a.Commands[0], "*"))
	}
	return &one
}
