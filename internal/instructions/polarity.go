package instructions

import (
	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// inPart begins a sentence about some files, or one thing, only.
	inPart = lazy.Regexp{Source: `^(?:when|whenever|in|for|inside|within|under)\b[^.]*‹p\d+›[^.]*,`}
)

var (
	// wanted is the beginning of an item that says to run something: a command, behind a
	// label or not, or a verb in the imperative.
	wanted = lazy.Regexp{Source: `^(?:[-*\[\]x\d.)\s"'→]|step \d+:?|(?:always|then|also|first|next|and|finally|please|you must|must) )*(?:‹[acp]\d+›|[^‹]{1,40}?(?::| [—–-]) ?\W*‹[acp]\d+›)`}
	// aside is a label that makes no demand of what is behind it.
	aside = lazy.Regexp{Source: `^\W*(?:shortcut|tip|note|hint|warning|caution|caveat|example|alternative|optional|fyi|background|see also)\b`}
)

// inherits reports whether an item is done when its list or its heading says: it tells
// what to do, and neither forbids, permits nor describes anything.
func inherits(p *sentence.Phrase) bool {
	said := forms.Remarks.Get().ReplaceAllString(p.Words, "")
	if ownCase.Get().MatchString(p.Words) || ownTime.Get().MatchString(p.Words) || aside.Get().MatchString(said) || sentence.Denies.Get().MatchString(said) || forms.Optional.Get().MatchString(said) {
		return false
	}
	return forms.Imperative(p.Words) || wanted.Get().MatchString(p.Words) || passed.Get().MatchString(p.Words)
}

// ownTime begins a sentence that says itself before what it is done.
var ownTime = lazy.Regexp{Source: `^(?:before|prior to) [^,‹:]{4,80}, `}

// passed is a command, or a job, that has to succeed.
var passed = lazy.Regexp{Source: `‹c\d+›[^.‹]{0,20} (?:pass(?:es|ed)?|succeeds?|(?:is|are) (?:clean|green))\b|^(?:(?:all|the|unit|existing|relevant) )*(?:tests?|lint(?:ing|er)?|type-?check\w*|build|checks|formatting) (?:pass(?:es)?|(?:is|are) (?:clean|green|passing)|succeeds?)\b|^(?:(?:any|all|every|a|the) )*(?:‹p\d+›|[\w+#]+ files?)(?:,? (?:or|and) ‹p\d+›)*(?: files?)? ?(?:→|->) ?(?:run )?‹c\d+›`}
