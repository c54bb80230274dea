package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Two files may have to be alike in what they tell, and not in their words: a page and its
// translation. A changed word of one is then no change of the other.

var (
	// inOutline is a wish for files that have the same parts, and inMeaning one for files that say the same.
	inMeaning = lazy.Regexp{Source: `\b(?:semantically|conceptually|in meaning|in substance)\b`}
	inOutline = lazy.Regexp{Source: `\b(?:structurally|in structure|(?:the )?same (?:structure|outline|sections|headings|layout))\b`}
	// languageMark is the end of a name that tells the language of its text.
	languageMark = lazy.Regexp{Source: `[._-][a-z]{2}(?:[_-][A-Za-z]{2,4})?(\.(?:md|mdx|rst|txt|adoc))$`}
)

// sameOutline is what has to change in one file for a change in the other: "" for each change.
func (b *builder) sameOutline() string {
	if inOutline.Get().MatchString(b.hit.Phrase.Words) {
		return "the structure of the file"
	}
	if inMeaning.Get().MatchString(b.hit.Phrase.Words) {
		return "the meaning of the file"
	}
	names := append(b.hit.Terms("all"), append(b.hit.Terms("changed"), b.hit.Terms("with")...)...)
	if len(names) != 2 || names[0].Text == names[1].Text {
		return ""
	}
	bare := func(name string) string { return strings.ToLower(languageMark.Get().ReplaceAllString(name, "$1")) }
	if bare(names[0].Text) != bare(names[1].Text) {
		return ""
	}
	return "more than the wording of one language"
}
