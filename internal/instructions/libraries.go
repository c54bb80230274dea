package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// saysPackage is a word for what is imported, or for what a name is added to.
	saysPackage = lazy.Regexp{Source: `\b(?:import|depend|install|package|librar(?:y|ies)|dependenc(?:y|ies)|framework|module|gem|crate)`}
	// packageSign is a sign that names of packages have, and words seldom.
	packageSign = lazy.Regexp{Source: `[-/@.\d_]`}
)

// likePackage reports whether a name that a line has in the place of another one is that of a package: the
// line says so, one of the two looks like it, or a manifest names one. "Use ‹call› over ‹cast›" may be about
// anything.
func (b *builder) likePackage(t string) bool {
	if saysPackage.Get().MatchString(b.hit.Phrase.Words) {
		return true
	}
	names := []string{t}
	for _, use := range b.hit.Terms("use") {
		names = append(names, use.Text)
	}
	return slices.ContainsFunc(names, func(n string) bool {
		return packageSign.Get().MatchString(n) || knownPackage.Get().MatchString(n) || b.p.DependsOn(n)
	})
}

// orAnyLibrary is a list of libraries that ends with all of their kind, and libraryName one of them.
var (
	orAnyLibrary = lazy.Regexp{Source: `\b(?:[Nn]ever|[Dd]o not|[Dd]on['’]t|[Nn]o) (?:use )?((?:[A-Z][\w.]+(?:, | or |, or |/| and )){1,6})(?:or )?(?:any|other|another|similar) (?:other )?(?:[\w-]+ )?(?:librar(?:y|ies)|frameworks?|packages?|tools?)\b`}
	libraryName  = lazy.Regexp{Source: `[A-Z][\w.]+`}
)

// namedLibraries forbids the libraries that a line names in front of all others of their kind.
func (b *builder) namedLibraries() (list []ruletext.Rule) {
	m := orAnyLibrary.Get().FindStringSubmatch(b.s.Text)
	if m == nil {
		return nil
	}
	for _, name := range libraryName.Get().FindAllString(m[1], -1) {
		quoted := regexp.QuoteMeta(name)
		r := ruletext.Rule{ID: name, Trigger: "file_write", Exclude: repo.Documents, Why: "It stops writes that add an import of " + name + ", or a call of it.", Message: "Do without it."}
		r.When = putsIn(`(?m)^\s*(?:import|from|use|using|alias|require|require_relative|#include)\b[^\n]*[\s"'/<({:.](?<name>(?i:` + quoted + `))\b|(?:^|[^\w.])(?<call>` + quoted + `)\.\w|\{\s*:(?<dep>` + regexp.QuoteMeta(strings.ToLower(name)) + `),`)
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "src/a.ts", Content: "import " + name + "\n"}), ruletext.AsStop(ruletext.Case{Write: "src/a.ts", Content: "x = " + name + ".start(1)\n"}), ruletext.AsStop(ruletext.Case{Write: "src/a.ts", Content: "import a from \"" + strings.ToLower(name) + "\"\n"}),
			ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: "import other\n"}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: "import " + name})}
		list = append(list, r)
	}
	return list
}

// cmdlet is the name of a command of PowerShell.
var cmdlet = lazy.Regexp{Source: `^[A-Z][a-z]+-[A-Z]\w+`}

// ofOtherShell reports whether a line wants a command of PowerShell, and another text says that the agent's
// own shell is bash.
func (b *builder) ofOtherShell() bool {
	return b.p != nil && b.p.ShellIsBash && slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool { return cmdlet.Get().MatchString(t.Text) })
}
