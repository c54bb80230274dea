package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// someObjects is behind an act that is forbidden for some of its objects only.
	someObjects = lazy.Regexp{Source: `^(?: (?:any|the|an?|other))*(?: ‹a\d+›| prs?| pull requests?| commits?| branch(?:es)?| releases?| changes)? (?:that|which|whose) (?:\w+ ){0,2}?\w`}
	// directlySo is behind an act that is forbidden on a branch of another sentence, mainBranch.
	directlySo = lazy.Regexp{Source: `^ directly(?:$|[.,;)!])`}
	mainBranch = lazy.Regexp{Source: `\b(?:main|master|develop|trunk|production)\b`}
	// ofEntries are parts of what a manifest says of a dependency.
	ofEntries = lazy.Regexp{Source: `^ (?:versions?|version numbers?|references?|attributes?|prefix(?:es)?|metadata|aliases)\b`}
	// ofSystemFront is in front of a program that is there twice, and onFilesBehind behind one that is
	// not to be run for some files.
	ofSystemFront = lazy.Regexp{Source: `\b(?:system|system-wide|globally installed)(?: (?:installed|wide|level))? $`}
	onFilesBehind = lazy.Regexp{Source: `^ (?:on|for|with) (?:single|individual|specific|one) (?:files?|paths?)\b`}
	// published is what programs publish, and where.
	published = lazy.Regexp{Source: `^ (?:(?:[a-z-]+ ){0,2}(?:events?|messages?|notifications?|telemetry|metrics|jobs?)|(?:[a-z-]+ ){0,3}?(?:to|on|into|onto|over|via) (?:the |a |an )?(?:[a-z-]+ ){0,2}?(?:redis|kafka|topics?|queues?|channels?|streams?|bus|mqtt|pub/?sub|rabbitmq|nats|sns|events?))\b`}
)

// ofSomeObjects reports whether an act is forbidden only of objects that no call shows: "never approve
// PRs that …", "never publish to the queue".
func (b *builder) ofSomeObjects() bool {
	deny := sentence.Mark.Get().FindString(b.hit.Slots["deny"])
	front, behind, ok := strings.Cut(b.hit.Phrase.Words, deny)
	if !ok || deny == "" {
		return false
	}
	if forms.ActOf(b.termOf(deny)) == nil { // other forms are about these
		return !strings.Contains(front, "‹") && ofSystemFront.Get().MatchString(front) || onFilesBehind.Get().MatchString(behind)
	}
	if directlySo.Get().MatchString(behind) && mainBranch.Get().MatchString(strings.ToLower(b.s.Text)) {
		return true // to that branch
	}
	if b.termOf(deny).Text == "dependencies" && ofEntries.Get().MatchString(behind) {
		return true
	}
	if someObjects.Get().MatchString(behind) && b.termOf(deny).Text != "dependencies" { // whose calls name them
		return true
	}
	return b.termOf(deny).Text == "publish" && published.Get().MatchString(behind)
}

// banFront is the front of what is forbidden itself.
var banFront = lazy.Regexp{Source: `\b(?:never|not|don't|avoid) (?:\w+ ){0,2}$`}

// forbidsUse reports whether a line forbids what its form has found as the thing to use: "never run ‹a›;
// never run ‹b›".
func (b *builder) forbidsUse() bool {
	use := sentence.Mark.Get().FindString(b.hit.Slots["use"])
	front, _, ok := strings.Cut(b.hit.Phrase.Words, use)
	return ok && use != "" && banFront.Get().MatchString(front)
}
