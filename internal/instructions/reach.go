package instructions

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A rule is about the files that its line is about: those of a language that the line, its
// heading, its file or its own code names.

// languagesOf are the languages that the statement is about: of its words, else of its label, the
// heading nearest to it, its file or the code in it.
func (b *builder) languagesOf(more ...string) (list []forms.Language) {
	texts := append([]string{shellRun.Get().ReplaceAllString(strings.Join(pathglob.Each(more, withoutScript), " "), " "), b.said("generic"), survey.Plain(ofAnother.Get().ReplaceAllString(b.hit.Phrase.Quote, "")), ownLabel(b.s.Text)}, labelOnly(b.s.Lead))
	if own := ownTask.Get().FindAllString(strings.ToLower(texts[0]), -1); len(own) > 0 { // the program has tasks for other languages besides
		texts[0] = ownTask.Get().ReplaceAllString(strings.Join(own, " "), "$1")
	}
	own := len(texts)
	for i := len(b.s.Section) - 1; i >= 0 && i >= len(b.s.Section)-2; i-- {
		texts = append(texts, b.s.Section[i])
	}
	texts = append(texts, fileTopic(b.s.File))
	for i, words := range texts {
		if list = survey.LanguagesIn(words); len(list) > 0 && (i < own || !ofProduct.Get().MatchString(words) || !b.p.MostlyOther(list, statement.DirOfFile(b.s.File))) {
			return list
		}
		if own := b.ownLanguage(words); own != nil && len(list) == 0 {
			return own
		}
	}
	list = nil
	for _, l := range forms.All().Languages {
		if l.Shape == nil || !l.Writes(b.hit.Terms("deny"), b.hit.Terms("use")) {
			continue
		}
		if len(l.Written) > 0 {
			l.Files = l.Written
		}
		if !b.p.Whole() || b.p.Holds(l.Files) {
			list = append(list, l)
		}
	}
	return list
}

// ownTask is the name of a task on the files of one language: "javafmtAll".
var ownTask = lazy.Regexp{Source: `\b(java|scala|kotlin|python|rust|swift)-?(?:fmt|format|lint|style|doc)(?:[\w:-]*)\b`}

// ofProduct is a title with the name of a product that others than programs in its language are about,
// or of what joins a language to another one.
var ofProduct = lazy.Regexp{Source: `(?i)\b(?:flutter|react|node(?:\.js)?|unity)\b|\b(?:glue|bindings?|bridge|engine|runtime|interop|embedding)\b`}

// shellRun is a script that a command runs, whose own language says little about the files that it is for.
var shellRun = lazy.Regexp{Source: `\b(?:bash|sh|zsh|(?:pwsh|powershell)(?: -\w+)*) \S+|\S+\.(?:sh|bash|dll|exe|jar)\b|\b(?:python3?|ruby|node|perl|php) (?:\S*/)?[\w.-]+\.(?:py|rb|[cm]?js|pl|php)\b`}

// withoutScript is a command without the script that it runs by its path.
func withoutScript(cmd string) string {
	if first, rest, _ := strings.Cut(cmd, " "); strings.Contains(first, "/") && path.Ext(first) != "" {
		return rest
	}
	return cmd
}

// ofAnother is a further thing to do, in a case of its own.
var ofAnother = lazy.Regexp{Source: `(?i),? and,? (?:if|when|whenever) [^.;]*`}

// labelFirst is the label that a statement begins with.
var labelFirst = lazy.Regexp{Source: `^[\W_]*([\w #+./-]{2,30}?)[*_]{0,2}:[*_]{0,2} `}

// ownLabel is the label of a statement: "" without one.
func ownLabel(s string) string {
	if m := labelFirst.Get().FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// fileTopic is what a file of rules is about by its name: "" for those of every topic.
func fileTopic(rel string) string {
	if !slices.ContainsFunc(folders, func(f [2]string) bool { return strings.HasPrefix(rel, f[0]) }) {
		return ""
	}
	base := strings.TrimSuffix(path.Base(rel), path.Ext(rel))
	return strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(base)
}

// ofCodeOnly is a condition about what only code has.
var ofCodeOnly = lazy.Regexp{Source: `\b(?:code|symbols?|functions?|methods?|class(?:es)?|structs?|interfaces?)\b`}

// editsSymbol is a case about changes of what code has, and makesNew is in one about new code, too.
var (
	editsSymbol = lazy.Regexp{Source: `\b(?:edit|modif|chang|refactor|renam|delet|remov|touch|alter)\w*\b[^.;]*\b(?:symbols?|functions?|methods?|class(?:es)?|structs?|interfaces?)\b`}
	makesNew    = lazy.Regexp{Source: `\b(?:add|creat|writ|implement|introduc|generat|new)\w*\b`}
)

// ofWhatIsThere reports whether a demand before the first write is about code that is there: a new file has
// no symbol yet.
func (b *builder) ofWhatIsThere(g *gate) bool {
	return g.trigger == "file_write" && b.has("first") && editsSymbol.Get().MatchString(b.hit.Phrase.Words) && !makesNew.Get().MatchString(b.hit.Phrase.Words)
}

// firstFiles are the files whose first write something has to happen before, with one of them.
func (b *builder) firstFiles() (globs []string, example string) {
	if write, _ := b.paths("write"); len(write) > 0 {
		write = loose(b.p, b.anywhere(write))
		return write, pathglob.Sample(write[0])
	}
	if ofCodeOnly.Get().MatchString(b.hit.Phrase.Words) {
		if globs, example = b.codeFiles(); slices.Equal(globs, []string{b.usual()}) && editsSymbol.Get().MatchString(b.hit.Phrase.Words) {
			globs = []string{b.p.WithOwn(sources)} // style sheets and markup have no functions
		}
		return globs, example
	}
	return []string{"**"}, "src/a.ts"
}

// madeIn is a folder that something is not to be made in.
var madeIn = lazy.Regexp{Source: `^ (?:in|under|inside|below|within|at) (?:the |a |any )?(‹[pt]\d+›)`}

// inFolder makes a rule about worktrees one about those in a folder, where the line names one: the
// call shows it.
func (b *builder) inFolder(r *ruletext.Rule) {
	if list := b.denied(); len(list) != 1 || list[0].Text != "worktree" {
		return
	}
	m := madeIn.Get().FindStringSubmatch(actBehind(b.hit.Phrase.Words))
	if m == nil {
		return
	}
	dir := strings.Trim(strings.TrimPrefix(b.termOf(m[1]).Text, "./"), "/*")
	if !sentence.PathForm.Get().MatchString(dir) {
		return
	}
	r.Scope, r.When = []string{"git worktree add*"}, "any(cmd.args, # matches "+strconv.Quote(`(^|/)`+regexp.QuoteMeta(dir)+`(/|$)`)+")"
	r.Why = "It stops worktrees in " + dir + "."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "git worktree add " + dir + "/a"}), ruletext.AsPass(ruletext.Case{Bash: "git worktree add ../other-place"}), ruletext.AsPass(ruletext.Case{Bash: "git worktree list"})}
}

// actBehind are the words behind the last act of a sentence.
func actBehind(words string) string {
	all := actMark.Get().FindAllStringIndex(words, -1)
	if len(all) == 0 {
		return ""
	}
	return words[all[len(all)-1][1]:]
}

// filesOfCase are the files whose change a reminder is about, with one of them: those of the
// languages that its case names, and else those of all kinds where the case may be about others
// than code.
func (b *builder) filesOfCase() (globs []string, example string) {
	about := b.said("words")
	if about == "" || len(b.s.Globs) > 0 || b.above.dir != "" {
		return b.codeFiles()
	}
	if dependencies.Get().MatchString(about) && !ofMoreThan.Get().MatchString(about) && !b.intoManifest() {
		return repo.Manifests, "package.json"
	}
	if globs, example = b.casePlaces(about, ""); len(globs) > 0 {
		return globs, example
	}
	list := survey.LanguagesIn(about)
	above := append([]string{labelOnly(b.s.Lead)}, slices.Clone(b.s.Section[max(0, len(b.s.Section)-2):])...)
	for _, text := range above {
		if len(list) == 0 {
			list = survey.LanguagesIn(text)
		}
	}
	switch globs, example = survey.FilesOf(list); {
	case len(globs) > 0:
		return globs, example
	case ofSettings.Get().MatchString(about + "\n" + strings.ToLower(b.s.Lead)), slices.ContainsFunc(b.hit.Terms("with"), func(t sentence.Term) bool { return !codePath(t.Text) }):
		if ofPages.Get().MatchString(about) {
			return []string{b.p.WithOwn(repo.AllText), "**/*.{md,mdx}"}, "src/a.ts"
		}
		return []string{b.p.WithOwn(repo.AllText)}, "src/a.ts"
	}
	if b.companionsOnly() {
		return []string{code}, "src/a.ts"
	}
	return b.codeFiles()
}

// companionsOnly reports whether the languages that a sentence names are those of the files that
// have to change too, and not of the changes.
func (b *builder) companionsOnly() bool {
	list := survey.LanguagesIn(survey.Plain(b.hit.Phrase.Quote))
	return len(list) > 0 && !slices.ContainsFunc(list, func(l forms.Language) bool {
		return !slices.ContainsFunc(b.hit.Terms("with"), func(t sentence.Term) bool { return l.HasEnding(strings.TrimPrefix(path.Ext(t.Text), ".")) })
	})
}

// ofSettings is a case about files that are no code.
var ofSettings = lazy.Regexp{Source: `\b(?:ya?ml|json|toml|nix|proto\w*|terraform|helm|manifests?|charts?|secrets?|config\w*|settings?|environment|env|variables?|workflows?|jobs?|images?|containers?|services?|hosts?|schemas?|templates?|translations?|locales?)\b`}

// ofPages is a case about documents.
var ofPages = lazy.Regexp{Source: `\b(?:pages?|docs?|documents?|documentation|guides?|articles?)\b`}

// codePath reports whether a path is that of a file of code or a document, or of a folder.
func codePath(p string) bool {
	ext := strings.TrimPrefix(path.Ext(p), ".")
	return strings.HasSuffix(p, "/") ||
		slices.Contains([]string{"md", "mdx", "rst", "txt"}, ext) ||
		ext != "" && !strings.HasPrefix(path.Base(p), ".") && slices.Contains(strings.Split(strings.Trim(code, "*/.{}"), ","), ext)
}

var (
	// kindLabel is a label of a line about files of one kind, with the word for the kind.
	kindLabel = lazy.Regexp{Source: `(?i)^[\W_]*(?:for |the )?([\w+#.-]+(?: [\w+#.-]+)?) (?:files?|code|sources?|templates?|definitions?|assets?|schemas?|manifests?)[*_]{0,2}(?::| ?→| ?->| —| –| -)[*_]{0,2} `}
	// allKinds is a word in that place for code of all kinds, or for a part of the project.
	allKinds = lazy.Regexp{Source: `(?i)\b(?:all|any|every|source|your|our|own|new|production|application|app|project|library|main|core|other|changed|modified|staged|touched|test|the|all|front-?end|back-?end|server|client|web|ui|mobile|api|package|format\w*|lint\w*|check\w*|build|run\w*|validate|compile|generated?)\b`}
)

// ofUnknownKind reports whether a line is about files of a kind by its label, and the table of kinds does
// not know it: which files these are is not told.
func (b *builder) ofUnknownKind() bool {
	m := kindLabel.Get().FindStringSubmatch(b.s.Text)
	return m != nil && !allKinds.Get().MatchString(m[1]) && !b.has("changed") && b.part() == "" && len(b.s.Globs) == 0 && len(b.languagesOf()) == 0
}
