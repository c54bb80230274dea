package instructions

import (
	"regexp"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// The name of an error is in code where it is thrown, where it is caught, and where it is declared.
// A line about one of these says nothing of the others.

var (
	// errorName is the name of an error's class.
	errorName = lazy.Regexp{Source: `^\\?(?:[A-Za-z_]\w*[.\\])*(?:[A-Z]\w*(?:Exception|Error)|Exception|Error|Throwable)$`}
	// throwing and catching are verbs in front of such names, or what another verb is for.
	throwing = lazy.Regexp{Source: `\b(?:throw|rais)(?:e|ing)? (?:(?:a|an|any|the|new|generic|bare|raw|plain|broad|base|built-?in|unchecked) )*(?:‹t\d+›(?:,? (?:or|and|nor) |, |/)(?:(?:a|an|any|new|generic|bare|or|and) )*)*‹t\d+›|‹t\d+› (?:for|when) (?:throwing|raising)\b`}
	// ownErrors wants errors of other classes than those it names: who catches or extends one throws none.
	ownErrors = lazy.Regexp{Source: `\b(?:exceptions?|errors?)(?: (?:types?|class(?:es)?|subclass(?:es)?))?(?: \([^)]*\))?,? (?:instead of|rather than|over|not) (?:(?:a|an|the|generic|bare|raw|plain|broad|base|built-?in|native|global) )*(?:‹t\d+›(?:,? (?:or|and|nor) |, |/))*‹t\d+›`}
	catching  = lazy.Regexp{Source: `\bcatch(?:ing)? (?:(?:a|an|any|the|generic|bare|raw|plain|broad|base|general) )*(?:‹t\d+›(?:,? (?:or|and|nor) |, |/)(?:(?:a|an|any|generic|bare|or|and) )*)*‹t\d+›`}
)

// thrown is how an error is found that is not to be thrown, or not to be caught, with texts that have
// it and have it not: no pattern for other names and lines.
func (b *builder) thrown(t string) (pattern, bad, good string) {
	words := b.hit.Phrase.Words
	throws, catches := throwing.Get().MatchString(words) || ownErrors.Get().MatchString(words), catching.Get().MatchString(words)
	if throws == catches || !errorName.Get().MatchString(t) {
		return "", "", ""
	}
	name := strings.TrimPrefix(t, `\`)
	of := `(?:[\w.\\]+[.\\])?` + regexp.QuoteMeta(name) + `($|[^\w$])`
	if name != t { // the one of PHP's global namespace: others have its name, too
		of = regexp.QuoteMeta(t) + `($|[^\w$])`
		name = t
	}
	if throws {
		return `\b(?:throw|raise)\s+(?:new\s+)?` + of, "throw new " + name + "()", "catch (" + name + " e) { }"
	}
	return `\b(?:catch\s*\(\s*(?:final\s+)?|except\s+\(?|rescue\s+)(?:[\w.\\]+\s*[|,]\s*)*` + of, "catch (" + name + " e) { }", "throw new " + name + "()"
}
