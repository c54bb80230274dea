package instructions

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// otherCode is what a folder's file forbids to the code that uses it.
var otherCode = lazy.Regexp{Source: `\b(?:app|application|user|client|business|guest|calling|consumer) code (?:should|must|may) (?:never|not)\b|\bfrom (?:app|application|user|client|business|guest|calling|consumer) code\b`}

// content forbids names in what is written.
func (b *builder) content() (list []ruletext.Rule) {
	if !b.ofSettingsPart() && !b.inTitledPart() || !b.aboutCode() || b.s.OfFolder() != "" && otherCode.Get().MatchString(b.hit.Phrase.Words) {
		return nil
	}
	if b.hit.Form.Act == "mocks" {
		list = b.namedLibraries()
	}
	if list := b.shortModules(); len(list) > 0 {
		return list
	}
	if b.ofSettingsPart() {
		return b.partsIn()
	}
	if b.hit.Severity == "block" && (b.inRole() || aimFirst.Get().MatchString(b.hit.Phrase.Words) || slices.ContainsFunc(b.hit.Terms("deny"), func(t sentence.Term) bool { return everyMember.Get().MatchString(t.Text) || b.wantedElsewhere(t.Text) })) {
		b.hit.Severity = forms.Reminder
	}
	if behind, _ := b.after("deny"); withArgument.Get().MatchString(behind) ||
		callsOf.Get().MatchString(behind) && slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return typeInFull.Get().MatchString(t.Text) }) ||
		doneBesides.Get().MatchString(behind) ||
		b.rightSomewhere(behind) ||
		b.holdsOnlySo() ||
		b.hit.Severity != "block" && nameAlone.Get().MatchString(b.hit.Phrase.Words) {
		return nil // other uses of it are right
	}
	homes := b.homes()
	if in := b.within(); b.inOtherFile(in) {
		return nil
	} else if len(in) > 0 {
		homes = nil
	} else if saidOfIt.Get().MatchString(b.hit.Phrase.Words) {
		return nil // where the thing is that the line is about, nothing shows
	}
	homes = append(homes, b.filesBeside()...)
	for i, t := range append(b.hit.Terms("deny"), sentence.Term{Text: b.hit.Form.Act}) {
		if statement.Refused.Get().MatchString(b.s.Text) && strings.Contains(t.Text, " ") || b.hit.Severity == forms.Reminder && everyElement.Get().MatchString(t.Text) {
			continue // an example, or a case of what each page has
		}
		if r, ok := b.versionBanned(t); ok {
			list = append(list, r)
			continue
		}
		if b.ofOneArgument(t.Text) ||
			b.ofProducts(t) ||
			anyAddress.Get().MatchString(t.Text) && someAddresses.Get().MatchString(b.hit.Phrase.Words) ||
			b.s.Block == markdown.Row && b.wantedElsewhere(t.Text) ||
			t.Kind == sentence.File && !strings.Contains(b.hit.Phrase.Words, "hard") && b.knownAs(t.Text, t.Text, true) == nil {
			continue
		}
		name := b.inFull(strings.TrimSuffix(strings.TrimSpace(t.Text), ";"))
		if strings.Contains(name, ") ") { // with what its value is compared
			name = anyReceiver.Get().ReplaceAllString(name, ".")
		}
		name = anyVariable.Get().ReplaceAllString(name, ".$1")
		short := elided(anyValued(name))
		if short != name && (b.permitted(name) || b.wantsKind(name, short)) {
			continue
		}
		if r, ok := b.banned(short); ok && b.inEnding(&r) {
			r.Exclude, r.Message = append(slices.Clone(r.Exclude), homes...), b.withUnless(b.instead(i))
			list = append(list, r)
		}
	}
	return list
}

// ofOneArgument reports whether a call is forbidden for what it is called with: the line wants
// another call of the same function.
func (b *builder) ofOneArgument(t string) bool {
	name, arguments, ok := strings.Cut(t, "(")
	if ok && slices.ContainsFunc(b.hit.Phrase.Terms, func(other sentence.Term) bool { return other.Text != t && sameNames(t, other.Text) }) {
		return true // the names only change places
	}
	return ok && arguments != ")" && name != "" && !strings.HasSuffix(name, " ") && slices.ContainsFunc(b.hit.Phrase.Terms, func(other sentence.Term) bool {
		return other.Text != t && strings.Contains(other.Text, name) && (sentence.PlainName.Get().MatchString(name) || hasName(other.Text, name))
	})
}

// sameNames reports whether two calls have the same names in another order.
func sameNames(t, other string) bool {
	a, b := nameIn.Get().FindAllString(t, -1), nameIn.Get().FindAllString(other, -1)
	slices.Sort(a)
	slices.Sort(b)
	return strings.Contains(other, "(") && slices.Equal(a, b)
}

var (
	// notCode are headings and sentences about something else than the text of a file.
	notCode = lazy.Regexp{Source: `(?i)\b(?:commits?|commit messages?|conventional|pull requests?|prs?|branch(?:es)?|search\w*|quer(?:y|ies) because|package names to queries|issues?|releases?|chat|replies|answers?|git|naming|terminal|shell|security practices)\b`}
	// general is the title of a list that is about all code.
	general = lazy.Regexp{Source: `(?i)\b(?:style|rules?|guidelines?|conventions?|code|coding|typescript|javascript|python|rust|go|swift|java|kotlin|avoid|never|don['’]?t|do not|not|must|always|follow\w*|general|practices?|standards?|imports?|types?|important|critical|patterns?|constraints?|requirements?|principles?|forbidden|prohibited|banned|instead|tests?|testing|these|particular|idioms?|guidance|points?|notes?|remember|reminders?|gotchas?|pitfalls?|caveats?|tips?|please|ensure|make sure)\b`}
	// allowed is a sentence that permits a name in some places.
	allowed = lazy.Regexp{Source: `\b(?:only (?:when|if|for|in|as|where|inside)|except|allowed|acceptable|fine|unless|is ok|(?:may|can) (?:still )?be (?:used|run|called))\b`}
)

// nameOf goes on with what a word is a name for.
var nameOf = lazy.Regexp{Source: `^(?:-(?:pre|suf|post)fixed)?(?:,? (?:or|and) [\w ,-]{2,40}?)? ?(?:as )?(?:an? |the )?(?:\w+ ){0,2}(?:names?|naming|prefix(?:es)?|suffix(?:es)?)\b`}

// aboutCode reports whether the sentence is about what files say, whatever they are for.
func (b *builder) aboutCode() bool {
	heading := b.s.Heading()
	if notCode.Get().MatchString(heading) || notCode.Get().MatchString(b.s.Lead) || notCode.Get().MatchString(shellScripts.Get().ReplaceAllString(survey.Plain(b.quote), "")) {
		return false
	}
	for i := range b.s.Phrases { // the sentence goes on about the files of another
		if p := &b.s.Phrases[i]; p.Quote != b.quote && inPart.Get().MatchString(p.Words) || strings.Contains(b.hit.Slots["deny"], "+") {
			return false
		}
	}
	if _, behind, _ := strings.Cut(b.hit.Phrase.Words, b.hit.Slots["deny"]); nameOf.Get().MatchString(behind) || described(b.hit.Phrase.Words) || b.ofHabit() || ofFiles.Get().MatchString(b.hit.Phrase.Words) {
		return false
	}
	if someCode.Get().MatchString(b.s.Lead) && b.above.dir == "" {
		return false // which code that is, no text shows
	}
	return b.s.Lead == "" || b.above.dir != "" || b.s.Folder != "" || general.Get().MatchString(b.s.Lead) || !strings.HasSuffix(strings.TrimRight(b.s.Lead, "* "), ":")
}

// permitted reports whether another sentence of the statement lets a name be used.
func (b *builder) permitted(t string) bool {
	return slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool {
		return p.Quote != b.quote && allowed.Get().MatchString(p.Words) && strings.Contains(p.Quote, "`"+t+"`")
	})
}

// anyType matches code in which Type is a placeholder for any type: (nil | Type).
var anyType = lazy.Regexp{Source: `[|&<(\[] ?(?:Some|My|Your)?Type ?[|&>)\]]`}

// anyArguments are those of a call or an attribute: print(...), #[allow(...)].
const anyArguments = "(...)"

// attribute is the beginning of one of Rust's.
var attribute = lazy.Regexp{Source: `^#!?\[`}

// keywordWith is a keyword with an argument of its own, which is not any argument of a call.
var keywordWith = lazy.Regexp{Source: `^(?:nonisolated|unowned|private|fileprivate|internal|public|pub|allow|expect|cfg|deny)\(\w+\)$`}

// written is how a name is found in a text, with one that is found.
func written(t string) (pattern, shown string) {
	if front, _, ok := strings.Cut(t, anyArguments); ok {
		pattern, shown = written(front + "(")
		return pattern, shown + "x)"
	}
	pattern, shown = regexp.QuoteMeta(t), t
	if keywordWith.Get().MatchString(t) {
		return `\b` + pattern, t
	}
	if anyPart.Get().MatchString(t) { // a path with any part
		pattern, shown = strings.ReplaceAll(pattern, `\*`, `[\w.-]+`), strings.ReplaceAll(t, "*", "x")
	}
	if method, ok := strings.CutPrefix(t, "#"); ok && rubyMethod.Get().MatchString(method) {
		return `\.` + regexp.QuoteMeta(method) + `($|[^\w])`, "x." + method
	}
	if anyEnd.Get().MatchString(t) { // any whose name goes on
		pattern, shown = strings.TrimSuffix(pattern, `\*`)+`\w*`, strings.TrimSuffix(t, "*")+"X"
	}
	switch {
	case repo.Identifier.Get().MatchString(t):
		pattern = `(^|[^\w$])` + pattern
	case strings.HasPrefix(t, `\`): // from PHP's global namespace
		pattern = `(^|[^\w\\])` + pattern
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

// ofValues is a method that the values of one of JavaScript's types have, named by the type.
var ofValues = lazy.Regexp{Source: `^(?:String|Array|Number|Date|RegExp)(?:\.prototype)?\.(at|big|charAt|concat|exec|fill|flat|flatMap|forEach|getYear|indexOf|map|match|pop|push|reduce|replace|reverse|setYear|shift|slice|sort|splice|substr|substring|toGMTString|toString|trimLeft|trimRight|unshift)(\(\)|\(\.\.\.\))$`}

// rubyMethod is the name of a method that documents of Ruby write behind a #.
var rubyMethod = lazy.Regexp{Source: `^[a-z_]\w*[?!]?$`}

// anyEnd matches a name with a wildcard at its end: self::assert*, assert_*. In char* the star is
// part of a type of C.
var anyEnd = lazy.Regexp{Source: `^[\w$>:.-]*(?:::|->|\.)[A-Za-z]+\*$|^[\w:.]*_\*$`}

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
func (b *builder) forbidden(t string) (r ruletext.Rule, ok bool) {
	w := b.knownAs(t, strings.TrimSuffix(t, "()"), len(b.within()) > 0)
	if w != nil {
		r, ok = b.forbiddenWord(t, b.ofOneLinter(w))
	} else if b.namesCode(t) {
		r, ok = b.forbiddenCode(t)
	}
	if ok {
		b.exceptTests(&r)
	}
	if ok && w == nil {
		globs, exclude := r.Scope, r.Exclude
		if !codelike.Get().MatchString(t) || !r.OfSomeFiles() {
			globs, exclude = nil, nil
		}
		ok = !b.p.UsesWidely(sharedPart(t), globs, exclude)
	}
	return r, ok
}

var (
	// instanceMethod is a method as documents of Ruby write it, with its class, which no code does.
	instanceMethod = lazy.Regexp{Source: `^[A-Z][\w:]*#[a-z_]\w*[?!]?$`}
	// ofEnvironment is a variable that is set in the environment: code reads it.
	ofEnvironment = lazy.Regexp{Source: `^(?:VITE|NEXT_PUBLIC|REACT_APP|NUXT|EXPO_PUBLIC|GATSBY)_[A-Z\d_]+$`}
)

// sharedPart is what of a name each use of it has.
func sharedPart(t string) string {
	front, _, _ := strings.Cut(strings.TrimSuffix(t, "()"), anyArguments)
	return strings.TrimRight(front, "*")
}

// forbiddenWord is a rule about a name that the forms have a pattern of.
func (b *builder) forbiddenWord(t string, w *forms.Writing) (r ruletext.Rule, ok bool) {
	if within := b.within(); len(within) > 0 && w.Pattern != "" {
		if ofOtherEndings(w.Files, within) {
			return r, false
		}
		w.Files = within
	} else if w.Files == nil {
		return r, false
	}
	w.Files = b.ofItsLanguage(t, w.Files)
	everywhere := w.Files[0] == "**/*.*" && b.above.dir == ""
	if !everywhere && inNoneOf(w.Files, survey.LanguagesIn(b.s.Heading())) {
		return r, false // the heading names another language
	}
	w.Files = b.below(w.Files)
	p := pathglob.Sample(w.Files[0])
	r = ruletext.Rule{ID: t, Trigger: "file_write", Scope: w.Files, When: putsIn(w.Pattern), Why: whyForbidden(t), Warns: w.Warns}
	if w.Code {
		r.When = putsIn(besideComment(w.Pattern))
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: p, Content: w.Bad}), ruletext.AsPass(ruletext.Case{Write: p, Content: w.Good}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: w.Bad})}
	if everywhere {
		r.Scope, r.Exclude = nil, repo.Documents
	}
	if w.Pattern == defaultExport {
		r.Exclude = append(slices.Clone(r.Exclude), routed...)
	}
	if words := b.hit.Phrase.Words; forTests.Get().MatchString(words) && !tested.Get().MatchString(words) && len(b.s.Globs) == 0 {
		at := b.above.dir + "tests/" + strings.TrimPrefix(p, b.above.dir)
		r.When += " and path matches `(?i)(^|[/._-])(tests?|specs?|__tests__|e2e)([/._-]|$)`"
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: at, Content: w.Bad}), ruletext.AsPass(ruletext.Case{Write: at, Content: w.Good}), ruletext.AsPass(ruletext.Case{Write: p, Content: w.Bad})}
	}
	return r, true
}

// besidesTests is a line about tests and about other code.
var besidesTests = lazy.Regexp{Source: `\b(?:even|also|or|and|including|nor|not just|not only) (?:in )?(?:the |your |unit )*tests?\b`}

// forTests is what a line about tests alone says of its subject.
var forTests = lazy.Regexp{Source: `‹t\d+› (?:types? |calls? )?(?:in|for) (?:(?:the|any|all|your|our|unit|integration) )*tests?(?: files?| code)?(?:$|[.!]$|[.!] )|^(?:[\w-]+ ){0,2}tests?: `}

// putsIn is a condition for writes that put in something that a pattern matches. A file may
// keep its matches; where the pattern takes more than counts, it has a named group.
func putsIn(pattern string) string {
	if strings.Contains(pattern, "`") {
		return "addsMatch(" + strconv.Quote(pattern) + ")"
	}
	return "addsMatch(`" + pattern + "`)"
}

func whyForbidden(t string) string { return "It stops writes that add " + t + " to a file." }

// severalNames are names that a line joins: no code has them so.
var severalNames = lazy.Regexp{Source: `^[A-Za-z_$][\w$.]*(?:\(\))?(?: \+ [A-Za-z_$][\w$.]*(?:\(\))?){1,}$`}

// namesCode reports whether t can be looked for in a file: a path of the system, a tool of the
// agent and a placeholder cannot.
func (b *builder) namesCode(t string) bool {
	if fragment.Get().MatchString(t) || lintRule.Get().MatchString(t) || inventedName.Get().MatchString(t) || severalNames.Get().MatchString(t) || b.ofManifest() || b.ofAbsentLanguage(t) {
		return false
	}
	if absolute.Get().MatchString(t) && !strings.Contains(b.hit.Phrase.Words, "cod") {
		return false
	}
	if b.ofAgentTool(t) || slashCommand.Get().MatchString(t) || sampleCode.Get().MatchString(t) || toolWith.Get().MatchString(t) { // more often a tool of the agent than code
		return false
	}
	if ofNestedClass.Get().MatchString(t) || setVariable.Get().MatchString(t) || b.permitted(t) || standsForAny(t) || strings.Count(t, " ") > 1 && !strings.ContainsAny(t, "(){}=;<>#@") || commitType.Get().MatchString(t) {
		return false
	}
	if anyType.Get().MatchString(t) || instanceMethod.Get().MatchString(t) || ofEnvironment.Get().MatchString(t) {
		return false
	}
	plain := strings.Replace(t, anyArguments, "(", 1)
	if len(t) < 3 || len(t) > 80 || strings.ContainsAny(t, "`…\n") || strings.Contains(plain, "...") {
		return false
	}
	if !attribute.Get().MatchString(t) && !concreteType.Get().MatchString(t) && !ofOneText.Get().MatchString(t) && placeholder.Get().MatchString(strings.Trim(plain, `"'`)) && !strings.HasPrefix(t, "\"") {
		return false
	}
	_, ok := withHoles(t)
	return ok
}

// forbiddenCode is a rule about code, a package or a directive that the line names.
func (b *builder) forbiddenCode(t string) (r ruletext.Rule, ok bool) {
	words := b.hit.Phrase.Words
	switch directive := directives.Get().MatchString(words) || suppression.Get().MatchString(t); {
	case sentence.ModulePath.Get().MatchString(t):
		return b.forbiddenModule(t), true
	case codelike.Get().MatchString(t):
		return b.forbiddenText(t), true
	case b.p.Calls(t), len(b.hit.Terms("use")) > 0 && b.p.Calls(b.hit.Terms("use")[0].Text):
		return b.forbiddenText(t + anyArguments), true
	case !package_.Get().MatchString(t) || common(t):
		return r, false
	case !b.namesPart(t) && !b.ofHelpers() && !packagers.Get().MatchString(t) && (imported_.Get().MatchString(words) && b.likePackage(t) || knownPackage.Get().MatchString(t)) && !directive:
		return b.forbiddenPackage(t)
	case len(t) > 5 && directive:
		return ruletext.Rule{ID: t, Trigger: "file_write", When: putsIn(`\b` + regexp.QuoteMeta(t) + `\b`), Exclude: repo.Documents, Why: whyForbidden(t),
			Tests: []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: "src/a.ts", Content: "/* " + t + " */"}), ruletext.AsPass(ruletext.Case{Write: "src/a.ts", Content: "other"}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: t})}}, true
	}
	return r, false
}

// forbiddenText is a rule about the text of code.
func (b *builder) forbiddenText(t string) ruletext.Rule {
	globs, p := b.filesWith(t)
	if own, example := b.p.FewLanguages(); len(own) > 0 && len(globs) == 1 && globs[0] == b.usual() {
		globs, p = own, example
	}
	words, heading := b.hit.Phrase.Words, strings.ToLower(b.s.Heading())+":"
	ofTestsAlone := b.ofAssertions(t) || !besidesTests.Get().MatchString(words) && slices.ContainsFunc([]string{words, heading, strings.ToLower(b.s.Lead)}, inTests.Get().MatchString) || slices.ContainsFunc(b.s.Section, ofTestsTitle.Get().MatchString)
	if !tested.Get().MatchString(words) && ofTestsAlone {
		globs, p = b.testsBelow()
	}
	if within := b.within(); len(within) > 0 {
		globs, p = within, pathglob.Sample(within[0])
	}
	good := "result = other(1)"
	if use := b.hit.Terms("use"); len(use) > 0 {
		good = use[0].Text
	}
	pattern, shown := b.pattern(rubyCall(t, globs))
	if helperOf.Get().MatchString(b.hit.Phrase.Words) && !strings.ContainsAny(t, ".:( ") { // a value of that name is another thing
		pattern = strings.Replace(pattern, `(^|[^\w$])`, `(^|[^\w$.:@])`, 1)
	} else if freeFunction.Get().MatchString(t) { // a method of that name is another one
		pattern = strings.Replace(pattern, `(^|[^\w$])`, `(^|[^\w$.]|\b(?:window|globalThis|self)\.)`, 1)
	}
	if b.hardPath(t) {
		return pathInCode(t, pattern, globs, p)
	}
	pattern, inComment := b.besideComments(t, pattern)
	r := ruletext.Rule{ID: t, Trigger: "file_write", Scope: globs, When: putsIn(pattern), Why: whyForbidden(t)}
	if len(globs) > 0 && slices.Equal(globs, b.s.Globs) && !slices.ContainsFunc(globs, aboutTexts) {
		r.Exclude, p = repo.Documents, strings.TrimSuffix(p, ".txt")+".ts"
	}
	for _, s := range inComment {
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: p, Content: s}))
	}
	for _, s := range shown {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Write: p, Content: s}))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Write: p, Content: good}), ruletext.AsPass(ruletext.Case{Write: "README.md", Content: t}))
	return r
}

// aboutTexts reports whether a pattern is about files with texts: those of one kind, or of a folder of documents.
func aboutTexts(glob string) bool {
	dir, all := strings.CutSuffix(glob, "**")
	return !all || docsFolder.Get().MatchString(dir)
}

// ofTestsTitle is the heading of what is said of tests alone.
var ofTestsTitle = lazy.Regexp{Source: `(?i)^[\W_\d]*(?:(?:writing|unit|integration|e2e|component|backend|frontend) )*(?:tests?|testing)(?: (?:guidelines|conventions|patterns|rules|style|standards|practices))?[\W_]*$`}

// helperOf is a line about functions of views.
var helperOf = lazy.Regexp{Source: `\bhelpers?\b`}

// freeFunction is a call of a function that many objects have a method named like.
var freeFunction = lazy.Regexp{Source: `^(?:json|fetch|print|println|eval|exec|open|input|alert|confirm|prompt|redirect|require)\(`}

var (
	inTests = lazy.Regexp{Source: `\bin (?:(?:the|all|any|your|new|unit|integration|e2e|end-to-end|component|functional|api|snapshot|ui) )*(?:tests?|specs?)\b|^[^:‹]{0,40}\btest(?:s|ing)?\b[^:‹]{0,20}:`}
	// commitType begins the message of a commit.
	commitType = lazy.Regexp{Source: `^(?:` + survey.Types + `):$`}
)

var (
	// fragment is a part of an expression, or several statements, which other code than what is
	// meant has: "`q.count() == 0` / `!= 0`".
	fragment = lazy.Regexp{Source: `^[!=<>]=?\s*-?\d|;\s+\w|\) [<>]=? [a-z]+$`}
	// inventedName is an example of a name.
	inventedName = lazy.Regexp{Source: `(?:^|[_.])(?:my|your|foo)_\w|_(?:my|your|foo)_`}
	// anyReceiver is an example of the value that a method is called on.
	anyReceiver = lazy.Regexp{Source: `^(?:qs|queryset|obj|instance|arr|elem|foo|bar)\.`}
	// anyVariable is such an example in front of the name of a method.
	anyVariable = lazy.Regexp{Source: `^(?:[axy]|xs|foo|bar)\.([a-z]\w+\()`}
	// ofManifestPart names a part of a manifest that lists dependencies.
	ofManifestPart = lazy.Regexp{Source: `^\[+(?:[\w.*'-]+\.)?(?:dev-|build-|workspace\.)?dependencies\]+$`}
)

// ofManifest reports whether a line is about the text of a manifest, and not about code.
func (b *builder) ofManifest() bool {
	return slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool { return ofManifestPart.Get().MatchString(t.Text) })
}

var (
	// imported_ is a sentence about what a program is built from.
	imported_   = lazy.Regexp{Source: `\b(?:import|depend|install|add|mix|introduce|package|library|libraries|dependency|dependencies)|(?:\buse|\bprefer)\b[^‹]*‹[tc]\d+›[^‹]*(?:instead|over|not|rather|never)\b|\buse ‹[tc]\d+› instead|‹t\d+›; use ‹`}
	suppression = lazy.Regexp{Source: `-(?:disable|ignore)\b|^no(?:lint|qa|check|sec)$`}
	directives  = lazy.Regexp{Source: `\b(?:comments?|statements?|directives?|leave|disable)\b`}
	// tested is a line that does not hold in tests.
	tested = lazy.Regexp{Source: `^\W*(?:(?:all|any|every|the) )?public [\w -]{2,40}? (?:must|should|may|can|shall|do|does)\b|^\W*(?:only use|use only) [^.;]*\bin [^.;]{0,12}\btests?\b|\b(?:production|prod|library|non-test|application|app|shipped|released) (?:source )?(?:code|files?|targets?)\b|in production|\b(?:except|unless|outside|other than|apart from|but not)\b[^.;,]{0,12}\btests?\b|\btests? (?:may|can)\b|\b(?:not|allowed|fine|ok(?:ay)?|permitted|acceptable)(?: only)? in (?:(?:the|any|your|unit|integration) )*tests?\b`}
)
