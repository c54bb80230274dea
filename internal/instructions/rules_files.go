package instructions

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// onPaths makes a rule about writes to the paths of the sentence.
func (b *builder) onPaths(when, verb string, test func(path string) ruleCase) []ruleFile {
	globs, names := b.paths("path")
	globs = b.anywhere(globs)
	if len(globs) == 0 || thereOnly.Get().MatchString(b.hit.phrase.words) {
		return nil
	}
	r := ruleFile{ID: strings.Join(names, " "), Trigger: "file_write", Scope: globs, Exclude: b.spared(globs), When: when}
	r.Message = "Leave " + strings.Join(names, ", ") + " to the user, or make the change where the line says."
	if slices.Contains(globs, ".env.*") {
		r.Exclude = append(r.Exclude, "*.example", "*.sample", "*.template")
	}
	r.why = "It stops " + verb + " " + strings.Join(names, ", ") + "."
	for _, g := range globs[:min(len(globs), 4)] {
		r.Tests = append(r.Tests, stops(test(sample(g))))
	}
	r.Tests = append(r.Tests, passes(test(other(globs))))
	return []ruleFile{r}
}

// thereOnly is a sentence about the files of a folder that another one names.
var thereOnly = lazy.Regexp{Source: `\b(?:under|in|inside|within|below) (?:that|this|the same) (?:tree|folder|directory|path|package|module)\b`}

// writes forbids changes of files.
func (b *builder) writes() []ruleFile {
	b.goesInside()
	return b.onPaths("", "changes of", func(p string) ruleCase { return ruleCase{Write: p, Content: "x"} })
}

// creates forbids new files.
func (b *builder) creates() []ruleFile {
	if b.ofGenerated() || b.bansParts() {
		return nil
	}
	b.inPlace()
	list := b.onPaths(`not exists and operation in ["create", "overwrite"]`, "new files at", func(p string) ruleCase { return ruleCase{Write: p, Content: "x"} })
	b.ofOneFramework(list)
	return list
}

// keys forbids changes of one key of a file.
func (b *builder) keys() []ruleFile {
	key := b.hit.slots["word"]
	if t := b.hit.terms("key"); len(t) > 0 {
		key = strings.Trim(t[0].text, `"':`)
	}
	if !regexp.MustCompile(`^[\w.-]+$`).MatchString(key) {
		return nil
	}
	list := b.onPaths(fmt.Sprintf(`content matches "[\"']?\\b%s[\"']?\\s*[:=]"`, regexp.QuoteMeta(key)), "changes of "+key+" in", func(p string) ruleCase {
		return ruleCase{Write: p, Old: "a", Content: key + ": 2"}
	})
	for i := range list {
		list[i].ID += " " + key
		list[i].Tests = append(list[i].Tests, passes(ruleCase{Write: list[i].Tests[0].Write, Old: "a", Content: "other: 2"}))
	}
	return list
}

// kinds forbids changes of files of a kind.
func (b *builder) kinds() []ruleFile {
	said := b.hit.slots["kind"]
	i := slices.IndexFunc(forms().Kinds, func(k kind) bool { return k.words.MatchString(said) })
	if i < 0 {
		return nil
	}
	if named := b.filesNamed(); named != "" {
		b.hit.slots["path"] = named
		return b.writes()
	}
	k := forms().Kinds[i]
	r := ruleFile{ID: said, Trigger: "file_write", Scope: k.Files, When: k.When, Message: k.Message}
	r.why = "It stops changes of " + said + "."
	for _, p := range k.Examples {
		r.Tests = append(r.Tests, stops(ruleCase{Write: p, Old: "a", Content: "b"}))
	}
	if k.When != "" {
		r.Tests = append(r.Tests, passes(ruleCase{Write: k.Examples[0], Content: "x"}))
	}
	r.Tests = append(r.Tests, passes(ruleCase{Write: "src/a.ts", Content: "x"}))
	return []ruleFile{r}
}

// placement forbids new files of a kind outside of the folders where they belong.
func (b *builder) placement() []ruleFile {
	globs, names := b.paths("path")
	list := b.kinds()
	if len(list) == 0 || len(globs) == 0 || !strings.HasSuffix(globs[0], "/**") || someTests.Get().MatchString(b.s.heading()) {
		return nil
	}
	r := &list[0]
	if !strings.HasPrefix(globs[0], "**/") && len(names) > 0 && !strings.Contains(strings.TrimSuffix(names[0], "/"), "/") {
		globs = append(globs, mapped(globs, func(g string) string { return "**/" + g })...) // in each package
	}
	r.Exclude, r.When, r.Message = globs, `not exists and operation in ["create", "overwrite"]`, "Put it into "+strings.Join(names, " or ")+"."
	r.why = "It stops new " + r.ID + " outside of " + strings.Join(names, ", ") + "."
	stray := strings.Replace(path.Base(list[0].Tests[0].Write), "*", "a", 1)
	r.Tests = []ruleCase{stops(ruleCase{Write: "elsewhere/" + stray, Content: "x"}), passes(ruleCase{Write: strings.TrimSuffix(sample(globs[0]), "a.txt") + stray, Content: "x"}), passes(ruleCase{Write: "elsewhere/a.bin", Content: "x"})}
	return list
}

// links forbids writes through a link.
func (b *builder) links() []ruleFile {
	list := b.writes()
	if to := b.hit.terms("to"); len(list) > 0 && len(to) > 0 {
		list[0].Message = "It is a link: change " + to[0].text + "."
		for i, g := range list[0].Scope {
			if !strings.Contains(g, "/") {
				list[0].Scope[i] = "./" + g // the one in the project's folder
			}
		}
	}
	return list
}

// ofPython is a sentence about packages that package.json does not name.
var ofPython = lazy.Regexp{Source: `(?i)\b(?:python|pip|pyproject|requirements|cargo|crates?|go\.mod|gems?|nuget)\b|==`}

// pins forbids ranges of versions.
func (b *builder) pins() []ruleFile {
	if has(b.hit.phrase.words, "p") && !strings.Contains(strings.ToLower(b.quote), "package.json") {
		return nil // it is about another file
	}
	if ofPython.Get().MatchString(b.quote) || b.ofOthersVersions() {
		return nil
	}
	r := ruleFile{Trigger: "file_write", Scope: []string{"package.json"}, When: "content matches `\"\\s*:\\s*\"[\\^~]\\d`", Message: "Give the exact version."}
	r.why = "It stops ranges of versions in package.json."
	r.Tests = []ruleCase{stops(ruleCase{Write: "package.json", Old: "a", Content: `"left-pad": "^1.3.0"`}), passes(ruleCase{Write: "package.json", Old: "a", Content: `"left-pad": "1.3.0"`}), passes(ruleCase{Write: "src/a.ts", Content: "x"})}
	return []ruleFile{r}
}

// root forbids new files at the top of the project.
func (b *builder) root() []ruleFile {
	r := ruleFile{Trigger: "file_write", When: `not exists and operation in ["create", "overwrite"] and not (path contains "/")`, Message: "Put the file into the folder where it belongs."}
	r.why = "It stops new files at the top of the project."
	r.Tests = []ruleCase{stops(ruleCase{Write: "notes.md", Content: "x"}), passes(ruleCase{Write: "docs/notes.md", Content: "x"}), passes(ruleCase{Write: "package.json", Old: "a", Content: "b"})}
	return []ruleFile{r}
}

// newFiles warns of new files: whether one is needed a call does not show.
func (b *builder) newFiles() []ruleFile {
	r := ruleFile{Trigger: "file_write", When: `not exists and operation in ["create", "overwrite"]`, Message: "See whether a file that is there will do."}
	r.why = "It stops new files."
	r.Tests = []ruleCase{stops(ruleCase{Write: "src/a.ts", Content: "x"}), passes(ruleCase{Write: "src/a.ts", Old: "a", Content: "b"}), passes(ruleCase{Bash: "ls -l"})}
	return []ruleFile{r}
}

// documents forbids new documents.
func (b *builder) documents() []ruleFile {
	r := ruleFile{Trigger: "file_write", Scope: []string{"**/*.{md,mdx,rst}"}, When: `not exists and operation in ["create", "overwrite"]`, Message: "Change a document that is there, or tell the user what you would write."}
	r.why = "It stops new documents."
	r.Tests = []ruleCase{stops(ruleCase{Write: "docs/plan.md", Content: "x"}), passes(ruleCase{Write: "README.md", Old: "a", Content: "b"}), passes(ruleCase{Write: "src/a.ts", Content: "x"})}
	return []ruleFile{r}
}

// deletes forbids that files go.
func (b *builder) deletes() []ruleFile {
	if list := b.kinds(); len(list) == 1 {
		r := &list[0]
		r.When, r.Message, r.why = `operation in ["delete", "move"]`, "Mend the code, or ask.", "It asks before files of "+r.ID+" are deleted."
		p := r.Tests[0].Write
		r.Tests = []ruleCase{stops(ruleCase{Bash: "rm " + p}), passes(ruleCase{Bash: "rm src/a.ts"}), passes(ruleCase{Write: p, Content: "x"})}
		return list
	}
	return b.onPaths(`operation in ["delete", "move"]`, "the deletion of", func(p string) ruleCase { return ruleCase{Bash: "rm " + p} })
}

// reads forbids that files are read.
func (b *builder) reads() []ruleFile {
	list := b.onPaths("", "reading", func(p string) ruleCase { return ruleCase{Read: p} })
	for i := range list {
		list[i].Trigger, list[i].Exclude = "file_read", []string{"*.example", "*.sample"}
	}
	return list
}

// stages forbids that files are committed.
func (b *builder) stages() []ruleFile {
	globs, names := b.paths("path")
	if act := b.termOf(b.hit.slots["act"]).text; len(globs) == 0 || b.ofOtherAct() || b.ofSpelling() || b.hit.slots["act"] != "" && act != "commit" {
		return nil
	}
	var tests, conditions []string
	for _, g := range globs {
		if !strings.Contains(g, "/") {
			g = "**/" + g
		}
		conditions = append(conditions, fmt.Sprintf("glob(#, %q)", g))
		tests = append(tests, sample(g))
	}
	r := ruleFile{ID: strings.Join(names, " "), Trigger: "bash", Scope: []string{"git add *", "git stage *"}}
	r.When = fmt.Sprintf("any(cmd.operands, (%s) and not (# endsWith \".example\" or # endsWith \".sample\"))", strings.Join(conditions, " or "))
	r.Message = "Leave " + strings.Join(names, ", ") + " out of the commit."
	r.why = "It stops `git add` of " + strings.Join(names, ", ") + "."
	for _, p := range tests {
		r.Tests = append(r.Tests, stops(ruleCase{Bash: "git add " + p}))
	}
	r.Tests = append(r.Tests, passes(ruleCase{Bash: "git add " + other(globs)}), passes(ruleCase{Bash: "git status"}))
	return []ruleFile{r}
}

// secretText has a token in it, for cases.
const secretText = `token = "ghp_x7Kq9mZ2vB4nR8tW1yC5eL3uA6sD0fGhJkPo"`

// secrets forbids secrets in files.
func (b *builder) secrets() []ruleFile {
	if b.tellsOfSecrets() {
		return nil
	}
	r := ruleFile{ID: "in files", Trigger: "file_write", Exclude: []string{"**/{test,tests,testdata,fixtures,__tests__}/**", "**/.env", "**/.env.local", "**/.env.*.local"}, When: "len(secrets(content)) > 0"}
	r.Message = "Take the secret from the environment."
	r.why = "It stops files with a key, a token or a password in them."
	if _, behind, _ := strings.Cut(b.hit.phrase.words, " in ‹p"); behind != "" { // in these files
		if list, _ := b.paths("in"); len(list) > 0 {
			r.Scope, r.Exclude = list, nil
			p := sample(list[0])
			r.Tests = []ruleCase{stops(ruleCase{Write: p, Content: secretText}), passes(ruleCase{Write: p, Content: "token = process.env.TOKEN"}), passes(ruleCase{Write: other(list), Content: secretText})}
			return []ruleFile{r}
		}
	}
	r.Tests = []ruleCase{stops(ruleCase{Write: "src/config.ts", Content: secretText}), passes(ruleCase{Write: "src/config.ts", Content: "token = process.env.TOKEN"}),
		passes(ruleCase{Write: "tests/config.ts", Content: secretText}), passes(ruleCase{Write: ".env", Content: secretText})}
	return []ruleFile{r}
}

// documents are files in which a name of code is only mentioned.
var documents = []string{"**/*.md", "**/*.mdx", "**/*.mdc", "**/*.txt", "**/*.rst"}

var (
	identifier = lazy.Regexp{Source: `^[\w$]`}
	hyphened   = lazy.Regexp{Source: `^:|^[a-z\d]+(?:-[a-z\d]+)+$`} // names in style sheets and the like
	lastWord   = lazy.Regexp{Source: `[\w$]$`}
	// codelike is a name that is hardly a word: with an upper-case letter behind another, a dot, an underscore …
	arguments    = lazy.Regexp{Source: `\\\([\w, ]*\\\)$`}
	absolute     = lazy.Regexp{Source: `^/[\w.-]+/[\w./-]+/?$`}
	labels       = lazy.Regexp{Source: `^(?:\w+:)+$`}
	slashCommand = lazy.Regexp{Source: `^/[a-z][\w-]*$`}
	sampleCode   = lazy.Regexp{Source: `\b(?:foo|bar|baz)\b.*\W|\W(?:foo|baz)\b`}
	anyPart      = lazy.Regexp{Source: `^[@\w./*-]*\*[\w./*-]*$`}
	toolWith     = lazy.Regexp{Source: `^\w+\(\w+ ?[=:]`}
	toolCall     = lazy.Regexp{Source: `^[a-z][a-z0-9]*(?:_[a-z0-9]+)+\(`}
	codelike     = lazy.Regexp{Source: `[a-z][A-Z]|[A-Z]{2}|[_.:(@#/$!=<>{\[]|\d`}
	package_     = lazy.Regexp{Source: `^@?[a-z][a-z0-9-]*(?:/[a-z0-9-]+)?$`}
)

// content forbids names in what is written.
func (b *builder) content() (list []ruleFile) {
	if !b.aboutCode() {
		return nil
	}
	if b.ofSettingsPart() {
		return b.partsIn()
	}
	if b.hit.severity == "block" && (b.inRole() || slices.ContainsFunc(b.hit.terms("deny"), func(t term) bool { return everyMember.Get().MatchString(t.text) || b.wantedElsewhere(t.text) })) {
		b.hit.severity = reminder
	}
	homes := b.homes()
	if len(b.within()) > 0 {
		homes = nil
	}
	for i, t := range append(b.hit.terms("deny"), term{text: b.hit.form.Act}) {
		if refused.Get().MatchString(b.s.Text) && strings.Contains(t.text, " ") {
			continue // an example
		}
		if r, ok := b.banned(anyValued(strings.TrimSuffix(strings.TrimSpace(t.text), ";"))); ok {
			r.Exclude, r.Message = append(slices.Clone(r.Exclude), homes...), b.withUnless(b.instead(i))
			list = append(list, r)
		}
	}
	return list
}

var (
	// notCode are headings and sentences about something else than the text of a file.
	notCode = lazy.Regexp{Source: `(?i)\b(?:commits?|commit messages?|conventional|pull requests?|prs?|branch(?:es)?|search\w*|quer(?:y|ies) because|package names to queries|issues?|releases?|chat|replies|answers?|git|naming branches|terminal|shell|security practices)\b`}
	// general is the title of a list that is about all code.
	general = lazy.Regexp{Source: `(?i)\b(?:style|rules?|guidelines?|conventions?|code|coding|typescript|javascript|python|rust|go|swift|java|kotlin|avoid|never|don['’]?t|do not|not|must|always|follow\w*|general|practices?|standards?|imports?|types?|important|critical|patterns?|constraints?|requirements?|principles?|forbidden|prohibited|banned|instead|tests?|testing|these|particular|idioms?|guidance)\b`}
	// allowed is a sentence that permits a name in some places.
	allowed = lazy.Regexp{Source: `\b(?:only (?:when|if|for|in|as|where|inside)|except|allowed|acceptable|fine|unless|is ok|(?:may|can) (?:still )?be (?:used|run|called))\b`}
)

// nameOf goes on with what a word is a name for.
var nameOf = lazy.Regexp{Source: `^(?:,? (?:or|and) [\w ,-]{2,40}?)? ?(?:as )?(?:an? |the )?(?:\w+ ){0,2}(?:names?|naming|prefix(?:es)?|suffix(?:es)?)\b`}

// aboutCode reports whether the sentence is about what files say, whatever they are for.
func (b *builder) aboutCode() bool {
	heading := b.s.heading()
	if notCode.Get().MatchString(heading) || notCode.Get().MatchString(b.s.Lead) || notCode.Get().MatchString(plain(b.quote)) {
		return false
	}
	for i := range b.s.phrases { // the sentence goes on about the files of another
		if p := &b.s.phrases[i]; p.quote != b.quote && inPart.Get().MatchString(p.words) || strings.Contains(b.hit.slots["deny"], "+") {
			return false
		}
	}
	if _, behind, _ := strings.Cut(b.hit.phrase.words, b.hit.slots["deny"]); nameOf.Get().MatchString(behind) || described(b.hit.phrase.words) || b.ofHabit() || ofFiles.Get().MatchString(b.hit.phrase.words) {
		return false
	}
	return b.s.Lead == "" || b.above.dir != "" || general.Get().MatchString(b.s.Lead) || !strings.HasSuffix(strings.TrimRight(b.s.Lead, "* "), ":")
}

// permitted reports whether another sentence of the statement lets a name be used.
func (b *builder) permitted(t string) bool {
	return slices.ContainsFunc(b.s.phrases, func(p phrase) bool {
		return p.quote != b.quote && allowed.Get().MatchString(p.words) && strings.Contains(p.quote, "`"+t+"`")
	})
}

// anyArguments are those of a call or an attribute: print(...), #[allow(...)].
const anyArguments = "(...)"

// attribute is the beginning of one of Rust's.
var attribute = lazy.Regexp{Source: `^#!?\[`}

// written is how a name is found in a text, with one that is found.
func written(t string) (pattern, shown string) {
	if front, _, ok := strings.Cut(t, anyArguments); ok {
		pattern, shown = written(front + "(")
		return pattern, shown + "x)"
	}
	pattern, shown = regexp.QuoteMeta(t), t
	if anyPart.Get().MatchString(t) { // a path with any part
		pattern, shown = strings.ReplaceAll(pattern, `\*`, `[\w.-]+`), strings.ReplaceAll(t, "*", "x")
	}
	if identifier.Get().MatchString(t) {
		pattern = `(^|[^\w$])` + pattern
	}
	if at := arguments.Get().FindStringIndex(pattern); at != nil && strings.HasSuffix(pattern[:at[0]], " ") { // a keyword, and a name may come behind the type
		pattern = strings.TrimSuffix(pattern, `\)`) + `\b`
	} else if at != nil && !ofOneValue.Get().MatchString(t) { // with any
		pattern = pattern[:at[0]] + `\(`
	}
	if strings.HasSuffix(t, ":)") { // labels, whose values the text leaves out
		pattern, shown = strings.TrimSuffix(pattern, `\)`), strings.TrimSuffix(strings.ReplaceAll(shown, ":", ": x, "), ", )")+")"
		if name, of, _ := strings.Cut(pattern, `\(`); labels.Get().MatchString(of) {
			pattern = name + `\(` + strings.ReplaceAll(strings.TrimSuffix(of, ":"), ":", `\b[^)]*\b`)
		}
	}
	switch {
	case lastWord.Get().MatchString(t) && hyphened.Get().MatchString(t): // :focus is not :focus-within
		pattern += `($|[^\w$-])`
	case lastWord.Get().MatchString(t):
		pattern += `($|[^\w$])`
	}
	return pattern, shown
}

// joint is a sign between the parts of a name.
var joint = lazy.Regexp{Source: `^[/:.@-]`}

// besides is a pattern of a name without the wanted name that has it as its beginning or its
// end.
func besides(pattern, t, wanted string) string {
	at := strings.Index(wanted, t)
	if at < 0 {
		return pattern
	}
	behind := joint.Get().FindString(wanted[at+len(t):])
	if rest, ok := strings.CutPrefix(pattern, `(^|[^\w$])`); ok && at > 0 {
		pattern = `(^|[^\w$` + joint.Get().FindString(wanted[at-1:]) + `])` + rest
	}
	if front, ok := strings.CutSuffix(pattern, `($|[^\w$])`); ok {
		pattern = front + `($|[^\w$` + behind + `])`
	}
	return pattern
}

// forbidden is a rule about one name.
func (b *builder) forbidden(t string) (r ruleFile, ok bool) {
	use := b.hit.terms("use")
	r = ruleFile{ID: t, Trigger: "file_write"}
	r.why = "It stops files in which " + t + " is written."
	bare := strings.TrimSuffix(t, "()")
	within := b.within()
	if w := b.knownAs(t, bare, len(within) > 0); w != nil {
		if len(within) > 0 {
			w.Files = within
		} else if w.Files == nil {
			return r, false
		}
		everywhere := w.Files[0] == "**/*.*" && b.above.dir == ""
		w.Files = b.below(w.Files)
		r.Scope, r.When = w.Files, "content matches `"+w.Pattern+"`"
		p := sample(w.Files[0])
		r.Tests = []ruleCase{stops(ruleCase{Write: p, Content: w.Bad}), passes(ruleCase{Write: p, Content: w.Good}), passes(ruleCase{Write: "README.md", Content: w.Bad})}
		if everywhere {
			r.Scope, r.Exclude = nil, documents
		}
		b.exceptTests(&r)
		return r, true
	}
	if absolute.Get().MatchString(t) && !strings.Contains(b.hit.phrase.words, "cod") { // a place that is not to be gone to
		return r, false
	}
	if b.ofAgentTool(t) || slashCommand.Get().MatchString(t) || sampleCode.Get().MatchString(t) || toolWith.Get().MatchString(t) { // more often a tool of the agent than code
		return r, false
	}
	if ofNestedClass.Get().MatchString(t) || setVariable.Get().MatchString(t) || b.permitted(t) || standsForAny(t) || strings.Count(t, " ") > 1 && !strings.ContainsAny(t, "(){}=;<>#@") || commitType.Get().MatchString(t) {
		return r, false
	}
	if plain := strings.Replace(t, anyArguments, "(", 1); len(t) < 3 || len(t) > 80 || strings.ContainsAny(t, "`…\n") || strings.Contains(plain, "...") ||
		!attribute.Get().MatchString(t) && placeholder.Get().MatchString(strings.Trim(plain, `"'`)) && !strings.HasPrefix(t, "\"") {
		return r, false
	}
	if _, _, ok := withHoles(t); !ok {
		return r, false
	}
	globs, p := b.filesWith(t)
	if heading := b.s.heading(); !tested.Get().MatchString(b.hit.phrase.words) && (b.ofAssertions(t) || inTests.Get().MatchString(b.hit.phrase.words) || inTests.Get().MatchString(strings.ToLower(heading)+":") || inTests.Get().MatchString(strings.ToLower(b.s.Lead))) {
		globs, p = b.testsBelow()
	}
	if len(within) > 0 {
		globs, p = within, sample(within[0])
	}
	good := "result = other(1)"
	if len(use) > 0 {
		good = use[0].text
	}
	switch {
	case codelike.Get().MatchString(t):
		pattern, shown := b.pattern(t)
		r.When = "content matches " + strconv.Quote(pattern)
		r.Scope = globs
		for _, s := range shown {
			r.Tests = append(r.Tests, stops(ruleCase{Write: p, Content: s}))
		}
		r.Tests = append(r.Tests, passes(ruleCase{Write: p, Content: good}), passes(ruleCase{Write: "README.md", Content: t}))
	case package_.Get().MatchString(t) && !common(t) && !b.namesPart(t) && !b.ofHelpers() && !packagers.Get().MatchString(t) && imported_.Get().MatchString(b.hit.phrase.words) && !directives.Get().MatchString(b.hit.phrase.words):
		name := regexp.QuoteMeta(t)
		r.ID, r.why = "package "+t, "It stops imports of "+t+", and lines of manifests that name it."
		r.When = "content matches " + strconv.Quote(`(?m)^\s*(import|from|use|require|#include|extern crate)\s[^\n]*\b`+name+`\b|(from|require\(|import\()\s*["']`+name+`["'/]`) +
			"\n  or path matches `(^|/)(package\\.json|Gemfile|go\\.mod|[^/]+\\.toml)$` and content matches " + strconv.Quote(`(?m)^\s*["']?`+name+`["']?\s*[:=]\s*[{"'^~\d]`)
		r.Exclude = documents
		if len(within) > 0 {
			if b.formed("imports") {
				return r, false
			}
			r.Scope, r.Exclude = within, nil
			r.Tests = []ruleCase{stops(ruleCase{Write: p, Content: fmt.Sprintf("import x from %q", t)}), passes(ruleCase{Write: p, Content: "import x from \"other\""}), passes(ruleCase{Write: "elsewhere/a.ts", Content: fmt.Sprintf("import x from %q", t)})}
			break
		}
		r.Tests = []ruleCase{stops(ruleCase{Write: "package.json", Content: fmt.Sprintf("  %q: \"^1.0.0\"", t)}), stops(ruleCase{Write: "src/a.ts", Content: fmt.Sprintf("import x from %q", t)}),
			passes(ruleCase{Write: "src/a.ts", Content: "import x from \"other\""}), passes(ruleCase{Write: "README.md", Content: "import " + t})}
	case package_.Get().MatchString(t) && len(t) > 5 && !common(t) && directives.Get().MatchString(b.hit.phrase.words):
		r.When, r.Exclude = "content matches `\\b"+regexp.QuoteMeta(t)+"\\b`", documents
		r.Tests = []ruleCase{stops(ruleCase{Write: "src/a.ts", Content: "/* " + t + " */"}), passes(ruleCase{Write: "src/a.ts", Content: "other"}), passes(ruleCase{Write: "README.md", Content: t})}
	default:
		return r, false
	}
	b.exceptTests(&r)
	return r, true
}

// exceptTests leaves out files of tests, where the line does not hold in them. Rust's unit
// tests are in the files that they test, so a rule about those only warns.
func (b *builder) exceptTests(r *ruleFile) {
	if !tested.Get().MatchString(b.hit.phrase.words) {
		return
	}
	r.Exclude = append(slices.Clone(r.Exclude), ofTests()...)
	if b.hit.severity == "block" && slices.ContainsFunc(r.Scope, func(g string) bool { return strings.HasSuffix(g, ".rs") }) {
		b.hit.severity = reminder
	}
}

var (
	inTests = lazy.Regexp{Source: `\bin (?:(?:the|all|any|your|new|unit|integration|e2e|end-to-end|component|functional|api|snapshot|ui) )*(?:tests?|specs?)\b|^[^:‹]{0,40}\btest(?:s|ing)?\b[^:‹]{0,20}:`}
	// commitType begins the message of a commit.
	commitType = lazy.Regexp{Source: `^(?:` + types + `):$`}
)

// testFiles are the files of tests.
func testFiles() []string {
	i := slices.IndexFunc(forms().Kinds, func(k kind) bool { return k.words.MatchString("tests") })
	return forms().Kinds[i].Files
}

var (
	// imported_ is a sentence about what a program is built from.
	imported_  = lazy.Regexp{Source: `\b(?:import|depend|install|add|mix|introduce|package|library|libraries|dependency|dependencies)|(?:\buse|\bprefer)\b[^‹]*‹[tc]\d+›[^‹]*(?:instead|over|not|rather|never)\b|\buse ‹[tc]\d+› instead|‹t\d+›; use ‹`}
	directives = lazy.Regexp{Source: `\b(?:comments?|statements?|directives?|leave|disable)\b`}
	// tested is a line that does not hold in tests.
	tested = lazy.Regexp{Source: `\b(?:production|prod|library|non-test|application|app|shipped|released) (?:source )?(?:code|files?|targets?)\b|in production|\b(?:except|unless|outside|other than|apart from|but not)\b[^.;,]{0,12}\btests?\b`}
)
