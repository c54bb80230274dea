package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

var (
	// changesOfKind are the files whose changes a demand is about, in front of the word for them.
	changesOfKind = lazy.Regexp{Source: `(?:\b(?:before|prior to|after|on|for|when) (?:[\w'‹›]+ ){0,3}?)((?:‹p\d+›(?:, | and | or |/|, and )?)+) (?:changes?|edits?|updates?|modifications?|files?|pages?|sources?)\b`}
	// onlyThere is a file that a statement names as the one to be changed.
	onlyThere = lazy.Regexp{Source: `\b(?:only|except(?: for)?|other than|apart from|instead|edit|change|update|modify|use|to|in)[:,]? (?:(?:edit|change|update|modify|touch|the|to|in) )*(‹p\d+›)`}
	// exceptPath is a file or a folder that a prohibition leaves out.
	exceptPath = lazy.Regexp{Source: `[ ,(]*\b(?:except(?: for)?|excluding|other than|apart from)[:,]? (?:the )?‹p\d+›`}
	notThere   = lazy.Regexp{Source: `\b(?:never|not|don't|avoid|no)\b[^.;:—–‹(]*$|\b(?:such as|e\.g\.?|for example|like),? $`}
)

// changedIn are the files that a demand is about: "before ‹a› ‹p› changes".
func (b *builder) changedIn() string {
	for _, m := range changesOfKind.Get().FindAllStringSubmatch(b.sentence(), -1) {
		if !slices.ContainsFunc(b.hit.Phrase.TermsIn(m[1]), func(t sentence.Term) bool { return len(statement.GlobsOf(t.Text)) == 0 }) {
			return m[1]
		}
	}
	return ""
}

// spared are the files that a statement names as those to be changed, where it forbids changes
// of others by a pattern.
func (b *builder) spared(globs []string) (list []string) {
	pattern := slices.ContainsFunc(globs, func(g string) bool { return strings.Contains(strings.TrimSuffix(g, "/**"), "*") })
	paths := scope.NewPaths(globs, false)
	for i := range b.s.Phrases {
		p := &b.s.Phrases[i]
		for _, at := range onlyThere.Get().FindAllStringSubmatchIndex(p.Words, -1) {
			t := p.TermsIn(p.Words[at[2]:at[3]])[0]
			of := statement.GlobsOf(t.Text)
			if except := exceptPath.Get().MatchString(p.Words[at[0]:at[1]]); !except && (!pattern || len(of) != 1 || strings.ContainsAny(of[0], "*{?")) {
				continue // of a folder, a line says what to do besides
			}
			for _, g := range of {
				if _, ok := paths.Match(pathglob.Sample(g)); ok && !slices.Contains(globs, g) && !slices.Contains(list, g) && !notThere.Get().MatchString(p.Words[:at[0]]) {
					list = append(list, g)
				}
			}
		}
	}
	return list
}

// instead is the message of a rule about one of several names: of as many others the one in
// its place, of other numbers none.
func (b *builder) instead(i int) string {
	use, deny := b.hit.Terms("use"), b.hit.Terms("deny")
	if len(use) == 0 && len(deny) < 2 {
		use = b.usedInstead()
	}
	switch {
	case len(use) == 0, len(use) > 1 && len(deny) > 1 && len(use) != len(deny):
		return "Write it in another way."
	case len(deny) > 1 && len(use) == len(deny) && i < len(deny) && (b.s.Block == markdown.Row || inPairs.Get().MatchString(b.quote) || pairwise(use, deny)):
		return "Use " + use[i].Text + " instead."
	}
	join := " or "
	if strings.Contains(b.hit.Slots["use"], " and ") {
		join = " and "
	}
	return "Use " + strings.Join(mappedTerms(use), join) + " instead."
}

// inPairs says that each name of a list is in the place of one of the other list.
var inPairs = lazy.Regexp{Source: `(?i)\brespectively\b|\bin (?:this|that|the same) order\b|→|[-=]>`}

// pairwise reports whether each name has a word of the one at its place in another list.
func pairwise(use, deny []sentence.Term) bool {
	for i := range use {
		words := namePart.Get().FindAllString(strings.ToLower(use[i].Text), -1)
		if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(deny[i].Text), w) }) {
			return false
		}
	}
	return true
}

// namePart is a word of a name.
var namePart = lazy.Regexp{Source: `[a-z]{3,}`}

func mappedTerms(list []sentence.Term) (texts []string) {
	for _, t := range list {
		texts = append(texts, t.Text)
	}
	return texts
}

var (
	// namedFiles are patterns of files among the arguments of a command.
	namedFiles = lazy.Regexp{Source: `(?:^|[\s"'=])((?:[\w.-]+/|\*\*/)*\*\.\w{1,6})(?:$|[\s"'])`}
	// freshens is a command that has to run, whatever changed before.
	freshens = lazy.Regexp{Source: `^git (?:checkout|switch|fetch|pull|(?:merge|rebase) (?:origin|upstream))\b`}
)

// checkScript is a script of the project that checks or makes something, which its name does not tell the
// files of.
var checkScript = lazy.Regexp{Source: `^(?:(?:uv|poetry|pdm|hatch) run )?(?:(?:python3?|ruby|node|perl|php) )?(?:\S*/)?(?:validate|verify|check|audit)[-_][\w-]+\.(?:py|rb|[cm]?js|pl|php|sh|bash)\b`}

// checkedFiles are the files that commands check: those that they name, or the code.
func (b *builder) checkedFiles(commands []string) (globs []string, example string) {
	for _, c := range commands {
		for _, m := range namedFiles.Get().FindAllStringSubmatch(c, -1) {
			globs = append(globs, m[1])
		}
	}
	if len(globs) == 0 && slices.ContainsFunc(commands, func(c string) bool { return strings.HasPrefix(c, "go mod ") }) && len(b.s.Globs) == 0 && b.above.dir == "" {
		return []string{"**/*.go", "**/go.mod"}, "internal/a.go"
	}
	if len(globs) == 0 && slices.ContainsFunc(commands, checkScript.Get().MatchString) && b.s.OfFolder() == "" && len(b.s.Globs) == 0 && b.above.dir == "" {
		return []string{"**"}, "src/a.ts"
	}
	if in := b.folderOfScript(commands); len(globs) == 0 && in != "" {
		return []string{in + "/" + b.usual()}, in + "/src/a.ts"
	}
	if len(globs) == 0 {
		return b.codeFiles(commands...)
	}
	globs = pathglob.Each(globs, func(g string) string { return b.p.Placed(g, b.s.Base()) })
	return globs, pathglob.Sample(globs[0])
}

// packageScript is a command that runs a script of a package.
var packageScript = lazy.Regexp{Source: `^(?:npm|pnpm|yarn|bun) (?:run )?([a-z][\w:-]*)$`}

// folderOfScript is the folder of the only package of a project, below its own folder, that has the script
// which each of some commands runs: "" where the project's folder has a package, or others have such a script.
func (b *builder) folderOfScript(commands []string) (in string) {
	if !b.p.Whole() || len(commands) == 0 || b.s.OfFolder() != "" || len(b.s.Globs) > 0 || b.above.dir != "" {
		return ""
	}
	of := b.p.Scripts()
	if _, atTop := of["."]; atTop {
		return ""
	}
	for _, c := range commands {
		m := packageScript.Get().FindStringSubmatch(c)
		if m == nil {
			return ""
		}
		for dir, names := range of {
			if !slices.Contains(names, m[1]) {
				continue
			}
			if in != "" && in != dir {
				return ""
			}
			in = dir
		}
	}
	return in
}
