package instructions

import (
	"slices"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// The kinds of files that rules are about, by their endings: one table for all of them. A rule
// about what files say looks at code, and so does an obligation that follows a change of code.

const (

	// code are the files of programs.
	code = "**/*.{" + repo.LanguageEndings + "," + repo.TemplateEndings + "," + repo.ProjectEndings + "}"
	// sources are those of them that a language is written in: what a line wants of each new file,
	// as its head or its name, is hardly wanted of a template or a project's file.
	sources = "**/*.{" + repo.LanguageEndings + "}"
)

// allCode is a pattern of files by more endings than a person reads.
var allCode = lazy.Regexp{Source: `\*\*/\*\.\{[^{}]{200,}\}`}

// ofTests are files of tests, where a line about the product does not hold.
func ofTests() []string {
	return append(slices.Clone(pathglob.OfTests()), "**/testdata/**", "**/conftest.py")
}

// usual are the files of code that a rule is about where its line names none.
func (b *builder) usual() string {
	switch b.hit.Form.Rule {
	case "names", "header", "licence", "length":
		return b.p.WithOwn(sources)
	}
	return b.p.WithOwn(code)
}

// besideTests maps the words for what a line exempts together with tests to their files.
func besideTests() map[string]string {
	return map[string]string{"build scripts": "**/build.rs", "benches": "**/benches/**", "benchmarks": "**/benchmarks/**", "examples": "**/examples/**"}
}
