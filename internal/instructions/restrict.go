package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// partWork is work on a part of the project.
	partWork = lazy.Regexp{Source: `\b(front-?end|back-?end|server|client|mobile|ios|android|desktop|web|api|ui|docs?|documentation|database|schema|infra(?:structure)?|plugin|extension|cli|sdk|admin)(?: app)? (?:work|changes?|edits?|tasks?|features?|code|files?|pages?)\b`}
	// partCase is a part as a case in front of a sentence.
	partCase = lazy.Regexp{Source: `^(?:for|if|when|when only|if only|for only) (?:the |only |just )*(front-?end|back-?end|server|client|mobile|ios|android|desktop|web|api|ui|docs?|documentation|cli|sdk|admin)(?:(?: have| has| was| were| is| are)? (?:only )?(?:chang\w+|edited|touched|modified))?(?: only)?[,:]`}
	// partTitle is the heading of what is said of a part.
	partTitle = lazy.Regexp{Source: `(?i)^[\W_\d]*(front-?end|back-?end|server|client|mobile|ios|android|desktop|web|api|ui|docs|documentation|cli|sdk|admin)(?: (?:app|code|rules?|guidelines?|conventions?|standards|maintenance))*(?: \([^)]*\))?\W*$`}
	ofDocs    = lazy.Regexp{Source: `^(?:docs?|documentation)$`}
	ofFront   = lazy.Regexp{Source: `^(?:front-?end|ui|web|client)$`}
)

// frontFiles are the files of what a browser shows.
var frontFiles = []string{"**/*.{ts,tsx,js,jsx,mjs,vue,svelte,astro,css,scss,html}"}

// part is the part of the project that a sentence, else its heading, is about: "" for all.
func (b *builder) part() string {
	if m := partWork.Get().FindStringSubmatch(b.hit.Phrase.Words); m != nil {
		return m[1]
	}
	if m := partCase.Get().FindStringSubmatch(sentence.NewPhrase(b.quote).Words); m != nil {
		return m[1]
	}
	titles := []string{strings.TrimRight(b.s.Lead, "*_: ")}
	if len(b.s.Section) > 1 {
		titles = append(titles, b.s.Heading())
	}
	for _, title := range titles {
		if m := partTitle.Get().FindStringSubmatch(title); m != nil {
			return strings.ToLower(m[1])
		}
	}
	return ""
}

// inPart are the files after whose change a command has to run, where the sentence is about
// a part. Where the part's files are not known, the rule only warns.
func (b *builder) inPart(globs []string, example string, names []string) (list []string, one string) {
	part := b.part()
	switch {
	case part == "" || len(b.s.Globs) > 0 || b.above.dir != "":
	case ofDocs.Get().MatchString(part):
		return forms.KindCalled("docs").Files, "docs/a.md"
	case len(b.languagesOf(names...)) > 0:
	case ofFront.Get().MatchString(part):
		return frontFiles, "src/a.tsx"
	case b.hit.Severity == "block":
		b.hit.Severity = forms.Reminder
	}
	return globs, example
}

var (
	insideOf = lazy.Regexp{Source: `^ (?:folder |directory |files? )?(?:in|inside|under|within|into|below) (?:\w+ ){0,3}(‹p\d+›)`}
	// branchLine is the beginning of a line about a branch.
	branchLine = lazy.Regexp{Source: `^(?:the )?(‹[tp]\d+›|main|master|develop|staging|production)(?: branch\b|[^.‹]{0,40}\bbranch\b)`}
	direct     = lazy.Regexp{Source: `\bdirect(?:ly)?\b`}
)

// after are the words of a sentence behind the last name in a slot; ok is false for none.
func (b *builder) after(slot string) (words string, ok bool) {
	marks := sentence.Mark.Get().FindAllString(b.hit.Slots[slot], -1)
	if len(marks) == 0 {
		return "", false
	}
	_, words, ok = strings.Cut(b.hit.Phrase.Words, marks[len(marks)-1])
	return words, ok
}

// inPlace puts the paths of a sentence into the folder that it names behind them: "do not
// put ‹p› inside ‹p›".
func (b *builder) inPlace() {
	behind, _ := b.after("path")
	m := insideOf.Get().FindStringSubmatch(behind)
	if m == nil {
		return
	}
	dir, list := strings.TrimRight(b.termOf(m[1]).Text, "/*"), ""
	for _, t := range b.hit.Terms("path") {
		list += b.hit.Phrase.Add(sentence.File, dir+"/"+strings.TrimPrefix(t.Text, "./"), true)
	}
	b.hit.Slots["path"] = list
}

// toBranch are the rules of a line about a branch that is not to be pushed to directly.
func (b *builder) toBranch() []ruletext.Rule {
	if list := b.askedOf(); len(list) > 0 {
		return list
	}
	first := &b.s.Phrases[0]
	m := branchLine.Get().FindStringSubmatch(first.Words)
	acts := []string{"force-push"}
	if direct.Get().MatchString(b.hit.Phrase.Words) {
		acts = append(acts, "push", "commit")
	}
	if m == nil || slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return t.Kind != 'a' || !slices.Contains(acts, t.Text) }) {
		return nil
	}
	branch := m[1]
	if list := first.TermsIn(branch); len(list) == 1 {
		branch = list[0].Text
	}
	b.hit.Slots["branch"] = branch
	return b.branch()
}

var (
	// home is where a function is that is to be used.
	home = lazy.Regexp{Source: `(‹[tc]\d+›)(?: export| helper| wrapper| object| module)? (?:in|from|of|\() ?(‹p\d+›)`}
	// homeAlone is a file that is to be used instead of something.
	homeAlone = lazy.Regexp{Source: `\b(?:use|using|prefer|through|via) (?:the )?(‹p\d+›),? (?:instead of|rather than|over|(?:and )?(?:not|never))\b`}
	// definedIn are the files that have what a line is about, as their part.
	definedIn = lazy.Regexp{Source: `\b(?:defined|declared|kept|stored|collected|centrali[sz]ed|located|maintained|exported|lives?|sits?|belongs?)(?: (?:only|centrally|together))? (?:in|at|inside|under|from) (?:the )?((?:‹p\d+›(?:,? (?:and|or|&|plus) (?:the )?|, |/)?)+)`}
	through   = lazy.Regexp{Source: `\b(?:through|via|use|using|call|import|go through)\b`}
	// everyMember is a name that members of all kinds have.
	everyMember = lazy.Regexp{Source: `^\.(?:errors?|data|values?|results?|length|size|status|message|name|id|type|props|state|body|items?|text|key|index|count|content|current|parent|children)$`}
	// forRole is what something is used for, where another thing is not to be.
	forRole = lazy.Regexp{Source: `^ (?:for|as|when|in|on|inside|during) `}
)

// homes are the files of what a line wants to be used instead, and those that it says something is defined
// in: they may have what it forbids elsewhere.
func (b *builder) homes() (list []string) {
	for i := range b.s.Phrases {
		p := &b.s.Phrases[i]
		for _, at := range definedIn.Get().FindAllStringSubmatchIndex(p.Words, -1) {
			if front := forms.SentenceFront.Get().FindString(p.Words[:at[0]]); sentence.Denies.Get().MatchString(front) {
				continue
			}
			for _, t := range p.TermsIn(p.Words[at[2]:at[3]]) {
				list = append(list, statement.GlobsOf(b.p.Placed(t.Text, b.s.Base()))...)
			}
		}
		if !through.Get().MatchString(p.Words) || sentence.ForbidsName.Get().MatchString(p.Words) {
			continue
		}
		for _, m := range home.Get().FindAllStringSubmatch(p.Words, -1) {
			if t := p.TermsIn(m[1])[0].Text; !slices.ContainsFunc(b.hit.Terms("deny"), func(d sentence.Term) bool { return d.Text == t }) {
				list = append(list, statement.GlobsOf(b.p.Placed(p.TermsIn(m[2])[0].Text, b.s.Base()))...)
			}
		}
		for _, m := range homeAlone.Get().FindAllStringSubmatch(p.Words, -1) {
			list = append(list, statement.GlobsOf(b.p.Placed(p.TermsIn(m[1])[0].Text, b.s.Base()))...)
		}
	}
	return list
}

// inRole reports whether a line wants one thing for a use that it names, and not another.
func (b *builder) inRole() bool {
	deny := sentence.Mark.Get().FindString(b.hit.Slots["deny"])
	behind, ok := b.after("use")
	between, _, also := strings.Cut(behind, deny)
	return ok && also && deny != "" && forRole.Get().MatchString(between)
}

var (
	// setVariable is a variable that is set for a command.
	setVariable = lazy.Regexp{Source: `^[A-Z][A-Z\d_]*=\S*$`}
	ofFiles     = lazy.Regexp{Source: `‹p\d+›[^.]*\(no ‹t`}
	// elsewhereSet introduces settings of a service.
	elsewhereSet = lazy.Regexp{Source: `(?i)\b(?:dashboard|console|settings?) (?:setup|settings?|configuration)\b`}
	// topic is the heading of what is said of one kind of work.
	topic = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:[\w.-]+ )?(?:benchmark(?:s|ing)?|profiling|releas(?:es|ing)|deploy(?:ment|ing)|docker|migrations?|e2e(?: tests?)?|fixtures|snapshots?)\W*$`}
)

// underTopic reports whether the heading of a line names one kind of work only.
func (b *builder) underTopic() bool {
	if elsewhereSet.Get().MatchString(b.s.Lead) {
		return true
	}
	return len(b.s.Section) > 0 && topic.Get().MatchString(b.s.Section[len(b.s.Section)-1])
}

// spelled is the command that a line has in `code` behind the bare name of a program:
// "ESLint passes: ‹c›".
func (b *builder) spelled(t sentence.Term) sentence.Term {
	words := b.hit.Phrase.Words
	if t.Code || strings.Contains(t.Text, " ") {
		return t
	}
	for _, m := range labelOf.Get().FindAllStringSubmatch(words, -1) {
		if named, with := b.termOf(m[1]), b.termOf(m[2]); named == t && with.Code {
			return with
		}
	}
	return t
}

var (
	labelOf = lazy.Regexp{Source: `(‹c\d+›)[\w ]{0,20}: (‹c\d+›)`}
)

// managers are the words of the commands that add dependencies of one kind.
func managers() map[string]string {
	return map[string]string{"npm": "npm pnpm yarn bun", "node": "npm pnpm yarn bun", "pip": "pip uv poetry", "python": "pip uv poetry", "cargo": "cargo", "rust": "cargo", "go": "go", "gem": "gem bundle", "ruby": "gem bundle"}
}

var addsTo = lazy.Regexp{Source: "(?i)\\b(?:add|install|introduce|new)(?:ing)? (?:\\w+ )?[`*]*(npm|node|pip|python|cargo|rust|go|gem|ruby)[`*]* (?:dependenc|packages?\\b|librar|modules?\\b|crates?\\b)"}

// ofOneManager are the commands of a list that are about the kind of dependencies that a
// line names: all without one.
func (b *builder) ofOneManager(commands []string) []string {
	m := addsTo.Get().FindStringSubmatch(b.quote)
	if m == nil {
		return commands
	}
	own := strings.Fields(managers()[strings.ToLower(m[1])])
	return slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return !slices.Contains(own, sentence.Program(c)) })
}

var (
	// catalogue is an entry of a list of skills or tools, which says when to use it.
	catalogue = lazy.Regexp{Source: `^[^.:‹]{0,12}(?:‹\w\d+›|[a-z][\w-]*)[^.:]{0,4}(?::| [—–-]) ?(?:use|invoke|trigger|activate)(?: (?:this|it))?(?: (?:skill|agent|tool|command))? (?:when|whenever|if)\b`}
	// needing is a wish for something new, which then goes where the line says.
	needing = lazy.Regexp{Source: `^(?:you |we )?(?:needs?|wants?|requires?)\b`}
	// ofFolder is a file that a folder has for itself.
	ofFolder = lazy.Regexp{Source: `^(?:[\w-]*config\.\w+|package\.json|README\.md|index\.\w+|Cargo\.toml|pyproject\.toml|go\.mod|Dockerfile|BUILD(?:\.bazel)?|Makefile)$`}
	// companion is what goes with new code.
	companion = lazy.Regexp{Source: `\b(?:tests?|specs?|e2e|docs?|documentation|examples?|samples?|fixtures?|translations?|locales?|i18n|stories|changelogs?|changesets?)\b`}
)

// fixed reports whether a path is where something new goes, and no companion of it.
func fixed(path, line string) bool {
	return strings.HasSuffix(path, "/") && !companion.Get().MatchString(strings.NewReplacer("_", " ", "/", " ").Replace(strings.ToLower(path))) && !companion.Get().MatchString(line)
}
