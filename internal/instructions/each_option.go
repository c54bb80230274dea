package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// slashed is a command with several options in the place of one: `git clean -f/-d/-x`.
	slashed = lazy.Regexp{Source: `^(\S.* )(--?[A-Za-z][\w-]*)((?:/--?[A-Za-z][\w-]*)+)( .*)?$`}
	// ownOption is the last option of a command, without a value.
	ownOption = lazy.Regexp{Source: `^(\S.*) --?[A-Za-z][\w-]*$`}
	// moreOptions goes on behind a command with other options that are meant as well.
	moreOptions = lazy.Regexp{Source: `^(?:(?: ?/ ?| or )‹f\d+›)+`}
)

// eachOption are commands with each of the options that a line lists for them, in one name or behind it.
// Those of an option behind the first one are at the end: own is how many others there are.
func (b *builder) eachOption(list []sentence.Term) (all []sentence.Term, own int) {
	var more []sentence.Term
	for _, t := range list {
		m := slashed.Get().FindStringSubmatch(t.Text)
		if t.Kind != sentence.Command || m == nil {
			all, more = append(all, t), append(more, b.optionsBehind(t)...)
			continue
		}
		for i, option := range strings.Split(m[2]+m[3], "/") {
			one := t
			if one.Text = m[1] + option + m[4]; i == 0 {
				all = append(all, one)
			} else {
				more = append(more, one)
			}
		}
	}
	return append(all, more...), len(all)
}

// optionsBehind are a command with the options that a sentence goes on with: "‹c› / ‹f› / ‹f›".
func (b *builder) optionsBehind(t sentence.Term) (list []sentence.Term) {
	m := ownOption.Get().FindStringSubmatch(t.Text)
	if t.Kind != sentence.Command || m == nil {
		return nil
	}
	for _, mark := range sentence.Mark.Get().FindAllString(b.hit.Phrase.Words, -1) {
		if b.termOf(mark) != t {
			continue
		}
		_, behind, _ := strings.Cut(b.hit.Phrase.Words, mark)
		for _, o := range b.hit.Phrase.TermsIn(moreOptions.Get().FindString(behind)) {
			list = append(list, sentence.CommandTerm(m[1]+" "+o.Text))
		}
	}
	return list
}
