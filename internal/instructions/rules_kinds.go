package instructions

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A line may say in brackets, or by a word behind, which things of a kind it means.

var (
	// inBrackets are the names in brackets behind another one.
	inBrackets = lazy.Regexp{Source: `^ ?\((?:e\.g\.,? |such as |like |i\.e\.,? )?((?:‹[act]\d+›|force push(?:es|ing)?|,|/|and|or|etc\.?| )+)\)`}
	// ofGitAlone is a command of git without the program.
	ofGitAlone = lazy.Regexp{Source: `^(?:restore|revert|reset|clean|checkout|switch|stash|rebase|push|branch|merge|rm|filter-branch|update-ref|reflog)(?: [\w./-]+)*$`}
	// byQuality goes on with what is true of dependencies that no call shows.
	byQuality = lazy.Regexp{Source: `^ (?:with (?:known|open|critical|security|unpatched|incompatible|copyleft|gpl)\b|for (?:\d+|a few|one|two|trivial|simple|small) |that (?:are|is|have|has) (?:un|known |no longer ))`}
)

// spelledOutActs are names with the commands in the place of an act that the line lists them for: "no
// destructive git commands (‹restore›, ‹clean›)".
func (b *builder) spelledOutActs(list []sentence.Term) (all []sentence.Term) {
	behind, _ := b.after("deny")
	for _, t := range list {
		m := inBrackets.Get().FindStringSubmatch(behind)
		var own []sentence.Term
		if m != nil && t.Kind == 'a' && t.Text == "destructive" && ofGit.Get().MatchString(b.quote) {
			for _, o := range b.hit.Phrase.TermsIn(m[1]) {
				switch {
				case o.Kind == 'a', o.Kind == sentence.Command && strings.HasPrefix(o.Text, "git "):
					own = append(own, o)
				case ofGitAlone.Get().MatchString(o.Text):
					own = append(own, sentence.CommandTerm("git "+o.Text))
				}
			}
		}
		if len(own) < 2 {
			own = []sentence.Term{t}
		}
		all = append(all, own...)
	}
	return all
}

// judgedByQuality reports whether a line is about dependencies of a quality that no call shows.
func (b *builder) judgedByQuality() bool {
	behind, _ := b.after("deny")
	return byQuality.Get().MatchString(behind) && slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return t.Kind == 'a' && t.Text == "dependencies" })
}

// schemaFiles are those that a schema of data is written in.
var schemaFiles = []string{"**/*.prisma", "**/schema.*", "**/schemas/**", "**/schema/**", "**/models/**", "**/Models/**", "**/models.*", "**/entities/**"}

// ofSchema reports whether a line wants migrations for changes of a schema.
func (b *builder) ofSchema() bool {
	return b.hit.Form.Name == "needs-with" && strings.HasPrefix(b.hit.Slots["what"], "migration")
}

var (
	// doneBesides goes on with what has to be done besides.
	doneBesides = lazy.Regexp{Source: `^[^.;:]* without (?:\w+ly )?(?:restor|clos|releas|clean|check|handl|wrapp|escap|sanitiz|validat|await|catch|unsubscrib|remov|dispos|free|reset|test|document|updat|also )\w*`}
	// typeInFull is a type of C# with its namespace, which code that calls it seldom writes out.
	typeInFull = lazy.Regexp{Source: `^System(?:\.[A-Z]\w*){2,}$`}
	callsOf    = lazy.Regexp{Source: `^ (?:calls?|methods?|functions?)\b`}
	// nameAlone is a name that is only forbidden without what another one adds to it.
	nameAlone = lazy.Regexp{Source: `\b(?:bare|plain|naked) ‹t\d+›`}
	// productName is a capitalised word, as a product has it.
	productName = lazy.Regexp{Source: `^[A-Z][A-Za-z]*$`}
	// noFirst matches a sentence that begins with "no".
	noFirst = lazy.Regexp{Source: `^\W*no `}
	// sayNone matches "no X".
	sayNone = lazy.Regexp{Source: `(?:^|[\W_])no ‹t\d+›`}
)

// ofProducts reports whether a line says in plain words that a thing is not used or not there, or what a
// name in code belongs to.
func (b *builder) ofProducts(t sentence.Term) bool {
	if strings.Contains(b.quote, "`"+t.Text+"`") {
		return false
	}
	if _, behind, ok := strings.Cut(b.quote, t.Text); ok && strings.HasPrefix(behind, " `") {
		return true
	}
	return productName.Get().MatchString(t.Text) && sayNone.Get().MatchString(b.hit.Phrase.Words) && !noFirst.Get().MatchString(b.hit.Phrase.Words) && b.knownAs(t.Text, t.Text, true) == nil
}

var (
	// writesKind forbids to write files of a kind, which is to make them.
	writesKind = lazy.Regexp{Source: `\b(?:never|not|don't|avoid) (?:ever )?writ(?:e|ing) (?:any |new |plain |raw )*$`}
	// intoFile are secrets that are not to be put into a file, in front of its name.
	intoFile = lazy.Regexp{Source: `\b(?:secrets?|credentials?|passwords?|tokens?|api[- ]keys?)(?: values?| keys?)?(?: directly)? (?:in|into|to|inside|within) (?:the |any |your )*$`}
)

// newOnly reports whether a sentence forbids new files of an ending.
func (b *builder) newOnly() bool {
	before, _, ok := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["path"]))
	return ok && writesKind.Get().MatchString(before) && !slices.ContainsFunc(b.hit.Terms("path"), func(t sentence.Term) bool { return !sentence.BareEnding.Get().MatchString(t.Text) })
}

// secretsInto reports whether a sentence only forbids secrets in files.
func (b *builder) secretsInto() bool {
	before, _, ok := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["path"]))
	return ok && intoFile.Get().MatchString(before)
}

// allLinters are words for checks of all kinds.
var allLinters = lazy.Regexp{Source: `\blint(?:ers?|ing|s)?\b|\btype[ -]?(?:check|error|ignore)|\b(?:checks|warnings|compiler)\b`}

// suppressions are the texts that switch off the checks of a linter, by the words for it, with one of each.
func suppressions() [][3]string {
	return [][3]string{
		{"eslint", `\beslint-disable`, "// eslint-disable-next-line"}, {"biome", `\bbiome-ignore`, "// biome-ignore lint: x"}, {"oxlint", `\b(?:ox|es)lint-disable`, "// oxlint-disable-next-line"},
		{"stylelint", `\bstylelint-disable`, "/* stylelint-disable */"}, {"typescript|tsc", `@ts-(?:ignore|nocheck|expect-error)\b`, "// @ts-ignore"}, {"mypy|pyright", `#\s*(?:type|pyright|mypy):\s*ignore`, "x = 1  # type: ignore"},
		{"ruff|flake8", `#\s*(?:ruff: )?noqa\b`, "x = 1  # noqa"}, {"pylint", `\bpylint:\s*disable`, "# pylint: disable=x"}, {"rubocop", `\brubocop:\s*disable`, "# rubocop:disable x"}, {"clippy", `#!?\[allow\(`, "#[allow(clippy::x)]"},
		{"swiftlint", `\bswiftlint:\s*disable`, "// swiftlint:disable x"}, {"ktlint|detekt", `@Suppress\(|\bktlint-disable`, "@Suppress(\"x\")"}, {"golangci(?:-lint)?|nolint", `//\s*nolint`, "x() //nolint"},
		{"phpstan", `@phpstan-ignore`, "// @phpstan-ignore-next-line"}, {"shellcheck", `\bshellcheck\s+disable`, "# shellcheck disable=SC1"},
	}
}

// ofOneLinter is what switches off checks, of the linters alone that the line names.
func (b *builder) ofOneLinter(w *forms.Writing) *forms.Writing {
	if b.hit.Form.Name != "no-suppress" || allLinters.Get().MatchString(b.hit.Phrase.Words) {
		return w
	}
	own := *w
	var patterns []string
	for _, s := range suppressions() {
		if regexp.MustCompile(`(?i)\b(?:` + s[0] + `)\b`).MatchString(b.quote) {
			patterns, own.Bad = append(patterns, s[1]), s[2]
		}
	}
	if len(patterns) == 0 {
		return w
	}
	own.Pattern = strings.Join(patterns, "|")
	return &own
}

var (
	// workInCode is work that code is written in.
	workInCode = lazy.Regexp{Source: `\b(?:code|coding|implement\w*|refactor\w*|functions?|class(?:es)?|components?|modules?)\b`}
	// notCodeAlone is a word for work on other files.
	notCodeAlone = lazy.Regexp{Source: `\b(?:docs?|documentation|any(?:thing)?|configs?|configuration|settings|specs?)\b`}
	// anyCode is code of all kinds, and nothing besides.
	anyCode = lazy.Regexp{Source: `\bany (?:new |more |source )?code\b`}
)

// filesOfWork are the files that words name the work on: those of a language, or of code. None are all.
func (b *builder) filesOfWork(words string) []string {
	if of, _ := survey.FilesOf(survey.LanguagesIn(words)); len(of) > 0 {
		return b.below(of)
	}
	if workInCode.Get().MatchString(words) && !notCodeAlone.Get().MatchString(anyCode.Get().ReplaceAllString(words, "code")) {
		of, _ := b.codeFiles()
		return of
	}
	return nil
}

// bothPut is something new that a line wants in two files.
var bothPut = lazy.Regexp{Source: `(?:^|[.;] ?)((?:all |any |every |each )?(?:new|added) [\w -]{3,40}?) (?:must|should|have to|has to|needs? to|goes?|belongs?)\b`}

// bothNew is what a line about two files is about, where that is something new: "" for each change.
func (b *builder) bothNew() string {
	if m := bothPut.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil && b.hit.Form.Rule == "also" && b.hit.Form.Name != "also" {
		return m[1]
	}
	return ""
}

// deniesProgram reports whether another line of the project's files forbids a program, which no line about
// what to run asks for then.
func (b *builder) deniesProgram(cmd string) bool {
	words := strings.Fields(cmd)
	return b.p != nil && len(words) > 0 && (b.p.Refused[words[0]] || b.p.Refused[strings.Join(words[:min(len(words), 2)], " ")])
}

// inOtherLanguage reports whether a rule about text is about files that the folder of the line, which has
// sources of its own, has none of.
func (b *builder) inOtherLanguage(r *ruletext.Rule) bool {
	dir, areas := b.s.OfFolder(), b.areas()
	return r.Trigger == "file_write" && b.hit.Form.Rule == "content" && dir != "" && len(areas) > 0 && b.p.SourcesBelow(dir) && b.elsewhereOnly(r.Scope, r.Exclude, areas)
}

// inPlainCode is a name with its types or what it is called with, or a method: a comment only mentions it.
var inPlainCode = lazy.Regexp{Source: `^(?:[A-Za-z_$]|[.#][a-z_])[\w$]*[?!]?(?:(?:\.|::)[\w$]+)*(?:<[^<>]*>?)?(?:\(.*\))?$`}

// codeFront is the part of a line in front of a name, with no comment in it.
const codeFront = `(?m)^(?:[ \t]*|[ \t]*(?:[^\s/#*-]|/[^/*\n]|#[^\s#!]|\*[^\s/]|-[^-\n])(?:[^\s/#]|/[^/\n]|:/+|[ \t]+(?:[^\s/#]|/[^/*\n]|#[^\s#]))*?[ \t]*)`

// besideComments returns a pattern of a name that does not match in comments, and comments with the name
// for cases. A line about comments, or about what is written in them, keeps its pattern.
func (b *builder) besideComments(t, pattern string) (of string, comments []string) {
	if !inPlainCode.Get().MatchString(t) || strings.Contains(pattern, "(?<") || directives.Get().MatchString(b.hit.Phrase.Words) || suppression.Get().MatchString(t) {
		return pattern, nil
	}
	return besideComment(pattern), []string{"// see " + strings.ReplaceAll(t, "...", "") + "\n", "# see " + strings.ReplaceAll(t, "...", "") + "\n"}
}

// besideComment is a pattern that does not match in comments.
func besideComment(pattern string) string { return codeFront + "(?<code>" + pattern + ")" }

// kinds forbids changes of files of a kind.
func (b *builder) kinds() []ruletext.Rule {
	said := b.hit.Slots["kind"]
	k := forms.KindCalled(said)
	if k == nil {
		return nil
	}
	if _, behind, _ := strings.Cut(b.hit.Phrase.Words, said); b.hit.Form.Rule == "kinds" && ofOneFolder.Get().MatchString(behind) {
		return nil // the folder says which they are
	}
	if named := b.filesNamed(); named != "" {
		b.hit.Slots["path"] = named
		return b.writes()
	}
	if (b.s.Block == markdown.Heading || strings.HasSuffix(strings.TrimRight(b.s.Text, "*_ "), ":")) && slices.ContainsFunc(b.s.Items, func(item string) bool { return hasPath.Get().MatchString(sentence.NewPhrase(item).Words) }) {
		return nil // the list says which they are
	}
	if said == "generated" && !b.p.Holds(k.Files) || b.inOneFile(k, said) {
		return nil // what is generated here has other names
	}
	r := ruletext.Rule{ID: said, Trigger: "file_write", Scope: k.Files, When: k.When, Message: k.Message}
	r.Why = "It stops changes of " + said + "."
	for _, p := range k.Examples {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: p, Old: "a", Content: "b"}))
	}
	if k.When != "" {
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: k.Examples[0], Content: "x"}))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: "x"}))
	return []ruletext.Rule{r}
}

// inOneFile reports whether the things that a kind of files has are parts of a file in this project: the tree has
// no such files, and the section of the line names a file with the things.
func (b *builder) inOneFile(k *forms.Kind, said string) bool {
	if !b.p.Known() || b.p.HoldsBut(k.Files, nil) {
		return false
	}
	file, ok := b.shows()
	name := strings.TrimSuffix(said, "s")
	return ok && slices.ContainsFunc(file.Named(), func(n survey.NamedFile) bool {
		return strings.Contains(strings.ToLower(n.Text), name) && path.Ext(n.Name) != "" && !strings.HasSuffix(n.Name, ".md") && slices.Equal(n.Section, b.s.Section)
	})
}

// ofOneFolder goes on with the folder of the files in front.
var ofOneFolder = lazy.Regexp{Source: `^(?: (?:files?|code|outputs?|sources?|artifacts?))? (?:under|in|inside|below|within) (?:the )?‹p\d+›`}

// hasPath is an item that begins with the name of a file.
var hasPath = lazy.Regexp{Source: `^\W*‹p\d+›`}
