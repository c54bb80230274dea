package instructions

import (
	"regexp"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Some texts in `code` show a form, whose names each text has its own of.

var (
	// docField is a field of documentation as reStructuredText writes it, without its argument.
	docField = lazy.Regexp{Source: `^:([a-z]{3,}):$`}
	// anyAddress is an address, someAddresses a sentence that names some as examples of all.
	anyAddress    = lazy.Regexp{Source: `^(?:https?|wss?)://`}
	someAddresses = lazy.Regexp{Source: `\b(?:urls?|links?|addresses|sites?|websites?|hosts?|domains?|endpoints?)[^.;()‹]{0,30} ?\(?(?:e\.g\.|for example|like|such as|for instance),? (?:‹\w\d+›(?:,? (?:or|and) |, )?)+`}
	// partsCode is a comment that parts the code above it from that below: "// ---- Helpers ----".
	partsCode = lazy.Regexp{Source: `^(#|//|--|;) ?(--+|==+|\*\*+|~~+|──+|━━+|══+) [\w …<>{}\[\].&/-]+$`}
)

// formOf is how a text that shows a form is found, with one that is found: "" for other texts.
func formOf(t string) (pattern, shown string) {
	if m := docField.Get().FindStringSubmatch(t); m != nil {
		return ":" + m[1] + `(?:[ \t]+\w[^:\n]*)?:`, ":" + m[1] + " x: y"
	}
	m := partsCode.Get().FindStringSubmatch(strings.TrimRight(t, " -=*~─━═"))
	if m == nil {
		return "", ""
	}
	sign := string([]rune(m[2])[0])
	return `(?m)(?:^|\s)` + regexp.QuoteMeta(m[1]) + `[ \t]*` + regexp.QuoteMeta(sign) + `{2,}(?:\s|$)`, m[1] + " " + sign + sign + " any"
}
