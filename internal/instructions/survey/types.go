package survey

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Types are the types of messages that are known.
const Types = "feat|fix|docs|style|refactor|perf|test|tests|build|ci|chore|revert|merge|release|security|deps|wip|misc|ref|meta|license|hotfix|i18n|types|workflow|init|config|infra"

// Openings are how the messages of commits begin that a file names as right.
type Openings struct {
	Types []string // in front of a colon, besides those that are known
	Words []string // without a colon: "Reland"
	Bare  bool     // a version alone is a message

	Listed bool // a list of types is in the file, so that others are not right
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
	// TypeItem is one of a list that has an item for each type.
	TypeItem = lazy.Regexp{Source: "^[*_`\"' ]*([A-Za-z][\\w-]{1,14})(?:\\([^)]*\\))?!?(?:[*_`\"']*(:)|[*_`\"']+(?:$|\\W)|$|\\s+[—–=→(-])"}
	// openingWord is another beginning of a message.
	openingWord = lazy.Regexp{Source: `^[A-Z][A-Za-z]{2,14}$`}
	// ofTypes is a text about messages and their types.
	ofTypes = lazy.Regexp{Source: `(?i)\b(?:commits?|messages?|conventional|semantic|titles?|types?|prefix(?:es)?)\b`}
	// NamesTypes is a text that a list of types goes on with.
	NamesTypes = lazy.Regexp{Source: `(?i)\b(?:types?|prefix(?:es)?|begins?|starts?)\b`}
	// versionTitle is a placeholder for a version.
	versionTitle = lazy.Regexp{Source: "`v?[Xx]\\.[Yy]\\.[Zz]`"}
	// noType are names of the parts of a message, and what is written like a type.
	noType = lazy.Regexp{Source: `^(?:type|types|scope|kind|prefix|subject|description|message|title|summary|etc|eg|body|footer|area|component|package|module|note|example|examples|good|bad|https?|and|or|the|with|for|not)$`}
)

// openingsOf reads the openings that the blocks of a file name.
func openingsOf(all []markdown.Block) (o Openings) {
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
				o.Say(s, false)
				o.Bare = o.Bare || versionTitle.Get().MatchString(s) && strings.Contains(lower, "title")
			}
		}
		o.list(all, b.Children, NamesTypes.Get().MatchString(said))
		for k := range b.Fences {
			o.read(&b.Fences[k])
		}
	}
	return o
}

// Say takes the types out of a sentence: those of a list that has two known ones, and those
// with a colon in `code`, if one of them is known or the sentence is sure to be about messages.
func (o *Openings) Say(said string, sure bool) {
	var list []string
	for _, c := range markdown.CodeSpan.Get().FindAllString(said, -1) {
		if m := typeSpan.Get().FindStringSubmatch(strings.Trim(c, "` ")); m != nil && m[2] != "" {
			list = append(list, m[1])
		}
	}
	if sure || slices.ContainsFunc(list, IsType) {
		for _, t := range list {
			o.add(t)
		}
	}
	for _, l := range typeList.Get().FindAllString(said, -1) {
		list := slices.DeleteFunc(typeWord.Get().FindAllString(l, -1), noType.Get().MatchString)
		known := 0
		for _, t := range list {
			if IsType(t) {
				known++
			}
		}
		if known >= 2 && known*2 >= len(list) {
			o.Listed = o.Listed || ofTwo(list)
			for _, t := range list {
				o.add(t)
			}
		}
	}
}

// list takes the openings that the items of a list begin with, if two of them are known types,
// or one below a sentence about types.
func (o *Openings) list(all []markdown.Block, items []int, ofThem bool) {
	var first []string
	known := 0
	for _, c := range items {
		said := all[c].Text()
		m := TypeItem.Get().FindStringSubmatch(said)
		if all[c].Invisible || m == nil || sentence.Denies.Get().MatchString(strings.ToLower(said)) {
			continue
		}
		if IsType(m[1]) {
			known++
		}
		first = append(first, m[1])
	}
	o.Listed = o.Listed || known > 1 && ofTwo(first)
	for _, open := range first {
		switch {
		case known == 0 || known == 1 && !ofThem:
		case typeWord.Get().FindString(open) == open:
			o.add(open)
		case openingWord.Get().MatchString(open) && len(o.Words) < maxTypes && !slices.Contains(o.Words, open):
			o.Words = append(o.Words, open)
		}
	}
}

// read takes the types of the messages in a block of code, if one of them is known.
func (o *Openings) read(f *markdown.Fence) {
	var list []string
	for _, l := range f.Lines {
		if m := typeLine.Get().FindStringSubmatch(strings.TrimSpace(l)); m != nil && !badRemark.Get().MatchString(l) {
			list = append(list, m[1])
		}
	}
	if slices.ContainsFunc(list, IsType) && (f.Lang == "" || f.Lang == "text" || slices.Contains(markdown.Shells[:], f.Lang)) {
		o.Listed = o.Listed || ofTwo(list)
		for _, t := range list {
			o.add(t)
		}
	}
}

// ofTwo reports whether a list of several types is one of those of messages: one for features or for
// fixes is in it.
func ofTwo(list []string) bool {
	return len(list) > 1 && slices.ContainsFunc(list, func(t string) bool { return t == "feat" || t == "fix" })
}

func (o *Openings) add(t string) {
	if len(o.Types) < maxTypes && !IsType(t) && !noType.Get().MatchString(t) && !slices.Contains(o.Types, t) {
		o.Types = append(o.Types, t)
	}
}

// IsType reports whether a word is one of the types that are known.
func IsType(t string) bool { return slices.Contains(strings.Split(Types, "|"), t) }
