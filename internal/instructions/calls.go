package instructions

import (
	"regexp"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A call without arguments in a line means one with any. Code has it with arguments, and
// maybe with a space in front of them.

var (
	// emptyCall is a call without arguments, up to its name.
	emptyCall = lazy.Regexp{Source: `([\w$\])>]) ?\(\)`}
	// plainWord is the name of a function that a text may have as a word.
	plainWord = lazy.Regexp{Source: `^[a-z]+$`}
	// ofNestedClass is a member of a class that is declared within another, so that code has the
	// two names on different lines.
	ofNestedClass = lazy.Regexp{Source: `^(?:\w+\.)?Meta\.[a-z_]\w*$`}
)

// dottedName is a function of a module or a class.
var dottedName = lazy.Regexp{Source: `^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$`}

// anyCall are the arguments of a call, with calls among them.
const anyCall = `[ \t]*\((?:[^()\n]|\([^()\n]*\))*\)`

// calledAs is how the calls of a text are found, with one that is found and one that has a space
// in front of its arguments. It is not ok for a text without a call that has none.
func calledAs(t string) (pattern, shown, spaced string, ok bool) {
	all := emptyCall.Get().FindAllStringIndex(t, -1)
	if len(all) == 0 || strings.Contains(t, anyArguments) {
		return "", "", "", false
	}
	last := all[len(all)-1]
	if len(all) == 1 && last[1] == len(t) { // the arguments may be on other lines
		name := t[:last[0]+1]
		pattern = regexp.QuoteMeta(name)
		if plainWord.Get().MatchString(name) { // as a word it may have a remark behind it
			pattern += `(\(| \([^\n]*\)\s*[;{=<>+*/&|)\]])`
		} else if dottedName.Get().MatchString(name) { // or it is given to another function
			pattern += `(?: ?\(|[,;)\]}\n]|$)`
		} else {
			pattern += ` ?\(`
		}
		return bounded(t, pattern), name + "(x)", name + " (x);", true
	}
	at := 0
	for _, c := range all {
		if pattern += spacedOut(t[at : c[0]+1]); c[1] == len(t) {
			pattern += ` ?\(`
		} else {
			pattern += anyCall
		}
		shown, spaced = shown+t[at:c[0]+1]+"(x, y)", spaced+t[at:c[0]+1]+" (x)"
		at = c[1]
	}
	pattern += spacedOut(t[at:])
	if lastWord.Get().MatchString(t) {
		pattern += `($|[^\w$])`
	}
	return bounded(t, pattern), shown + t[at:], spaced + t[at:], true
}

// bounded is a pattern of a text that does not begin within a name.
func bounded(t, pattern string) string {
	if repo.Identifier.Get().MatchString(t) {
		return `(^|[^\w$])` + pattern
	}
	return pattern
}

// spacedOut is a part of an expression as a pattern with any spaces between its parts.
func spacedOut(part string) string {
	out := ""
	for i, word := range strings.Split(part, " ") {
		switch {
		case i > 0 && lastWord.Get().MatchString(out) && repo.Identifier.Get().MatchString(word):
			out += `\s+`
		case i > 0:
			out += `\s*`
		}
		out += regexp.QuoteMeta(word)
	}
	return out
}

// ofMembers are all members of a module.
var ofMembers = lazy.Regexp{Source: `^([A-Za-z_]\w*(?:::\w+)*::)\*$`}

// rootOf is a package without its sub-paths.
var rootOf = lazy.Regexp{Source: `\b(?:root|bare|top-level) (?:package |module |import |path |entry ?point |barrel |index )*(?:of |from )?‹t|‹t\d+›(?:'s)? (?:package |module )?root\b|\bthe root\b[^.;]*\bsub-?paths?\b`}

// pattern is how a name is found in a text without the names that are wanted, with texts in which
// it is found.
func (b *builder) pattern(t string) (pattern string, shown []string) {
	t = ofMembers.Get().ReplaceAllString(t, "$1")
	t, _ = withHoles(ofValues.Get().ReplaceAllString(t, ".$1$2"))
	pattern, with, spaced, ok := calledAs(t)
	if m := keySet.Get().FindStringSubmatch(t); m != nil {
		pattern, with = `(^|[^\w$.-])`+regexp.QuoteMeta(m[1])+`["']?\s*[=:]\s*`+regexp.QuoteMeta(m[2])+`($|[^\w$])`, t
	} else if kind := b.kindOfTypes(t); kind != "" {
		pattern, with, spaced = `(^|[^\w$])\w*`+kind+`s?($|[^\w$])`, t, "new Table"+kind+"()"
	} else if !ok {
		pattern, with = written(t)
	}
	for _, u := range b.hit.Terms("use") {
		if of := onReceivers(t, u.Text); of != "" && b.aboutRuby() {
			pattern = of
			break
		}
		pattern = besides(pattern, t, u.Text)
	}
	if front, ok := strings.CutSuffix(pattern, `($|[^\w$])`); ok && rootOf.Get().MatchString(b.hit.Phrase.Words) {
		pattern = front + `($|[^\w$/])` // not its parts
	}
	for _, s := range []string{with, spaced} {
		if s != "" && !strings.ContainsRune("/#@*-", rune(s[0])) && !yamlKey.Get().MatchString(t) { // else it is a comment or the like
			s = "a = " + s
		}
		if s != "" {
			shown = append(shown, s+"\n")
		}
	}
	return filled(pattern, shown)
}

// typeKind is the plural of what the names of types end with: "no ViewModels".
var typeKind = lazy.Regexp{Source: `^([A-Z]\w*[a-z][A-Z]\w*[a-rt-z])s$`}

// kindOfTypes returns the common ending of the type names that a line forbids, or "" if the line forbids one name.
func (b *builder) kindOfTypes(t string) string {
	m := typeKind.Get().FindStringSubmatch(t)
	if m == nil || strings.Contains(b.s.Text, "`"+t+"`") {
		return ""
	}
	return m[1]
}
