package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// goesOnBelow ends a sentence whose list says when it holds, or for what.
var goesOnBelow = lazy.Regexp{Source: `(?i)\b(?:for|if|when|where|while|unless|until|because|in|on|with|without|to|from|that|about)(?: (?:any|one|all|either|these|the following|any of|one of|of|the|these cases))*[*_ ]*:[*_ ]*$`}

// headsCases reports whether a prohibition only heads the list of what it holds for: "do not push for:".
// The items say that, and each has drafts of its own.
func (b *builder) headsCases() bool {
	return len(b.s.Items) > 0 && forms.Prohibits(b.hit.Form) && goesOnBelow.Get().MatchString(b.s.Text) && strings.HasSuffix(b.s.Text, strings.TrimSpace(b.quote))
}

// onFilesCase is a case of some files in front of a prohibition: "if ‹p› shows as modified, never …".
var onFilesCase = lazy.Regexp{Source: `^(?:if|when(?:ever)?) (?:[\w-]+ ){0,3}‹p\d+›(?:[^,.;:]|, (?:or|and) )* (?:is|are|was|were|has|have|shows?|appears?|changed?|changes)\b`}

// afterFailure is the case of something that went wrong before.
var afterFailure = lazy.Regexp{Source: `\b(?:after|following|upon|on top of) (?:an? |any |the )?(?:failed|failing|broken|red|unsuccessful|interrupted|aborted)\b`}

// ofSomeFiles reports whether a prohibition of commands is about the files of its case, which none of
// their calls names, or holds after a failure, which none of them tells.
func (b *builder) ofSomeFiles(r *ruletext.Rule) bool {
	return r.Trigger == "bash" && forms.Prohibits(b.hit.Form) && (onFilesCase.Get().MatchString(b.hit.Phrase.Words) || afterFailure.Get().MatchString(b.hit.Phrase.Words))
}

// slashCall is a command that a person types to the agent, and that no shell runs: "/review".
var slashCall = lazy.Regexp{Source: `^/[a-z][\w:-]*(?: |$)`}

// bySlash reports whether a rule is about such a command, or wants one or another: no call would meet it,
// and none is it.
func (b *builder) bySlash(r *ruletext.Rule) bool {
	if r.Requires != nil && (slices.ContainsFunc(r.Requires.Ran, slashCall.Get().MatchString) || orJoins.Get().MatchString(sentence.Mark.Get().ReplaceAllString(b.hit.Phrase.Words, "")) && slices.ContainsFunc(b.hit.Phrase.Terms, b.typed)) {
		return true
	}
	return r.Trigger == "bash" && slices.ContainsFunc(r.Scope, slashCall.Get().MatchString)
}

// typed reports whether a name in code is that of such a command.
func (b *builder) typed(t sentence.Term) bool {
	return t.Code && slashCall.Get().MatchString(t.Text) && !(b.p.Known() && b.p.Has(strings.TrimPrefix(t.Text, "/")))
}
