package instructions

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// onPaths makes a rule about writes to the paths of the sentence.
func (b *builder) onPaths(when, verb string, test func(path string) ruletext.Case) []ruletext.Rule {
	globs, names := b.paths("path")
	globs = b.anywhere(globs)
	if len(globs) == 0 || thereOnly.Get().MatchString(b.hit.Phrase.Words) {
		return nil
	}
	r := ruletext.Rule{ID: strings.Join(names, " "), Trigger: "file_write", Scope: globs, Exclude: b.spared(globs), When: when}
	if b.hit.Severity == "ask" && len(r.Exclude) > 0 && !forms.Excepted.Get().MatchString(exceptPath.Get().ReplaceAllString(b.hit.Phrase.Words, "")) {
		b.hit.Severity = "block" // what is excepted is left out
	}
	for _, g := range r.Exclude {
		r.Tests = append(r.Tests, ruletext.AsPass(test(pathglob.Sample(g))))
	}
	r.Message = "Leave " + strings.Join(names, ", ") + " to the user, or make the change where the line says."
	if slices.Contains(globs, ".env.*") {
		r.Exclude = append(r.Exclude, "*.example", "*.sample", "*.template")
	}
	r.Why = "It stops " + verb + " " + strings.Join(names, ", ") + "."
	for _, g := range globs[:min(len(globs), 4)] {
		r.Tests = append(r.Tests, ruletext.AsStop(test(pathglob.Sample(g))))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(test(other(globs))))
	return []ruletext.Rule{r}
}

// thereOnly is a sentence about the files of a folder that another one names.
var thereOnly = lazy.Regexp{Source: `\b(?:under|in|inside|within|below) (?:that|this|the same) (?:tree|folder|directory|path|package|module)\b`}

var (
	// producedBy is in front of what makes a file, and placedIn in front of where it is.
	producedBy = lazy.Regexp{Source: `\b(?:made|generated|produced|built|written|created|compiled|emitted|rendered|derived|synced|copied)\b[^.;‹]{0,20}\b(?:by|with|using|via|from|through) (?:the |running )?$`}
	placedIn   = lazy.Regexp{Source: `\b(?:under|in|inside|within|below|by|with|using|via|from) (?:the )?$`}
)

// ofMade makes a prohibition that names a file and what makes it one about the file: "‹p› is made by
// ‹p›, never edit it".
func (b *builder) ofMade() {
	at := strings.Index(b.hit.Phrase.Words, b.hit.Slots["path"])
	if at < 0 || !producedBy.Get().MatchString(b.hit.Phrase.Words[:at]) {
		return
	}
	subject := ""
	for _, m := range sentence.Mark.Get().FindAllStringIndex(b.hit.Phrase.Words[:at], -1) {
		if of := b.hit.Phrase.Words[m[0]:m[1]]; strings.HasPrefix(of, "‹p") && !placedIn.Get().MatchString(b.hit.Phrase.Words[:m[0]]) {
			subject += of
		}
	}
	b.hit.Slots["path"] = subject
	b.inPlace()
}

// writes forbids changes of files.
func (b *builder) writes() []ruletext.Rule {
	if existingIn.Get().MatchString(b.hit.Phrase.Words) {
		return nil // another form is about them
	}
	if b.hit.Form.Name == "not-by-hand" && documentLink.Get().MatchString(b.quote) {
		return nil // the document tells of what is not to be edited
	}
	if behind, ok := b.after("path"); ok && doneFrom.Get().MatchString(behind) {
		return nil // who writes a file, a call does not show
	}
	if b.newOnly() || b.secretsInto() {
		return nil // another form is about that
	}
	if b.ofMade(); b.putsIntoFile() {
		return nil // what is added to a file is not the file
	}
	b.putsThings()
	b.goesInside()
	if ofNamedRole.Get().MatchString(b.hit.Phrase.Words) ||
		slices.ContainsFunc(b.hit.Terms("path"), func(t sentence.Term) bool { return path.Base(t.Text) == "package.json" }) && versionIn.Get().MatchString(b.hit.Phrase.Words) {
		return nil // of the key, another form makes a rule
	}
	if b.hit.Severity == "block" && markedPart.Get().MatchString(b.hit.Phrase.Words) {
		b.hit.Severity = forms.Reminder
	}
	list := b.onPaths("", "changes of", func(p string) ruletext.Case { return ruletext.Case{Write: p, Content: "x"} })
	for i := range list {
		for k, g := range list[i].Scope {
			if dir, ok := strings.CutSuffix(g, "/**"); ok && outputs.Get().MatchString(dir) && b.p.Whole() && !b.p.Has(dir) {
				list[i].Scope[k] = "**/" + g // each part of the project has its own
			}
		}
	}
	return list
}

var (
	// outputs are names of folders that build tools write. Each part of a project may have one.
	outputs = lazy.Regexp{Source: `^(?:bin|obj|dist|build|out|target|coverage|publish)$`}
	// ofNamedRole is a sentence about what one agent of several may not do.
	ofNamedRole = lazy.Regexp{Source: `^‹t\d+› (?:must|may|should|shall) (?:not|never) ‹?\w`}
)

// documentLink is a link to a document, and what it is about.
var documentLink = lazy.Regexp{Source: "^\\W*\\[`?[\\w./-]+\\.mdx?`?\\]\\([^)]*\\) ?[—–:-]"}

// doneFrom is where a file is not to be written from.
var doneFrom = lazy.Regexp{Source: `^ from (?:inside|within) `}

// existingIn matches the files that are in a folder already. New files may be added to it.
var existingIn = lazy.Regexp{Source: `\b` + thereAlready + ` (?:migrations?|changesets?|files?)(?: files?)? (?:in|under|inside|within) (?:the )?‹p\d+›|‹p\d+›[^‹]*\b(?:edit|modify|change|touch|alter) (?:an? |any |the )?` + thereAlready + ` (?:ones?|files?|migrations?)\b|\bmigrations?(?: files?)? (?:in|under) (?:the )?‹p\d+›(?: folder| directory)? (?:is|are) (?:strictly |always )?immutable\b`}

// thereAlready is said of what others rely on as it is.
const thereAlready = `(?:existing|shipped|released|applied|committed|merged|published|deployed)`

// versionIn is a prohibition of one key of a file.
var versionIn = lazy.Regexp{Source: `\bversions? (?:in|of|from) (?:the |any )?‹p\d+›`}

// creates forbids new files.
func (b *builder) creates() []ruletext.Rule {
	when := makesFile
	if at := inRoot.Get().FindString(b.hit.Phrase.Words); at != "" {
		own := *b.hit.Phrase
		own.Words = strings.Replace(own.Words, " "+at, "", 1)
		b.hit.Phrase = &own
		when += atTop
	}
	if b.ofGenerated() || b.bansParts() || b.addsName() || b.addsLabels() {
		return nil
	}
	b.inPlace()
	list := b.onPaths(when, "new files at", func(p string) ruletext.Case { return ruletext.Case{Write: p, Content: "x"} })
	b.ofOneFramework(list)
	return list
}

// endingsOf maps a kind of files, as a sentence names it, to their ending.
func endingsOf() map[string]string {
	return map[string]string{
		"java": "java", "javascript": "js", "js": "js", "jsx": "jsx", "typescript": "ts", "python": "py", "kotlin": "kt", "objective-c": "m", "ruby": "rb", "php": "php", "perl": "pl", "groovy": "groovy",
		"coffeescript": "coffee", "scala": "scala", "less": "less", "sass": "sass", "scss": "scss", "shell": "sh", "bash": "sh", "powershell": "ps1", "batch": "bat", "storyboard": "storyboard", "xib": "xib", "nib": "xib",
	}
}

// newKind forbids new files in a language or of a kind that is named in words.
func (b *builder) newKind() []ruletext.Rule {
	endings := endingsOf()
	b.hit.Slots["path"] = ""
	for _, w := range strings.FieldsFunc(b.hit.Slots["kind"], func(r rune) bool { return r == ' ' || r == ',' }) {
		if ext := cmp.Or(endings[w], endings[strings.TrimSuffix(w, "s")]); ext != "" {
			b.hit.Slots["path"] += b.hit.Phrase.Add(sentence.File, "**/*."+ext, true)
		}
	}
	return b.creates()
}

// testFiles forbids new tests whose names have an ending.
func (b *builder) testFiles() []ruletext.Rule {
	of, wanted := b.hit.Terms("path"), b.hit.Phrase.TermsIn(b.hit.Phrase.Words)
	b.hit.Slots["path"] = ""
	for _, t := range of {
		if strings.HasSuffix(t.Text, "/") || slices.ContainsFunc(wanted, func(w sentence.Term) bool { return w.Text != t.Text && strings.HasSuffix(w.Text, t.Text) }) {
			return nil // folders, and an ending that the wanted one has, too
		}
		switch name := strings.TrimPrefix(t.Text, "*"); {
		case strings.HasPrefix(name, ".") && strings.Count(name, ".") == 1:
			t.Text = "**/*.{test,spec}" + name
		case strings.HasPrefix(name, "_"), strings.HasPrefix(name, "-"):
			t.Text = "**/*" + name
		}
		b.hit.Slots["path"] += b.hit.Phrase.Add(sentence.File, t.Text, true)
	}
	return b.creates()
}

// keys forbids changes of one key of a file.
func (b *builder) keys() []ruletext.Rule {
	key := b.hit.Slots["word"]
	if t := b.hit.Terms("key"); len(t) > 0 {
		key = strings.Trim(t[0].Text, `"':`)
	}
	if !regexp.MustCompile(`^[\w.-]+$`).MatchString(key) {
		return nil
	}
	value := "`[\"']?\\b" + regexp.QuoteMeta(key) + "[\"']?\\s*[:=]\\s*(?:[\\[{][^\\]}]*[\\]}]?|[^\\n]*)`" // a list or an object has several lines
	list := b.onPaths("addsMatch("+value+`) and operation != "create"`, "changes of "+key+" in", func(p string) ruletext.Case {
		return ruletext.Case{Write: p, Old: "a", Content: key + ": 2"}
	})
	for i := range list {
		list[i].ID += " " + key
		list[i].Tests = append(list[i].Tests, ruletext.AsPass(ruletext.Case{Write: list[i].Tests[0].Write, Old: "a", Content: "other: 2"}),
			ruletext.AsStop(ruletext.Case{Write: list[i].Tests[0].Write, Old: key + ": [\n  \"a, b\"\n]", Content: key + ": [\n  \"a, c\"\n]"}),
			ruletext.AsPass(ruletext.Case{Write: list[i].Tests[0].Write, Old: key + ": 2\nother: 2", Content: key + ": 2\nother: 3"}))
	}
	return list
}

// placement forbids new files of a kind outside of the folders where they belong.
func (b *builder) placement() []ruletext.Rule {
	b.hit.Slots["path"] = notPlaced.Get().ReplaceAllString(b.hit.Slots["path"], "")
	globs, names := b.paths("path")
	list := b.kinds()
	if len(list) == 0 || len(globs) == 0 || !strings.HasSuffix(globs[0], "/**") || someTests.Get().MatchString(b.s.Heading()) {
		return nil
	}
	r := &list[0]
	if dir := b.s.OfFolder(); dir != "" {
		if !strings.HasPrefix(globs[0], dir+"/") {
			return nil
		}
		r.Scope = pathglob.Each(r.Scope, func(g string) string { return dir + "/" + g })
	}
	if !strings.HasPrefix(globs[0], "**/") && len(names) > 0 && !strings.Contains(strings.TrimSuffix(names[0], "/"), "/") {
		globs = append(globs, pathglob.Each(globs, func(g string) string { return "**/" + g })...) // in each package
	}
	r.Exclude, r.When, r.Message = globs, makesFile, "Put it into "+strings.Join(names, " or ")+"."
	b.ofBundle(r)
	b.ofStep(r)
	r.Why = "It stops new " + r.ID + " outside of " + strings.Join(names, ", ") + "."
	stray := strings.Replace(path.Base(list[0].Tests[0].Write), "*", "a", 1)
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "elsewhere/" + stray, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: strings.TrimSuffix(pathglob.Sample(globs[0]), "a.txt") + stray, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "elsewhere/a.bin", Content: "x"})}
	return list
}

// notPlaced goes on behind a place with another one that is not meant.
var notPlaced = lazy.Regexp{Source: `,? (?:not|never)\b.*$`}

// links forbids writes through a link.
func (b *builder) links() []ruletext.Rule {
	list := b.writes()
	if to := b.hit.Terms("to"); len(list) > 0 && len(to) > 0 {
		list[0].Message = "It is a link: change " + to[0].Text + "."
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

// ofOthers is a line about packages that the project does not have itself.
var ofOthers = lazy.Regexp{Source: `(?i)\b(?:external|third[- ]party)\b`}

// pins forbids ranges of versions.
func (b *builder) pins() []ruletext.Rule {
	if forms.Has(b.hit.Phrase.Words, "p") && !strings.Contains(strings.ToLower(b.quote), "package.json") {
		return nil // it is about another file
	}
	if ofPython.Get().MatchString(b.quote) || b.ofOthersVersions() {
		return nil
	}
	r := ruletext.Rule{Trigger: "file_write", Scope: []string{"package.json"}, When: "content matches `\"\\s*:\\s*\"[\\^~]\\d`", Message: "Give the exact version."}
	r.Why = "It stops ranges of versions in package.json."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "package.json", Old: "a", Content: `"left-pad": "^1.3.0"`}), ruletext.AsPass(ruletext.Case{Write: "package.json", Old: "a", Content: `"left-pad": "1.3.0"`}),
		ruletext.AsPass(ruletext.Case{Write: "package.json", Old: "a", Content: `"ours": "workspace:^1.3.0"`}), ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: "x"})}
	if ofOthers.Get().MatchString(b.quote) && (!b.p.Whole() || slices.ContainsFunc(b.p.Folders(), func(f string) bool { return f != "." && b.p.Has(path.Join(f, "package.json")) })) {
		r.Warns, r.Message = true, "If this is no package of the workspace, give its exact version." // its name does not show that
	}
	return []ruletext.Rule{r}
}

// root forbids new files at the top of the project.
func (b *builder) root() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "file_write", When: makesFile + atTop, Message: "Put the file into the folder where it belongs."}
	r.Why = "It stops new files at the top of the project."
	if namesDocs.Get().MatchString(b.hit.Phrase.Words) && !namesMore.Get().MatchString(b.hit.Phrase.Words) {
		r.When += " and path matches `\\.(md|mdx|rst)$`"
		r.Why = "It stops new documents at the top of the project."
	}
	if m := passingBy.Get().FindString(b.hit.Phrase.Words); m != "" && !anyFiles.Get().MatchString(b.hit.Phrase.Words) {
		b.hit.Severity, r.OfCase = forms.Reminder, m+" files"
		r.Message = "If this is a " + m + " file, put it into the folder where it belongs."
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "zz-new.md", Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "docs/zz-new.md", Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "package.json", Old: "a", Content: "b"})}
	if !allOfThem.Get().MatchString(b.hit.Phrase.Words) {
		r.Exclude = settingsAtTop
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: ".zz-new.yml", Content: "x"}))
	}
	return []ruletext.Rule{r}
}

// allOfThem is a line about all files at the top, and settingsAtTop are those that have to be there.
var (
	allOfThem     = lazy.Regexp{Source: `\b(?:anything|everything|(?:any|all|new|no)(?: new)? files?)\b`}
	settingsAtTop = []string{".*", "{Dockerfile,Makefile,LICENSE,Procfile,Justfile}*", "*.{toml,lock,mod,sum,cfg,ini}", "*.config.*", "*rc"}
)

var (
	// namesDocs are documents, and namesMore other files.
	namesDocs = lazy.Regexp{Source: `\b(?:markdown|mds?|docs?|documents?|documentation)\b`}
	namesMore = lazy.Regexp{Source: `\b(?:tests?|scripts?|code|source|working|output|temporary|temp|folders?|them|anything|everything|(?:any|new|all|save|put) files?)\b`}
	// passingBy are files that are not to stay, and anyFiles files of all kinds.
	passingBy = lazy.Regexp{Source: `\b(?:temp(?:orary)?|one-off|stray|scratch)\b`}
	anyFiles  = lazy.Regexp{Source: `\b(?:tests?|scripts?|code|source|docs?|documents?|markdown|text|mds?|notes?|reports?|folders?|them|anything|everything|(?:any|new|all|working) files?)\b`}
	// inRoot is the top of the project.
	inRoot = lazy.Regexp{Source: `\b(?:in|to|at|into) (?:the )?(?:(?:repo|repository|project) )?root\b`}
)

// makesFile is a condition for writes of files that are not there yet. Text that is added at the
// end of a file makes it, too. The files of its cases have names that no project has.
const makesFile = `not exists and operation in ["create", "overwrite", "append"]`

// atTop goes on with a condition: the file is in the project's folder itself.
const atTop = ` and not (path contains "/")`

// newFiles warns of new files: whether one is needed a call does not show.
func (b *builder) newFiles() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "file_write", When: makesFile, Message: "See whether a file that is there will do."}
	r.Why = "It stops new files."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "src/zz-new.ts", Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "src/zz-new.ts", Old: "a", Content: "b"}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"})}
	return []ruletext.Rule{r}
}

// documents forbids new documents.
func (b *builder) documents() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "file_write", Scope: []string{"**/*.{md,mdx,rst}"}, When: makesFile, Message: "Change a document that is there, or tell the user what you would write."}
	r.Why = "It stops new documents."
	stopped, passed := "docs/zz-new.md", "src/a.ts"
	if inRoot.Get().MatchString(b.hit.Phrase.Words) {
		r.When += atTop
		stopped, passed = "zz-new.md", "docs/zz-new.md"
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: stopped, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "README.md", Old: "a", Content: "b"}), ruletext.AsPass(ruletext.Case{Write: passed, Content: "x"})}
	return []ruletext.Rule{r}
}

// deletes forbids that files go.
func (b *builder) deletes() []ruletext.Rule {
	if list := b.kinds(); len(list) == 1 {
		r := &list[0]
		r.When, r.Message, r.Why = `operation in ["delete", "move"]`, "Mend the code, or ask.", "It asks before files of "+r.ID+" are deleted."
		p := r.Tests[0].Write
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "rm " + p}), ruletext.AsPass(ruletext.Case{Bash: "rm src/a.ts"}), ruletext.AsPass(ruletext.Case{Write: p, Content: "x"})}
		return list
	}
	return b.onPaths(`operation in ["delete", "move"]`, "the deletion of", func(p string) ruletext.Case { return ruletext.Case{Bash: "rm " + p} })
}

// reads forbids that files are read.
func (b *builder) reads() []ruletext.Rule {
	list := b.onPaths("", "reading", func(p string) ruletext.Case { return ruletext.Case{Read: p} })
	for i := range list {
		list[i].Message = strings.Replace(list[i].Message, " to the user, or make the change where the line says.", " unread.", 1)
		list[i].Trigger, list[i].Exclude = "file_read", []string{"*.example", "*.sample", "*.template"}
	}
	return list
}

// stages forbids that files are committed.
func (b *builder) stages() []ruletext.Rule {
	globs, names := b.paths("path")
	if act := b.termOf(b.hit.Slots["act"]).Text; len(globs) == 0 || b.ofOtherAct() || b.ofSpelling() || b.hit.Slots["act"] != "" && act != "commit" {
		return nil
	}
	var tests, conditions, within []string
	place := ""
	behind, _ := b.after("path")
	if m := stagedIn.Get().FindStringSubmatch(behind); m != nil {
		place = strings.TrimSuffix(b.p.Placed(b.termOf(m[1]).Text, b.s.Base()), "/") + "/"
	}
	for _, g := range globs {
		if g = inAnyFolder(g); place != "" {
			g = place + g
		} else if dir := b.s.OfFolder(); dir != "" && !pathglob.Hidden(dir) && strings.HasPrefix(g, "**/") {
			g = dir + "/" + g // the file of a folder is about what is there
		}
		conditions = append(conditions, fmt.Sprintf("glob(#, %q)", g))
		if top, behind, ok := strings.Cut(g, "/"); ok && !strings.HasPrefix(g, "*") { // as it is called from below
			conditions = append(conditions, fmt.Sprintf("glob(cmd.folder + \"/\" + #, %q)", g))
			if behind != "**" && !strings.ContainsAny(top, "*{?") {
				within = append(within, "cd "+top+" && git add "+pathglob.Sample(behind))
			}
		}
		tests = append(tests, pathglob.Sample(g))
	}
	r := ruletext.Rule{ID: strings.Join(names, " "), Trigger: "bash", Scope: []string{"git add *", "git stage *"}}
	r.When = fmt.Sprintf("any(cmd.operands, (%s) and not (# matches `\\.(example|sample|template|tmpl|dist)$`))", strings.Join(conditions, " or "))
	r.Message = "Leave " + strings.Join(names, ", ") + " out of the commit."
	r.Why = "It stops `git add` of " + strings.Join(names, ", ") + "."
	for _, p := range tests {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: "git add " + p}))
	}
	for _, cmd := range within[:min(len(within), 2)] {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: cmd}))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "git add " + other(globs)}), ruletext.AsPass(ruletext.Case{Bash: "git status"}))
	return []ruletext.Rule{r}
}

// stagedIn is the folder of the files that are not to be committed.
var stagedIn = lazy.Regexp{Source: `^(?: files?)? (?:in|under|inside|within|below) (?:the )?(‹p\d+›)`}

// secretText has a token in it, for cases.
const secretText = `token = "ghp_x7Kq9mZ2vB4nR8tW1yC5eL3uA6sD0fGhJkPo"`

// asksForThem goes on with a person who wants it all the same.
var asksForThem = lazy.Regexp{Source: `(?i)\bif (?:the |a )?(?:user|person|human|i) (?:explicitly |specifically )?(?:asks?|requests?|wants?|insists?)\b`}

// keepsSecrets is the name of a file that is for secrets, and no example of one.
var keepsSecrets = lazy.Regexp{Source: `^\.(?:secrets?|env|envrc)(?:\.(?:local|dev|development|prod|production|staging|test))*$|^secrets?\.(?:ya?ml|json|toml|env)$`}

// someSecrets are secrets that a line lets be in a file.
var someSecrets = lazy.Regexp{Source: `‹p\d+›[^.;]* (?:except|other than|outside(?: of)? what|beyond what|unless|besides)\b`}

// secrets forbids secrets in files.
func (b *builder) secrets() []ruletext.Rule {
	if b.tellsOfSecrets() {
		return nil
	}
	if asksForThem.Get().MatchString(b.s.Text) {
		b.hit.Severity = "ask"
	}
	if b.hit.Severity == "block" && someSecrets.Get().MatchString(b.hit.Phrase.Words) {
		b.hit.Severity = forms.Reminder
	}
	r := ruletext.Rule{ID: "in files", Trigger: "file_write", Exclude: []string{"**/{test,tests,testdata,fixtures,__tests__}/**", "**/.env", "**/.env.local", "**/.env.*.local"}, When: "len(secrets(content)) > 0"}
	r.Message = "Take the secret from the environment."
	r.Why = "It stops files with a key, a token or a password in them."
	if _, behind, _ := strings.Cut(b.hit.Phrase.Words, " in ‹p"); behind != "" { // in these files
		if list, _ := b.paths("in"); len(list) > 0 {
			r.Scope, r.Exclude = list, nil
			p := pathglob.Sample(list[0])
			r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: secretText}), ruletext.AsPass(ruletext.Case{Write: p, Content: "token = process.env.TOKEN"}), ruletext.AsPass(ruletext.Case{Write: other(list), Content: secretText})}
			return []ruletext.Rule{r}
		}
	}
	for _, t := range sentence.NewPhrase(b.s.Text).Terms {
		if keepsSecrets.Get().MatchString(path.Base(t.Text)) && !slices.Contains(r.Exclude, inAnyFolder(t.Text)) {
			r.Exclude = append(r.Exclude, inAnyFolder(t.Text))
		}
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "src/config.ts", Content: secretText}), ruletext.AsPass(ruletext.Case{Write: "src/config.ts", Content: "token = process.env.TOKEN"}),
		ruletext.AsPass(ruletext.Case{Write: "tests/config.ts", Content: secretText}), ruletext.AsPass(ruletext.Case{Write: ".env", Content: secretText})}
	return []ruletext.Rule{r}
}

var (
	hyphened = lazy.Regexp{Source: `^:|^[a-z\d]+(?:-[a-z\d]+)+$`} // names in style sheets and the like
	lastWord = lazy.Regexp{Source: `[\w$]$`}
	// codelike is a name that is hardly a word: with an upper-case letter behind another, a dot, an underscore …
	arguments    = lazy.Regexp{Source: `\\\([\w, ]*\\\)$`}
	absolute     = lazy.Regexp{Source: `^/[\w.-]+/[\w./-]+/?$`}
	labels       = lazy.Regexp{Source: `^(?:\w+:)+$`}
	slashCommand = lazy.Regexp{Source: `^/[a-z][\w-]*$`}
	sampleCode   = lazy.Regexp{Source: `\b(?:foo|bar|baz)\b.*\W|\W(?:foo|baz)\b`}
	anyPart      = lazy.Regexp{Source: `^[@\w./*-]*\*[\w./*-]*$`}
	toolWith     = lazy.Regexp{Source: `^\w+\(\w+ ?(?:=|:(?:[^):\w]|.*[^:]\)))`}
	codelike     = lazy.Regexp{Source: `[a-z][A-Z]|[A-Z]{2}|[_.:(@#/$!=<>{\[]|\d`}
	package_     = lazy.Regexp{Source: `^@?[a-z][a-z0-9-]*(?:/[a-z0-9-]+)?$`}
)

// thisFile forbids changes of the instruction file itself, where the statement names no other.
func (b *builder) thisFile() []ruletext.Rule {
	if slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool { return len(p.Terms) > 0 }) {
		return nil
	}
	r := ruletext.Rule{ID: b.s.File, Trigger: "file_write", Scope: []string{b.s.File}, Message: "Leave " + b.s.File + " to the user."}
	if !strings.Contains(b.s.File, "/") {
		r.Scope[0] = "./" + b.s.File
	}
	r.Why = "It stops changes of " + b.s.File + "."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: b.s.File, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: "elsewhere/" + b.s.File, Content: "x"})}
	return []ruletext.Rule{r}
}
