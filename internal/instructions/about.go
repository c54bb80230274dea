package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// weighty is a change that a sentence is about alone, by its weight.
	weighty = lazy.Regexp{Source: `\b((?:significant|meaningful|substantial|substantive|major|large|big|important|non-?trivial|larger|bigger)(?:(?: or|,| and|/) ?(?:\w+))? (?:[a-z]+ )?(?:changes?|edits?|work|refactor\w*|features?|modifications?|updates?|rewrites?))\b`}
	// asideOf is a remark that names no moment.
	asideOf = lazy.Regexp{Source: `\((?:[^b)]|b[^e)])*\)`}
	// insideOther runs a tool in a container that runs.
	insideOther = lazy.Regexp{Source: `^docker(?: compose|-compose)?(?: -\S+(?: [^ -]\S*)??)*? (?:exec|run)\b`}
)

// ofWeight makes a demand after changes of some weight one that reminds of it.
func (b *builder) ofWeight() {
	m := weighty.Get().FindStringSubmatch(asideOf.Get().ReplaceAllString(b.sentence(), ""))
	if m == nil && b.s.Block == markdown.Item {
		m = weighty.Get().FindStringSubmatch(strings.ToLower(b.s.Lead))
	}
	if m == nil || b.hit.Severity != "block" || b.has("words") || b.hit.Form.Rule != "requires" {
		return
	}
	b.hit.Severity, b.hit.Slots["words"] = "warn", m[1]
}
