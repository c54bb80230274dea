package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// ifAbout begins a message of a rule that warns in one case.
func ifAbout(words string) string {
	words, _, _ = strings.Cut(words, " unless ")
	words = caseOnly(strings.NewReplacer("… ", " ", "... ", " ").Replace(words))
	words = forms.CutOff.Get().ReplaceAllString(saysMore.Get().ReplaceAllString(forms.AimBehind.Get().ReplaceAllString(words, ""), ""), "")
	if said, ok := strings.CutPrefix(words, "you "); ok {
		return "If you " + said + ", "
	}
	if whereFront.Get().MatchString(words + ", ") {
		return "If this is " + words + ", "
	}
	if asked.Get().MatchString(words) {
		return strings.ToUpper(words[:1]) + words[1:] + ", "
	}
	if words = timeFirst.Get().ReplaceAllString(words, ""); changesSo.Get().MatchString(words) || wholeClause.Get().MatchString(words) && !relative.Get().MatchString(words) {
		return "If " + words + ", "
	}
	return "If this is about " + words + ", "
}

// orderLeft is the beginning of an order behind a case.
var orderLeft = lazy.Regexp{Source: `, (?:first|always|also|then|please|next|immediately|you must)$`}

// saysMore is what a sentence says of a case besides.
var saysMore = lazy.Regexp{Source: `, [^,(]*\b(?:covers|is|are|has|does|runs|needs|uses|must|will)\b.*$`}

// caseOnly is a case without the order that follows it in a sentence: "editing, read the file, …".
func caseOnly(said string) string {
	said = orderLeft.Get().ReplaceAllString(said, "")
	parts := strings.Split(said, ", ")
	for i, part := range parts {
		m := orderNext.Get().FindStringSubmatch(part)
		if i > 0 && m != nil && sentence.Words().IsVerb[m[1]] && !strings.HasPrefix(said, "you ") {
			return strings.Join(parts[:i], ", ")
		}
	}
	return said
}

// orderNext is an order with its object.
var orderNext = lazy.Regexp{Source: `^(?:and |then |also )*(?:re-)?([a-z]+) (?:(?:the|an?|this|that|it|them|all|any|each|every|your|its) |(?:the|an?|this|it|them)$)`}
