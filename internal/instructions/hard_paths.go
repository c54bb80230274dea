package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A path that is not to be hard-coded may be in each comment and docstring. In code it begins a string that
// is assigned or given, and in scripts and settings it may have no quotes.

var (
	// aPath is a folder or a file by its path.
	aPath = lazy.Regexp{Source: `^(?:~|\.{1,2}|\$\{?HOME\}?)?/[\w.~-]`}
	// hardCoded is a sentence about what is not to be in code by its value.
	hardCoded = lazy.Regexp{Source: `\bhard-?cod`}
	// unquoted are files in which a path may have no quotes.
	unquoted = "(?i)\\.(sh|bash|zsh|fish|bats|ps1|bat|cmd|ya?ml|toml|ini|cfg|conf|env|mk|just)$|(^|/)(makefile|justfile|dockerfile)[^/]*$"
)

// stringFront is in front of a path in code: what takes a string, and its quote.
const stringFront = "(?:(?:[=(,\\[{+?]|\\breturn|[\"']?\\w+[\"']?:)\\s*(?:[A-Za-z]{1,2})?[\"'`]|^[ \\t]*[\"'])[^\\s\"'`]*"

// hardPath reports whether a line says that a path is not to be hard-coded.
func (b *builder) hardPath(t string) bool {
	return aPath.Get().MatchString(t) && hardCoded.Get().MatchString(b.hit.Phrase.Words)
}

// pathInCode is a rule about a path in code, without comments and docstrings.
func pathInCode(t, pattern string, globs []string, p string) ruletext.Rule {
	r := ruletext.Rule{ID: t, Trigger: "file_write", Scope: globs, Why: whyForbidden(t)}
	r.When = putsIn(besideComment(stringFront+pattern)) + "\n  or path matches `" + unquoted + "` and " + putsIn(besideComment(pattern))
	at := strings.TrimSuffix(t, "/") + "/x"
	for _, s := range []string{`a = "` + at + `"`, `open('` + at + `')`, "  dir: `" + at + "`,", `return "` + at + `"`, `    "` + at + `",`} {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: p, Content: s + "\n"}))
	}
	for _, s := range []string{"// see " + at, "# see `" + at + "`", `    """Reads ` + at + `."""`, `"""` + at + ` is read."""`, "    What is in `" + at + "`, if it's there.", "result = other(1)"} {
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: p, Content: s + "\n"}))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: "README.md", Content: t}))
	return r
}
