package instructions

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// imports forbids files of one part to import those of another.
func (b *builder) imports() (list []ruletext.Rule) {
	from := b.termOf(sentence.Mark.Get().FindString(b.hit.Slots["from"]))
	dir := folderOf(from)
	if list, ok := b.namesOf(b.unplaced(from.Text)); ok {
		return list
	}
	if dir == "" || from.Kind == sentence.Name && !strings.Contains(dir, "/") || !sentence.PathForm.Get().MatchString(dir) || strings.ContainsAny(dir, "<{[@$") {
		return nil // the name of a package tells no folder
	}
	for _, t := range b.hit.Terms("deny") {
		to := folderOf(t)
		if !importable(to) || to == dir || strings.HasPrefix(dir, to+"/") {
			continue
		}
		r := importOf(to, dir+"/a.ts")
		var also []string // other ways to write the same import
		if more, cases := importedAs(b.p, to, dir, strings.Trim(strings.TrimPrefix(b.unplaced(t.Text), "./"), "/*")); from.Kind == sentence.File && t.Kind == sentence.File && len(more) > 0 {
			also = more
			for _, c := range cases {
				r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: dir + "/a.ts", Content: c}))
			}
		}
		if !strings.ContainsAny(to, "/.") { // a package within others
			also = append(also, `^\s*(?:import|using|from)\s+(?:static\s+)?(?:\w+\.)+(?<g>`+regexp.QuoteMeta(to)+`)(?:[.;\s]|$)`)
			r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: dir + "/A.kt", Content: "import org.x." + to + ".A"}))
		}
		named, cases := b.byName(to)
		also = append(also, named...)
		for _, c := range cases {
			r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: dir + "/a.ts", Content: c}))
		}
		orMatches(&r, also)
		r.ID, r.Scope = dir+" "+to, []string{dir + "/**"}
		if len(r.ID) > longPair {
			r.ID = path.Base(dir) + " " + path.Base(to)
		}
		r.Why, r.Message = fmt.Sprintf("It stops writes that add an import of %s in %s.", to, dir), "Do without an import of "+to+" here."
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: "elsewhere/a.ts", Content: r.Tests[0].Content}))
		b.exceptTests(&r)
		list = append(list, r)
	}
	return list
}

// longPair is from how many bytes on the paths of two folders are too long for a name.
const longPair = 48

// importsOf forbids the files of all other folders to import those of one.
func (b *builder) importsOf() (list []ruletext.Rule) {
	for _, t := range b.hit.Terms("deny") {
		to := folderOf(t)
		if !importable(to) || !strings.Contains(to, "/") {
			continue // a name alone is that of a package, too
		}
		r := importOf(to, "elsewhere/a.ts")
		also, cases := b.byName(to)
		orMatches(&r, also)
		for _, c := range cases {
			r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: "elsewhere/a.ts", Content: c}))
		}
		r.ID, r.Scope, r.Exclude = to, []string{b.p.WithOwn(code)}, []string{to + "/**"}
		r.Why, r.Message = fmt.Sprintf("It stops writes that add an import of %s.", to), "Do without an import of "+to+"."
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: to + "/a.ts", Content: r.Tests[0].Content}))
		list = append(list, r)
	}
	return list
}

// orMatches adds patterns to the one at the end of a rule's condition.
func orMatches(r *ruletext.Rule, patterns []string) {
	for _, p := range patterns {
		r.When = strings.TrimSuffix(r.When, "`)") + "|" + p + "`)"
	}
}

// importNamed forbids imports of a name from another place than the one that is wanted.
func (b *builder) importNamed() (list []ruletext.Rule) {
	use := b.hit.Terms("use")
	for _, t := range b.hit.Terms("named") {
		for _, of := range b.hit.Terms("deny") {
			from := b.unplaced(of.Text)
			if !camelName.Get().MatchString(t.Text) || !importable(from) || len(use) == 0 || strings.HasPrefix(use[0].Text, from) {
				continue
			}
			list = append(list, nameFrom(t.Text, from, "Import it from "+use[0].Text+"."))
		}
	}
	return list
}

// scriptFilesOfWeb are files with imports by names, as JavaScript has them.
const scriptFilesOfWeb = "**/*.{ts,tsx,js,jsx,mjs,mts,vue,svelte,astro}"

// nameFrom is a rule about imports of a name from a module.
func nameFrom(name, from, message string) ruletext.Rule {
	r := ruletext.Rule{ID: name + " " + from, Trigger: "file_write", Scope: []string{scriptFilesOfWeb}, Message: message}
	r.When = putsIn(`\bimport\b[^;"']*\b(?<name>` + regexp.QuoteMeta(name) + `)\b[^;"']*\bfrom\s*["']` + regexp.QuoteMeta(from) + `["']`)
	r.Why = fmt.Sprintf("It stops writes that add an import of %s from %s.", name, from)
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "src/a.ts", Content: "import { " + name + " } from \"" + from + "\""}), ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: "import { Another1 } from \"" + from + "\""}), ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: "// " + from})}
	return r
}

// outOfModule is a name that is not to be taken out of a module: "never import ‹t› from ‹p›".
var outOfModule = lazy.Regexp{Source: `\bimport(?:ing)? (?:the |any )?(?:‹t\d+›(?:,? (?:and |or )?|/|, )?)+ from (?:the )?‹[pt]\d+›`}

// namesOf forbids to import names from a module, where the sentence has them so and the module is no
// folder of the project. It is not ok for other sentences.
func (b *builder) namesOf(from string) (list []ruletext.Rule, ok bool) {
	if !outOfModule.Get().MatchString(b.hit.Phrase.Words) || !importable(from) || strings.HasSuffix(from, "/") || b.p.Known() && b.p.Has(folderOf(sentence.Term{Text: from})) {
		return nil, false
	}
	if len(b.s.Globs) == 0 && b.p.Whole() && !b.p.Holds([]string{scriptFilesOfWeb}) {
		return nil, true // another language has other imports
	}
	for _, t := range b.hit.Terms("deny") {
		if t.Kind == sentence.Name && camelName.Get().MatchString(t.Text) {
			list = append(list, nameFrom(t.Text, from, "Import it from where the line says, or do without it."))
		}
	}
	return list, len(list) > 0
}

// camelName is a name that a module exports.
var camelName = lazy.Regexp{Source: `^[A-Za-z_$][\w$]*$`}

// folderOf is the folder or module that a term names, as an import names it.
func folderOf(t sentence.Term) string { return strings.Trim(strings.TrimPrefix(t.Text, "./"), "/*") }

func importable(to string) bool {
	return sentence.PathForm.Get().MatchString(to) && !strings.ContainsAny(to, "<{[$*") && len(to) > 2
}

// importOf is a rule about imports of a folder, with cases in a file.
func importOf(to, file string) ruletext.Rule {
	quoted := regexp.QuoteMeta(to)
	r := ruletext.Rule{Trigger: "file_write"}
	r.When = putsIn(`(?m)^\s*(import|from|use|export|#include|extern crate)\b[^\n]*[\s"'/(:](?<a>` + quoted + `)($|["'/;.:\s)])|(from|require\(|import\()\s*["'][^"'\n]*\b(?<b>` + quoted + `)["'/]`)
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: file, Content: "import a from \"" + to + "\""}), ruletext.AsPass(ruletext.Case{Write: file, Content: "import a from \"other\""}), ruletext.AsPass(ruletext.Case{Write: file, Content: "// see " + to})}
	return r
}

// forbiddenModule is a rule about imports of a module of Go, and about the line of go.mod.
func (b *builder) forbiddenModule(t string) ruletext.Rule {
	r := ruletext.Rule{ID: "package " + t, Trigger: "file_write", Scope: b.below([]string{"**/*.{go,mod}"}), Why: "It stops writes that add an import of " + t + ", or a line of go.mod that names it."}
	r.When = putsIn(`(?m)^\s*(import\s+|require\s+)?([\w.]+\s+)?"?` + regexp.QuoteMeta(t) + `(/[\w./-]*)?("|\sv\d)`)
	p := b.above.dir + "a.go"
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: "import (\n\t\"" + t + "\"\n)"}), ruletext.AsStop(ruletext.Case{Write: b.above.dir + "go.mod", Content: "require " + t + " v1.0.0"}),
		ruletext.AsPass(ruletext.Case{Write: p, Content: "import \"" + t + "x\""}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: t})}
	return r
}
