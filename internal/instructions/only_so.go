package instructions

import (
	"slices"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

// A line may forbid a name in one use of it: "with a trivial closure", "on equality". No text of a file shows that
// use, and the other ones are right.

var (
	// onlySo begins what limits a ban of a name to one use, and anyUse a limit that each use, or what a reader of
	// the message knows, is within.
	onlySo = lazy.Regexp{Source: `^ ?(?:types? |calls? |attributes? )?(?:with|on|of) (?:[a-z-]+ )*[a-z-]+`}
	anyUse = lazy.Regexp{Source: `^ ?(?:types? |calls? |attributes? )?(?:with|on|of) (?:(?:the|any|all|its|their|your|own|new|raw|untrusted|external|unsanitized|arbitrary|dynamic|remote|whole|entire|complete) )*(?:user\w*|modules?|packages?|crates?|inputs?|data|strings?|html|content|values?|purpose|kinds?|sorts?|code|files?|platforms?|your own|purposes?|time|top)\b`}
	// labelFront is a place in front of a ban, and commonPlace one that files show.
	labelFront  = lazy.Regexp{Source: `^\W*(?:in|on|within|inside) ([a-z][^,:;.‹()]{2,60}): `}
	commonPlace = lazy.Regexp{Source: `^(?:(?:the|all|any|your|our|new|every|each|unit|integration|e2e|end-to-end|component|functional|production|prod|library|application|app|source|public|shared|committed|test|front-?end|back-?end|client|server|ui|api|this) )*(?:tests?|specs?|code(?:base)?|files?|modules?|components?|scripts?|pages?|styles?|stylesheets|hooks?|repo|repository|project|sources?|front-?end|back-?end|server|client|packages?|librar(?:y|ies)|apps?|production|particular|general|short)$`}
	// noPlace are words behind "in" that name no place.
	noPlace = lazy.Regexp{Source: `^(?:scope|general|short|brief|particular|practice|principle|summary|addition|other words|effect|fact|force|all cases|any case|every case)$`}
	// besideFiles names files that a ban leaves out.
	besideFiles = lazy.Regexp{Source: `^[ (,]*(?:except|excluding|other than|apart from) (?:(?:for|in|within|the) )*((?:‹p\d+›(?:, (?:and |or )?| and | or )?)+)`}
	// ending is a kind of files by the end of their names, and kindAtEnd the words in front of one.
	ending    = lazy.Regexp{Source: `^(?:\*\*/)?\*?\.[a-z]{2,8}$`}
	kindAtEnd = lazy.Regexp{Source: `\b(?:in|for|inside|within) (?:(?:the|all|any|your|our) |\*)*(‹[pt]\d+›)`}
)

// holdsOnlySo reports whether a name is forbidden in one use alone, which no text shows.
func (b *builder) holdsOnlySo() bool {
	behind, ok := b.after("deny")
	if ok && onlySo.Get().MatchString(behind) && !anyUse.Get().MatchString(behind) {
		return true
	}
	m := labelFront.Get().FindStringSubmatch(b.hit.Phrase.Words)
	return m != nil && !noPlace.Get().MatchString(m[1]) && !commonPlace.Get().MatchString(m[1]) && len(survey.LanguagesIn(m[1])) == 0
}

// filesBeside are the files that a ban of a name leaves out.
func (b *builder) filesBeside() (list []string) {
	behind, _ := b.after("deny")
	m := besideFiles.Get().FindStringSubmatch(behind)
	if m == nil {
		return nil
	}
	for _, t := range b.hit.Phrase.TermsIn(m[1]) {
		list = append(list, statement.GlobsOf(b.p.Placed(t.Text, b.s.Base()))...)
	}
	return list
}

// inEnding limits a rule about a name to the endings of files that its line names, and is not ok where the
// rule is about no such file.
func (b *builder) inEnding(r *ruletext.Rule) (ok bool) {
	var globs []string
	for _, m := range kindAtEnd.Get().FindAllStringSubmatch(b.hit.Phrase.Words, -1) {
		if t := b.termOf(m[1]); ending.Get().MatchString(t.Text) {
			globs = append(globs, "**/*"+t.Text[slices.Index([]byte(t.Text), '.'):])
		}
	}
	if len(globs) == 0 || r.Trigger != "file_write" || len(r.Scope) == 0 {
		return true
	}
	own := scope.NewPaths(r.Scope, false)
	globs = slices.DeleteFunc(globs, func(g string) bool { _, in := own.Match(pathglob.Sample(g)); return !in })
	if len(globs) == 0 {
		return false
	}
	was := pathglob.Sample(r.Scope[0])
	r.Scope = globs
	for i := range r.Tests {
		if r.Tests[i].Write == was {
			r.Tests[i].Write = pathglob.Sample(globs[0])
		}
	}
	return true
}
