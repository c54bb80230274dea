package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// alsoInside goes on with the files of a folder that are not to be changed either: "‹p›, or
	// generated files beneath ‹p›".
	alsoInside = lazy.Regexp{Source: `^,? (?:or|nor|and) (?:(?:any|the|other|all|every) )*(?:(?:auto-?|machine-?)?generated )?(?:files?|code|sources?|outputs?|anything)(?: \w+)? (?:in|under|inside|within|beneath|below|from) (?:the )?(‹p\d+›)`}
	// generatedIn are generated files of a folder, which are no new ones.
	generatedIn = lazy.Regexp{Source: `(?:auto-?|machine-?)?generated (?:files?|code|sources?|outputs?)(?: \w+)? (?:the )?$`}
)

// goesInside adds to the paths that a sentence forbids to change those of a folder that it goes
// on with.
func (b *builder) goesInside() {
	behind, _ := b.after("path")
	if m := alsoInside.Get().FindStringSubmatch(behind); m != nil && !strings.Contains(b.hit.Slots["path"], m[1]) {
		b.hit.Slots["path"] += " or " + m[1]
	}
}

// ofGenerated reports whether the files that are not to be made are generated ones of a folder:
// a sentence says of them that they are not to be changed.
func (b *builder) ofGenerated() bool {
	before, _, _ := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["path"]))
	return generatedIn.Get().MatchString(before)
}

// within are the files that the sentence is about: "‹p› must not use ‹t›".
func (b *builder) within() []string {
	before, _, ok := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["deny"]))
	if all := sentence.Mark.Get().FindAllString(before, -1); ok && len(all) == 1 && strings.HasPrefix(all[0], "‹p") && forms.About.Get().MatchString(before) {
		return statement.GlobsOf(b.termOf(all[0]).Text)
	}
	if m := partIn.Get().FindStringSubmatch(before); ok && m != nil {
		return statement.GlobsOf(b.termOf(m[1]).Text)
	}
	if behind, ok := b.after("deny"); ok {
		if m := placeOfName.Get().FindStringSubmatch(behind); m != nil {
			return statement.GlobsOf(b.p.Placed(b.termOf(m[1]).Text, b.s.Base()))
		}
	}
	if m := inNamed.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil {
		if name := b.termOf(m[1]).Text; b.p.AnyFolder(name) {
			return []string{"**/" + name + "/**"}
		}
	}
	if list := b.ofType(before); len(list) > 0 {
		return list
	}
	if name := b.ofSubject(); name != "" {
		return []string{"**/" + name + "/**"}
	}
	if m := ofItself.Get().FindStringSubmatch(before); ok && m != nil {
		t := b.termOf(m[1])
		if _, name, scoped := strings.Cut(t.Text, "/"); scoped && t.Kind != sentence.File && t.Text[0] == '@' && !strings.Contains(name, "/") {
			return []string{"**/" + name + "/**"} // a package is in the folder of its name
		}
		return statement.GlobsOf(t.Text)
	}
	return nil
}

var (
	// ofCodeType is the name of a type of code, whose file mostly has its name.
	ofCodeType = lazy.Regexp{Source: `^[A-Z]\w*[a-z]\w*$`}
	// inType is the place of what is forbidden, in front of it: "in ‹t›, never use ‹t›", "‹t›: no ‹t›".
	inType = lazy.Regexp{Source: `^(?:[\w ]{0,20}[:—–] ?)?(?:in|inside|within) (?:the )?(‹t\d+›),|^(‹t\d+›)(?: ?[:—–]| -) `}
)

// ofType are the files of the type that a sentence forbids a name in: those of its name. A sentence that
// only names it in front means them where the project has some.
func (b *builder) ofType(before string) []string {
	words := b.hit.Phrase.Words
	if m := ofItself.Get().FindStringSubmatch(before); m != nil {
		if name := b.termOf(m[1]).Text; ofCodeType.Get().MatchString(name) && b.termOf(m[1]).Kind != sentence.File {
			if b.p.AnyFolder(name) {
				return []string{"**/" + name + "/**"}
			}
			return []string{"**/" + name + ".*"}
		}
	}
	place := ""
	if m := inType.Get().FindStringSubmatch(words); m != nil {
		place = m[1] + m[2]
	} else if m := inNamed.Get().FindStringSubmatch(words); m != nil {
		place = m[1]
	}
	name := b.termOf(place).Text
	if list := []string{"**/" + name + ".*"}; ofCodeType.Get().MatchString(name) && !strings.Contains(b.hit.Slots["deny"], place) && b.p.Known() && b.p.Holds(list) {
		return list
	}
	return nil
}

// inOtherFile reports whether the files of a type are not there: it is in one of another name.
func (b *builder) inOtherFile(in []string) bool {
	return len(in) > 0 && strings.HasSuffix(in[0], ".*") && !b.p.Holds(in)
}

// placeOfName is the place of what is forbidden, behind it.
var placeOfName = lazy.Regexp{Source: `^(?: (?:calls?|statements?|imports?|usages?|blocks?|tags?|elements?|syntax|attributes?|annotations?|types?|keywords?|macros?|decorators?|directives?|hooks?|markers?|image tags?))? (?:in|inside|within|under) (?:the )?(‹p\d+›)(?: (?:folder|directory|files?|code))?(?:$|[.,;)]| [—–-])`}

// inNamed is the place of what is forbidden, named behind it: a folder without a slash.
var inNamed = lazy.Regexp{Source: `‹[tc]\d+› (?:in|inside|within|under|from) (?:the )?(‹t\d+›)(?: (?:folders?|source ?sets?|modules?|packages?|code))?(?:$|[.,;:)(]| [—–-])`}

// ofItself is a sentence about files or a package that must not have something.
var ofItself = lazy.Regexp{Source: `(‹[pt]\d+›)(?: (?:package|crate|module|folder|directory|layer|code|files?|it|and|also|itself))* (?:must|should|may|shall|can|does|do|cannot|mustn't|shouldn't) ?(?:not |never )[^‹]*$`}

// saidOfIt goes on with what the thing that a sentence begins with must not have: "‹t› has the ports; it must not".
var saidOfIt = lazy.Regexp{Source: `^(?:[\w ]{0,20}: ?)?(‹[pt]\d+›) [^‹:]*[;,] ?(?:and |but |so )?(?:it|they) (?:(?:must|should|may|shall|can|do|does|will) ?(?:not|never)|cannot|mustn't|shouldn't)\b`}

// ofSubject is the folder of the thing that a sentence begins with, and then is about: "" for none.
func (b *builder) ofSubject() string {
	if m := saidOfIt.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil {
		if name := strings.TrimSuffix(b.termOf(m[1]).Text, "/"); b.p.AnyFolder(name) {
			return name
		}
	}
	return ""
}

// formed reports whether a form of another kind is about the sentence.
func (b *builder) formed(kind string) bool {
	words := b.hit.Phrase.Words
	sifted := forms.All().Literals.Sift(words)
	return slices.ContainsFunc(forms.All().Forms, func(f forms.Form) bool {
		return f.Rule == kind && slices.ContainsFunc(f.Sieves, sifted.Passes) && slices.ContainsFunc(f.Patterns, func(re *lazy.Regexp) bool { return re.Get().MatchString(words) })
	})
}

// pointsTo is a remark about where something is to be read.
var pointsTo = lazy.Regexp{Source: `\([^()‹]*(?:in|see|at|under|of|per) ‹p\d+›`}

// toBeEdited is a sentence about files that changes belong in.
var toBeEdited = lazy.Regexp{Source: `(?:^|[.;:,—–] ?|\b(?:should|must|always|only|instead|please|then) )(?:edit|change|update|modify|adjust|make (?:\w+ )?(?:edits|changes)|put (?:\w+ )?(?:edits|changes))\b|\b(?:edits|changes) (?:should |must |always |only )*(?:target|go|belong|are made|happen)\b`}

// filesNamed are the files that the sentences in front name, as marks of the sentence: "" for none.
func (b *builder) filesNamed() (list string) {
	for i := range b.s.Phrases {
		p := &b.s.Phrases[i]
		if p.Quote == b.quote {
			break
		}
		if toBeEdited.Get().MatchString(p.Words) {
			continue
		}
		for _, t := range p.Terms {
			if t.Kind == sentence.File && path.Ext(t.Text) != "" && !pointsTo.Get().MatchString(p.Words) && !strings.ContainsAny(t.Text, "*{<") {
				list += b.hit.Phrase.Add(sentence.File, b.p.Placed(t.Text, b.s.Base()), true) + " "
			}
		}
	}
	return list
}
