package forms

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// An Act is something that is named in words, with the commands that do it.
type Act struct {
	Name, Words     string
	Code            string // the command that means the act, where it is in `code`
	Commands        []string
	Example, Except string
	Duty            bool     // something may have to happen after it
	Besides         []string // commands that only go on with it
	Operations      []operation
	When            string   // which of the commands do it
	Harmless        []string // examples of those that do not
}

// An operation is one of several things that an act may be.
type operation struct {
	Verbs    string
	Commands []string

	Pattern *lazy.Regexp
}

// A Language is known by words for it.
type Language struct {
	Words    string
	Files    []string
	Example  string
	Programs []string // that only projects in it run
	Syntax   string   // code that only it has
	Written  []string // where that code is, where other files have it, too

	Said, Shape *lazy.Regexp
	Sieve       sieve // of words
}

// A Writing is a name of code that is written in a way of its own.
type Writing struct {
	Name, Pattern, Bad, Good string
	Files                    []string
	Warns                    bool // the pattern takes some more
	Code                     bool // a comment may name it
}

// A Kind of files has words of its own.
type Kind struct {
	Words           string
	Files, Examples []string
	When, Message   string

	Said *lazy.Regexp
}

// A Chain is a tool chain: how projects in it name what they depend on.
type Chain struct {
	Name     string
	Words    string   // that only texts about projects in it have
	Named    string   // further words by which a line or its heading names it
	Programs []string // that work on projects in it
	Manifest []string // at the top of a project
	Adds     []string // programs of the commands that add a dependency
	Files    []string // where new dependencies are written by hand
	Adding   string   // a line in them that is a dependency
	Bad      string   // an example of such a line

	ByWords, ByName *regexp.Regexp
	Sieve           sieve // of words
}

// compile compiles the words of a chain.
func (c *Chain) compile() {
	c.ByWords = regexp.MustCompile(`(?i)(?:^|[^\w.-])(?:` + c.Words + `)(?:$|[^\w-])`)
	named := c.Words
	if c.Named != "" {
		named += "|" + c.Named
	}
	c.ByName = regexp.MustCompile(`(?i)(?:^|[^\w.-])(?:` + named + `)(?:$|[^\w-])`)
}

// A Use of a type is known by verbs.
type Use struct {
	Verbs, Pattern, Bad, Good string
	Files                     []string

	Acts *lazy.Regexp
}

// A setting is a name that files of one kind have, and no code.
type setting struct {
	Names   string
	Files   []string
	Example string

	Named *lazy.Regexp
}

// A Telltale is a kind of change that its text tells of.
type Telltale struct {
	Words   string // of a case that is about it
	Pattern string // of the text
	Bad     string // a text that has it

	Said *regexp.Regexp
}

// Writes reports whether only this language has all of what is forbidden, or what is to be used
// instead.
func (l *Language) Writes(deny, use []sentence.Term) bool {
	other := func(t sentence.Term) bool { return !l.Shape.Get().MatchString(t.Text) }
	return len(deny) > 0 && !slices.ContainsFunc(deny, other) || len(use) > 0 && !slices.ContainsFunc(use, other)
}

// oneOver chooses one of two things, as a preference does.
var oneOver = lazy.Regexp{Source: `› (?:\w+ ){0,3}over (?:\w+ )?‹`}

// HasEnding reports whether files of a language have an ending.
func (l *Language) HasEnding(ext string) bool {
	return slices.ContainsFunc(l.Files, func(f string) bool {
		return slices.Contains(strings.FieldsFunc(path.Ext(f), func(r rune) bool { return strings.ContainsRune(".{},", r) }), ext)
	})
}

// ActOf is the act that a term names; nil for none.
func ActOf(t sentence.Term) *Act {
	all := All().Acts
	i := slices.IndexFunc(all, func(a Act) bool {
		return t.Kind == 'a' && a.Name == t.Text || t.Kind == sentence.Command && a.Code == t.Text
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

// KindCalled is the kind of files that words begin with; nil for none.
func KindCalled(words string) *Kind {
	all := All().Kinds
	if i := slices.IndexFunc(all, func(k Kind) bool { return k.Said.Get().MatchString(words) }); i >= 0 {
		return &all[i]
	}
	return nil
}
