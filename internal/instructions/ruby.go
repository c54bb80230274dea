package instructions

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A method of Ruby needs no brackets, and is called on a value or on nothing.

// ofRuby reports whether all of some patterns are of Ruby's files.
func ofRuby(globs []string) bool {
	return len(globs) > 0 && !slices.ContainsFunc(globs, func(g string) bool { return path.Ext(g) != ".rb" && path.Ext(g) != ".rake" })
}

// aboutRuby reports whether a line is about Ruby's files.
func (b *builder) aboutRuby() bool {
	globs, _ := b.codeFiles()
	if own, _ := b.p.FewLanguages(); len(own) > 0 && len(globs) == 1 && globs[0] == b.usual() {
		globs = own
	}
	return ofRuby(globs)
}

// rubyCall is a method in some files as Ruby's documents name it, with a # in front, where the files
// are Ruby's and the line names it as ".name" or ".name()"; else the name as it is.
func rubyCall(t string, globs []string) string {
	name, ok := strings.CutPrefix(strings.TrimSuffix(strings.Replace(t, anyArguments, "()", 1), "()"), ".")
	if !ok || !ofRuby(globs) || !rubyMethod.Get().MatchString(name) {
		return t
	}
	return "#" + name
}

// onReceivers is a pattern of the calls of a method on any value, and on nothing, where the wanted
// method has the same name and belongs to a module: X.select in the place of select. It is "" for others.
func onReceivers(t, wanted string) string {
	t = strings.TrimLeft(t, ".#")
	of, ok := strings.CutSuffix(strings.TrimSuffix(wanted, "()"), "."+t)
	if at := strings.LastIndexAny(of, ".:"); !ok || !rubyMethod.Get().MatchString(t) || at+1 >= len(of) || of[at+1] < 'A' || of[at+1] > 'Z' {
		return ""
	}
	return `(?:(?:^|[^\w$.:])|(?:(?:^|[^\w$])[a-z_@]\w*[?!]?|[)\]}"'])&?\.)` + regexp.QuoteMeta(t) + `($|[^\w])`
}
