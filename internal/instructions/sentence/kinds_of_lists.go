package sentence

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A prohibition may list names of several kinds, and say something of one of them in parentheses. A form is about
// one kind, so the sentence is read once for each kind, and once for each name with a remark.

const (
	// listMark is a name of a list with a remark in words, and listSign what is between two names.
	listMark = `‹[acpft]\d+›(?: \([^)‹]*\))?`
	listSign = `(?:,? (?:or|and|nor|&) (?:the )?|, (?:the )?| ?/ ?)`
	listed   = listMark + `(?:` + listSign + listMark + `)*`
	// denying is a prohibition up to what it forbids.
	denying = `^([^‹]*\b(?:never|not|don't|avoid)\b[^‹.;:()]*(?:‹a\d+› )?)`
)

var (
	// unwanted is a word that forbids, or that wants a question first.
	unwanted = lazy.Regexp{Source: `\b(?:never|not|don't|avoid|refrain|no|without|out of|forbidden|ask|approval|instead|rather|over)\b`}
	// alsoMeant are names in parentheses that go on with the list in front of them: "‹c› (or ‹c›)".
	alsoMeant = lazy.Regexp{Source: `(‹[acpft]\d+›),? \((or|and|nor) (` + listed + `)\)`}
	// remarkOfName is a list that goes on behind a remark with names of its own on one of the list.
	remarkOfName = lazy.Regexp{Source: denying + `(` + listed + listSign + `)?(‹[acpft]\d+›) (\([^()]*‹[^()]*\))` + listSign + `(‹[acpft]\d+›.*)$`}
	// deniedList is a prohibition with its list.
	deniedList = lazy.Regexp{Source: denying + `(` + listed + `)(.*)$`}
)

// openList takes names in parentheses that go on with a list into it, in a sentence about what is not to be done.
func (p *Phrase) openList() {
	if unwanted.Get().MatchString(p.Words) {
		p.Words = alsoMeant.Get().ReplaceAllString(p.Words, "$1 $2 $3")
	}
}

// EachKind splits a prohibition with a list into a phrase for each kind of names in the list, and for each
// name that has a remark of its own.
func (p *Phrase) EachKind() (list []Phrase) {
	if !Denies.Get().MatchString(p.Words) {
		return []Phrase{*p}
	}
	said := p.saying(p.Words)
	for range MaxDrafts {
		m := remarkOfName.Get().FindStringSubmatch(said.Words)
		if m == nil {
			break
		}
		list = append(list, said.saying(m[1]+m[3]+" "+m[4]+"."))
		said.Words = m[1] + m[2] + m[5]
	}
	return append(said.byKind(), list...)
}

// byKind splits a prohibition by the kinds of the names that it lists. Statements of SQL among commands are
// run as these are, and options behind a command with one of its options belong to it.
func (p *Phrase) byKind() []Phrase {
	m := deniedList.Get().FindStringSubmatch(p.Words)
	if m == nil || ofSome.Get().MatchString(m[3]) || optionsOf.Get().MatchString(m[2]) || !p.tellApart(m[2]) {
		return []Phrase{*p}
	}
	var kinds []string
	names, same := map[string][]string{}, true
	for _, at := range Mark.Get().FindAllStringSubmatch(m[2], -1) {
		name, kind := at[0], strings.Replace(at[1], "a", "c", 1)
		if t := p.TermIn(name); kind == "t" && strings.Contains(m[2], "‹c") && SQLStatement.Get().MatchString(t.Text) {
			name, kind, same = p.Add(Command, t.Text, true), "c", false
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		names[kind] = append(names[kind], name)
	}
	if len(kinds) == 1 && same {
		return []Phrase{*p}
	}
	list := make([]Phrase, 0, len(kinds))
	for _, kind := range kinds {
		list = append(list, p.saying(m[1]+strings.Join(names[kind], " or ")+m[3]))
	}
	return list
}

var (
	// ofSome goes on with a further name, or with what a prohibition is limited to: its names are forbidden for that.
	ofSome = lazy.Regexp{Source: `^ (?:‹|(?:for|to|in|on|with|as|from|by|when|if|while|during|into|at) )`}
	// optionsOf is a command with options behind it.
	optionsOf = lazy.Regexp{Source: `‹c\d+›(?: ?/ ?|,? or |, )‹f`}
	// SQLStatement is the beginning of a statement of SQL that takes something away, as a line names it.
	SQLStatement = lazy.Regexp{Source: `^(?i:drop (?:table|database|schema|column|view|index)|truncate(?: table)?|delete from|alter table)$`}
)

// tellApart reports whether the kinds of the names of a list are sure: the name of a program without arguments
// may be that of a thing in code, as others of its list are, and a text without a letter is a sign.
func (p *Phrase) tellApart(list string) bool {
	return !slices.ContainsFunc(p.TermsIn(list), func(t Term) bool {
		return t.Kind == Command && !strings.Contains(t.Text, " ") || !strings.ContainsFunc(t.Text, unicode.IsLetter)
	})
}
