package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// writtenIn goes on behind a name with the files in which it is not to be.
var writtenIn = lazy.Regexp{Source: `^ ?(?:(?:calls?|statements?|imports?|usages?|blocks?|tags?|elements?|syntax|attributes?|annotations?|types?|keywords?|macros?|decorators?|directives?|hooks?|markers?) )?(?:(?:‹t\d+›|,|/|or|and|nor) ?)*(?:in|into|to|inside|within) (?:any |an? |the |your |our |each |other |new |individual |project )*(‹p\d+›)(?: (?:files?|manifests?))?(?:$|[.,;:)]| (?:—|–|-|as|since|because|unless|instead) ?)`}

// filesWith are the files in which a name may be that a sentence forbids, with one of them:
// those that the sentence names by their ending, those of a setting, else code.
func (b *builder) filesWith(t string) (globs []string, example string) {
	behind, _ := b.after("deny")
	if m := writtenIn.Get().FindStringSubmatch(behind); m != nil {
		if of := b.termOf(m[1]).Text; strings.HasPrefix(of, ".") || strings.Contains(of, "*.") {
			if list := statement.GlobsOf(of); len(list) > 0 {
				return b.below(list), b.above.dir + pathglob.Sample(list[0])
			}
		}
	}
	for i := range forms.All().Settings {
		if s := &forms.All().Settings[i]; len(b.s.Globs) == 0 && s.Named.Get().MatchString(t) {
			return b.below(s.Files), b.above.dir + s.Example
		}
	}
	if globs, example = b.withKey(t); len(globs) > 0 {
		return globs, example
	}
	return b.codeFiles()
}

// newPart is a sentence about a part that belongs into a file: its language is that of the file.
var newPart = lazy.Regexp{Source: `(?:^|: ?)(?:then |also |next,? |finally,? )*add (?:the |an? |its |your )?(?:[^.,;:‹ ]+ ){1,4}(?:in|to|into) ‹p\d+›`}

// ofPlace is the builder of a statement without the languages that the sentence only names
// for what belongs into a file.
func (b *builder) ofPlace() *builder {
	at := newPart.Get().FindStringIndex(b.hit.Phrase.Words)
	if at == nil {
		return b
	}
	hit, said := *b.hit, *b.hit.Phrase
	said.Quote, hit.Phrase = said.Words[:at[0]], &said
	return &builder{s: b.s, p: b.p, hit: &hit, quote: b.quote, above: b.above}
}

var (
	// generatedFolder is a folder of made files, which each part of a project may have.
	generatedFolder = lazy.Regexp{Source: `(?i)^(?:_*(?:auto-?)?generated_*|node_modules|dist|__pycache__|\.next|\.turbo|\.venv)/\*\*$`}
	// eachFolder is the name of several folders.
	eachFolder = lazy.Regexp{Source: `\b(?:any|all|every|each|an?)(?: of the)? (?:(?:standalone|separate|new|extra|dedicated|own|shared|central|global|common|generic|top-level) )*‹p\d+› (?:sub-?)?(?:folders?|director(?:y|ies)|dirs?)\b|‹p\d+› (?:folders|directories)\b|\b(?:in|inside|under|within|below|to) (?:any|each|every|an?) ‹p\d+›`}
)

// anywhere are patterns of files, where those of a folder that a project may have in several
// places are about each of them.
func (b *builder) anywhere(globs []string) []string {
	return pathglob.Each(globs, func(g string) string {
		if strings.HasPrefix(b.unplaced(g), "../") {
			return g // the line says where it is
		}
		if dir, ok := strings.CutSuffix(g, "/**"); ok && !strings.ContainsAny(dir, "/*") && (generatedFolder.Get().MatchString(g) || len(globs) == 1 && eachFolder.Get().MatchString(b.hit.Phrase.Words)) {
			return "**/" + g
		}
		if len(globs) == 1 && !strings.Contains(g, "/") && anyNamed.Get().MatchString(b.hit.Phrase.Words) {
			return "**/" + g
		}
		if !strings.Contains(g, "/") && b.hasOwnSource() && b.p.Known() && b.p.Has(g) {
			return "./" + g
		}
		return pathglob.AtAnyDepth(g)
	})
}

// hasOwnSource reports whether a line says what its file is generated from: others of the same
// name, in other folders, are not meant.
func (b *builder) hasOwnSource() bool {
	return slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool { return generatedFrom.Get().MatchString(p.Words) })
}

// anyNamed is a file of a name that each folder may have, "any ‹p› file", with a verb in front of it.
var anyNamed = lazy.Regexp{Source: `\b(?:edit|modif|chang|touch|writ|updat)\w*(?: (?:or|and) \w+)? (?:any|each|every) (?:existing |new )?‹p\d+›(?: files?)?\b`}

// generatedFrom is a sentence about one file and the one that it is made from.
var generatedFrom = lazy.Regexp{Source: `(?:\b(?:it|this file|which)|‹p\d+›)(?: is| ?[—–:-]+) (?:auto-?)?(?:generated|built|compiled|rendered|assembled) (?:\w+ )?from (?:the )?‹p\d+›`}
