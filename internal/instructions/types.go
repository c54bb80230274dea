package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// anyOtherType is any word of lower-case letters: conventional commits may have others than the types
// that are known, and where no list is read, the project may.
const anyOtherType = `(?-i:[a-z][a-z0-9-]*)`

// types are the types of messages that a line lists, or the project's settings, else those that are known
// and those that the file names. Without any list others are right, too.
func (b *builder) types() string {
	all := []string{survey.Types}
	if !b.opened().Listed {
		all = append(all, anyOtherType)
	}
	if only := b.onlyTypes(); len(only) > 0 {
		if all = only; slices.Equal(only, b.p.CommitTypes()) {
			return strings.Join(all, "|")
		}
	}
	own := survey.Openings{}
	own.Say(b.s.Text, true)
	for _, said := range slices.Concat(b.s.Items, b.s.Behind) { // the list and the examples below it
		if !sentence.Denies.Get().MatchString(strings.ToLower(said)) && !statement.Refused.Get().MatchString(said) {
			own.Say(said, true)
		}
	}
	for _, t := range append(own.Types, b.opened().Types...) {
		if t = regexp.QuoteMeta(t); !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return strings.Join(all, "|")
}

// openings is the end of an expression about a message: the other openings of the file.
func (b *builder) openings() string {
	o := b.opened()
	var list []string
	for _, w := range o.Words {
		list = append(list, regexp.QuoteMeta(w)+`\b`)
	}
	if o.Bare {
		list = append(list, `v?\d+\.\d+`)
	}
	if len(list) == 0 {
		return ""
	}
	return "|^(?-i:" + strings.Join(list, "|") + ")"
}

// opened are the openings that the statement's file names.
func (b *builder) opened() survey.Openings {
	if file, ok := b.shows(); ok {
		return file.Openings()
	}
	return survey.Openings{}
}
