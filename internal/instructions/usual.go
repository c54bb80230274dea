package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// otherTrailer reports whether a line wants another trailer of commits than a sign-off.
func (b *builder) otherTrailer() bool {
	list := b.hit.Terms("trailer")
	return b.has("trailer") && !slices.ContainsFunc(list, func(t sentence.Term) bool { return strings.HasPrefix(strings.ToLower(t.Text), "signed-off-by") })
}

// remarkedBan is the title of a list of files with a remark that they are not to be changed.
const remarkedBan = `(?i)^[\W_\d]*[\w ,/&-]{2,50} \((?:[\w -]{1,30} ?[,;—–:-]+ ?)?(?:do not|don['’]t|never)[ -](?:ever |hand[ -]?|manually |directly )*(?:edit|modify|touch|change)(?: (?:by hand|manually|directly|these|them))*\)[\W_]*$`

var (
	// uncommitted is a title of files that are not to be committed.
	uncommitted = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:[\w ,/&-]{2,50} \((?:[\w -]{1,30} ?[,;—–:-]+ ?)?)?(?:do not|don['’]t|never) commit(?: (?:these|them|the following|to git))*(?: (?:files?|folders?|paths?))?\)?[\W_]*$`}
	// pathFirst is an item that begins with paths.
	pathFirst = lazy.Regexp{Source: `^(?:(?:all|the|any|every|everything|files?|code|anything|in|under|inside|below) )*‹p\d+›`}
	// protectsMade is a title of what is made and not to be changed, madeHere an item below it that says how
	// its path is made, and sourceHere one that may be what others are made of.
	protectsMade = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:do not|don['’]t|never) (?:manually |directly |hand-?)*(?:edit|touch|modify|change|alter) (?:any |the |all )*(?:auto-?)?generated (?:files?|code|outputs?|artifacts?)(?: (?:by hand|manually|directly))?[\W_]*$`}
	madeHere     = lazy.Regexp{Source: `^\W*‹p\d+›[^.]*?\b(?:re-?)?(?:generated|made|built|produced|created|compiled|written) (?:via|by|from|with|using|anew|during)\b`}
	sourceHere   = lazy.Regexp{Source: `\b(?:sources?|edit|change|hand-?written|by hand|manually)\b`}
)

// bansPaths is the beginning that a title gives an item which begins with a path: "" for none.
func bansPaths(lead, first string) string {
	switch {
	case !pathFirst.Get().MatchString(first):
	case uncommitted.Get().MatchString(lead):
		return "never commit "
	case protects.Get().MatchString(lead), protectsMade.Get().MatchString(lead) && madeHere.Get().MatchString(first) && !sourceHere.Get().MatchString(first):
		return "never edit "
	}
	return ""
}
