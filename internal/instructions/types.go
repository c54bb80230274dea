package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// types are the types of messages that are known.
const types = "feat|fix|docs|style|refactor|perf|test|tests|build|ci|chore|revert|merge|release|security|deps|wip|misc|ref|meta|license|hotfix|i18n|types|workflow|init|config|infra"

// openings are how the messages of commits begin that a file names as right.
type openings struct {
	types []string // in front of a colon, besides those that are known
	words []string // without a colon: "Reland"
	bare  bool     // a version alone is a message
}

// maxTypes bounds the types that one file names.
const maxTypes = 40

var (
	// typeSpan is a type in `code`, alone or at the beginning of a message.
	typeSpan = lazy.Regexp{Source: "^[\"']?([a-z][a-z0-9-]{1,14})(?:(?:\\([^)]*\\))?!?(:)(?: .*)?)?$"}
	// typeList are types in plain words: "feat, fix, bench".
	typeList = lazy.Regexp{Source: "`?\\b[a-z][a-z0-9-]{1,14}:?`?(?:(?:, ?(?:and |or )?| ?[|/] ?| (?:and|or) )`?[a-z][a-z0-9-]{1,14}:?(?:`|\\b):?){2,}"}
	typeWord = lazy.Regexp{Source: `[a-z][a-z0-9-]+`}
	// typeLine is the first line of a message in a block of code.
	typeLine = lazy.Regexp{Source: `^([a-z][a-z0-9-]{1,14})(?:\([\w,./ <>-]+\))?!?: \S`}
	// typeItem is one of a list that has an item for each type.
	typeItem = lazy.Regexp{Source: "^[*_`\"' ]*([A-Za-z][\\w-]{1,14})(?:\\([^)]*\\))?!?(?:[*_`\"']*(:)|[*_`\"']+(?:$|\\W)|$|\\s+[—–=→(-])"}
	// openingWord is another beginning of a message.
	openingWord = lazy.Regexp{Source: `^[A-Z][A-Za-z]{2,14}$`}
	// ofTypes is a text about messages and their types.
	ofTypes = lazy.Regexp{Source: `(?i)\b(?:commits?|messages?|conventional|semantic|titles?|types?|prefix(?:es)?)\b`}
	// namesTypes is a text that a list of types goes on with.
	namesTypes = lazy.Regexp{Source: `(?i)\b(?:types?|prefix(?:es)?|begins?|starts?)\b`}
	// versionTitle is a placeholder for a version.
	versionTitle = lazy.Regexp{Source: "`v?[Xx]\\.[Yy]\\.[Zz]`"}
	// noType are names of the parts of a message, and what is written like a type.
	noType = lazy.Regexp{Source: `^(?:type|types|scope|kind|prefix|subject|description|message|title|summary|etc|eg|body|footer|area|component|package|module|note|example|examples|good|bad|https?|and|or|the|with|for|not)$`}
)

// openingsOf reads the openings that the blocks of a file name.
func openingsOf(all []markdown.Block) (o openings) {
	for i := range all {
		b := &all[i]
		if b.Invisible {
			continue
		}
		said, above := b.Text(), strings.Join(b.Section[max(0, len(b.Section)-2):], " ")
		if b.Lead >= 0 {
			above += " " + all[b.Lead].Text()
		}
		if banned(b, all) || !ofTypes.Get().MatchString(above+" "+said) {
			continue
		}
		for _, s := range sentence.Sentences(said) {
			if lower := strings.ToLower(s); !sentence.Denies.Get().MatchString(lower) {
				o.say(s, false)
				o.bare = o.bare || versionTitle.Get().MatchString(s) && strings.Contains(lower, "title")
			}
		}
		o.list(all, b.Children, namesTypes.Get().MatchString(said))
		for k := range b.Fences {
			o.read(&b.Fences[k])
		}
	}
	return o
}

// say takes the types out of a sentence: those of a list that has two known ones, and those
// with a colon in `code`, if one of them is known or the sentence is sure to be about messages.
func (o *openings) say(said string, sure bool) {
	var list []string
	for _, c := range markdown.CodeSpan.Get().FindAllString(said, -1) {
		if m := typeSpan.Get().FindStringSubmatch(strings.Trim(c, "` ")); m != nil && m[2] != "" {
			list = append(list, m[1])
		}
	}
	if sure || slices.ContainsFunc(list, isType) {
		for _, t := range list {
			o.add(t)
		}
	}
	for _, l := range typeList.Get().FindAllString(said, -1) {
		list := slices.DeleteFunc(typeWord.Get().FindAllString(l, -1), noType.Get().MatchString)
		known := 0
		for _, t := range list {
			if isType(t) {
				known++
			}
		}
		if known >= 2 && known*2 >= len(list) {
			for _, t := range list {
				o.add(t)
			}
		}
	}
}

// list takes the openings that the items of a list begin with, if two of them are known types,
// or one below a sentence about types.
func (o *openings) list(all []markdown.Block, items []int, ofThem bool) {
	var first []string
	known := 0
	for _, c := range items {
		said := all[c].Text()
		m := typeItem.Get().FindStringSubmatch(said)
		if all[c].Invisible || m == nil || sentence.Denies.Get().MatchString(strings.ToLower(said)) {
			continue
		}
		if isType(m[1]) {
			known++
		}
		first = append(first, m[1])
	}
	for _, open := range first {
		switch {
		case known == 0 || known == 1 && !ofThem:
		case typeWord.Get().FindString(open) == open:
			o.add(open)
		case openingWord.Get().MatchString(open) && len(o.words) < maxTypes && !slices.Contains(o.words, open):
			o.words = append(o.words, open)
		}
	}
}

// read takes the types of the messages in a block of code, if one of them is known.
func (o *openings) read(f *markdown.Fence) {
	var list []string
	for _, l := range f.Lines {
		if m := typeLine.Get().FindStringSubmatch(strings.TrimSpace(l)); m != nil && !badRemark.Get().MatchString(l) {
			list = append(list, m[1])
		}
	}
	if slices.ContainsFunc(list, isType) && (f.Lang == "" || f.Lang == "text" || slices.Contains(markdown.Shells[:], f.Lang)) {
		for _, t := range list {
			o.add(t)
		}
	}
}

func (o *openings) add(t string) {
	if len(o.types) < maxTypes && !isType(t) && !noType.Get().MatchString(t) && !slices.Contains(o.types, t) {
		o.types = append(o.types, t)
	}
}

// isType reports whether a word is one of the types that are known.
func isType(t string) bool { return slices.Contains(strings.Split(types, "|"), t) }

// types are the types of messages that are known, and those that the file names.
func (b *builder) types() string {
	all := []string{types}
	if only := b.onlyTypes(); len(only) > 0 {
		all = only
	}
	own := openings{}
	own.say(b.s.Text, true)
	for _, said := range slices.Concat(b.s.Items, b.s.Behind) { // the list and the examples below it
		if !sentence.Denies.Get().MatchString(strings.ToLower(said)) && !statement.Refused.Get().MatchString(said) {
			own.say(said, true)
		}
	}
	for _, t := range append(own.types, b.opened().types...) {
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
	for _, w := range o.words {
		list = append(list, regexp.QuoteMeta(w)+`\b`)
	}
	if o.bare {
		list = append(list, `v?\d+\.\d+`)
	}
	if len(list) == 0 {
		return ""
	}
	return "|^(?-i:" + strings.Join(list, "|") + ")"
}

// opened are the openings that the statement's file names.
func (b *builder) opened() openings {
	if file, ok := b.shows(); ok {
		return file.openings()
	}
	return openings{}
}
