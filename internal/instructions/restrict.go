package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// modal is the verb between the subject of a prohibition and what it forbids.
	modal      = lazy.Regexp{Source: `^(?:must|should|may|shall|mustn't|shouldn't)\b`}
	modalFront = lazy.Regexp{Source: `\b(?:must|should|may|shall) $`}
	segment    = lazy.Regexp{Source: `[^.,;:—–!()|→]*$`}
	// everyone is a subject that means all that an agent does.
	everyone = lazy.Regexp{Source: `^(?:(?:and|but|so|or|then|also|therefore|this means|that|which|because|the|all|any|every|each|your|our|this|these|those|new|ai|coding|an?|both|other|automated|llm|note|important|critical|committed) )*` +
		`(?:you|we|i|agents?|assistants?|claude(?: code)?|codex|copilot|gemini|cursor|llms?|models?|ais?|bots?|contributors?|developers?|engineers?|everyone|code|codebase|files?|sources?|it|they|them|this|these|that|changes?|implementations?|repo(?:sitory)?|project|authors?|people|there|[^‹]*‹[pacf]\d+›.*)$`}
)

// importing is a prohibition of an import.
var importing = lazy.Regexp{Source: `\b(?:import|depend on|reference)\b`}

// ofOthers reports whether a prohibition has a subject of its own: it is not about all
// that an agent does.
func ofOthers(words string, from int) bool {
	lead := words[:from]
	if !modal.Get().MatchString(words[from:]) {
		at := modalFront.Get().FindStringIndex(lead)
		if at == nil {
			return false
		}
		lead = lead[:at[0]]
	}
	lead = strings.TrimSpace(remarks.Get().ReplaceAllString(lead, ""))
	subject := strings.Trim(segment.Get().FindString(lead), " *_-")
	return subject != "" && !everyone.Get().MatchString(subject)
}

var (
	// ofThese is a prohibition to run some files by a command.
	ofThese = lazy.Regexp{Source: `\b(?:these|those|them|it|this)(?: \w+)? (?:under|with|via|through|using|by) [^‹]*‹`}
	// rashly is a prohibition of a way to do something.
	rashly = lazy.Regexp{Source: `\b(?:blindly|casually|unnecessarily|needlessly|carelessly|silently|prematurely|routinely)\b`}
)

var (
	none      = lazy.Regexp{Source: `^\W*(?:and |or )?no `}
	states    = lazy.Regexp{Source: `^(?:is|are|was|were|has|have|gets?) `}
	factual   = lazy.Regexp{Source: `(?:^|\s)(?:uses|is|are|was|were|has|have|runs|differs?|works|comes|ships|needs|supports|contains|provides|returns|when|if|while|where)\b`}
	permitted = lazy.Regexp{Source: `^(?:is|are) (?:ever |strictly )?(?:allowed|permitted|accepted|acceptable|to be|tolerated|welcome)\b`}
	existing  = lazy.Regexp{Source: `\b(?:exists?|there (?:is|are)|(?:is|are) (?:available|installed|set up|supported))\b`}
	// condition begins a sentence about some cases, up to a remark in parentheses.
	condition = lazy.Regexp{Source: `^(?:for|when|whenever|if|in|on|while|with|where|during)\b[^,;:—(]*\(?$`}
)

// omits is a prohibition to leave something out.
var omits = lazy.Regexp{Source: `(?:\bnever|\bnot|n't|\bavoid) (?:ever |just |simply )?(?:wait|delay|hesitate|forget|fail|neglect|omit|miss|postpone|bother|need|have)(?:t?ing)?\b`}

// listBehind is a list of what an act is not to be done to.
var listBehind = lazy.Regexp{Source: `^: ?(?:[\w ]{1,20}, )*‹[pt]`}

// laterOnly goes on with what is to be done before what is forbidden.
// quoted reports whether a part of a sentence is within quotation marks, as a sample of a text.
func quoted(words string, from, to int) bool {
	return strings.Count(words[:from], `"`)%2 == 1 && strings.Contains(words[to:], `"`) && strings.TrimLeft(words[:from], ` "`) != ""
}

var (
	// someReaders is a subject that means a part of the readers or changes: "agents sharing a
	// worktree must", "docs-only PRs must".
	someReaders = lazy.Regexp{Source: `(?:^|[.;:—–] ?)(?:(?:[\w-]+ ){0,3}(?:(?:sub-?)?agents?|prs?|pull requests?|sessions?|workers?|contributors|developers) (?:\w+ing|with|without|that|who|which|in|from|for|on) [^.;:—–]*|(?:[\w-]+ ){0,2}(?:[a-z]+-)+[a-z]+ (?:‹a\d+›|commits|changes)[^.;:—–]*)\b(?:must|should|may|can|cannot|shall|never|do|don't)\b`}
	// theseOnly names files that an earlier text describes: the rule cannot tell which they are.
	theseOnly = lazy.Regexp{Source: `\bin (?:these|those|such) (?:specs?|tests?|files|modules?|folders|directories|packages|components|examples|scripts)\b`}
)

var laterOnly = lazy.Regexp{Source: `^\W*(?:first )?and [\w ]{1,40}\b(?:later|afterwards?)\b`}

// tellsOnly reports whether "no …" says what there is, or of what the sentence is about:
// "no wheel is built", "for rows without a date (no ‹t›), …".
func tellsOnly(words string, from, to int, rest string) bool {
	before, match := words[:from], words[from:to]
	if !none.Get().MatchString(strings.TrimLeft(match, "(")) {
		return false
	}
	if at := strings.LastIndexByte(before+match[:1], '('); at > strings.LastIndexByte(before, ')') && !imperative(words[:at]) && (factual.Get().MatchString(words[:at]) || strings.HasSuffix(strings.TrimRight(words, "* "), "):")) {
		return true // a remark on what there is
	}
	return states.Get().MatchString(rest) && !permitted.Get().MatchString(rest) ||
		(strings.HasPrefix(match, "(") || strings.HasSuffix(before, "(")) && (condition.Get().MatchString(before) || existing.Get().MatchString(before))
}

var (
	reported = lazy.Regexp{Source: `^ (?:is|are|was|were|has|have|does|used to) `}
	demanded = lazy.Regexp{Source: `^ (?:is|are) (?:always |also |strictly |absolutely )?(?:required|mandatory|needed|necessary|a must|expected|obligatory|essential|enforced|non-negotiable|not optional)\b|^ (?:is|are|has|have|was|were) (?:all |been |fully |completely )*(?:pass\w*|succe\w*|green|clean|run|ok|done|complet\w*|finish\w*)\b`}
)

// reports reports whether a sentence describes what was found instead of asking for it:
// "‹c› before a push was the old way".
func reports(after string) bool {
	return reported.Get().MatchString(after) && !demanded.Get().MatchString(after)
}

// determined is a place in front of the object of a verb: "in model context any ‹p›".
var determined = lazy.Regexp{Source: `\b(?:in|into|to|from|within|inside|under|on|at) (?:[a-z-]+ )*?([a-z-]+) (?:any|the|all|an?|your|our|these|those) (?:[a-z-]+ )*$`}

// aside reports whether the place of a clause is named in words, so that its names are not
// that place.
func (c *clause) aside() bool {
	before, _, _ := strings.Cut(c.text, "‹")
	m := determined.Get().FindStringSubmatch(before)
	return c.prep != "" && m != nil && !slices.Contains([]string{"of", "any", "all", "either", "both", "in", "into", "to", "from", "within", "inside", "under", "on", "at", "files", "code"}, m[1])
}

// doubly reports whether a main clause has another condition behind it than in front.
func doubly(all []clause, i int) bool {
	return i+1 < len(all) && strings.HasPrefix(all[i+1].text, "if ") && !optional.Get().MatchString(all[i+1].text) && !there.Get().MatchString(all[i+1].text)
}

// there is a condition that what was named is there.
var there = lazy.Regexp{Source: `^if (?:it|they|one|present|available|any|there)\b`}

// pairs are the forms that a main clause has with each clause that it goes with. A
// condition in front of all main clauses is one of each, unless a clause behind a semicolon
// has its own.
func (t *table) pairs(all []clause, i int, add func(string, int, *clause, map[string]string)) {
	lead, own := true, i > 1 && all[i-1].conj != "" && strings.HasSuffix(strings.TrimSpace(all[i-2].text), ";")
	for k := range all {
		d := &all[k]
		switch {
		case k == i, k < i && doubly(all, i), k > i+1 && within(all, k):
		case k < i && (lead && !own || own && k == i-1) || k > i && !slices.ContainsFunc(all[i+1:k], func(b clause) bool { return b.conj == "" && b.objects != "" }):
			t.joined(&all[i], d, k < i, add)
		}
		lead = lead && (d.conj != "" || d.objects == "")
	}
}

// explains is a word behind a name in parentheses that tells of it: "(‹p› derives …)".
var explains = lazy.Regexp{Source: `^(?:is|are|was|has|does|will|can|already|also|derives|reads|uses|holds|contains|imports|exports|generates|loads|runs|lists|defines|handles|shows|stays|follows|lives|needs)$`}

// tellsOf begins a remark in parentheses whose names are where the thing is from, or where more is said.
var tellsOf = lazy.Regexp{Source: `^(?:listed|see|from|by|via|because|since|as|ignored|gitignored|generated|auto-generated|created|built|managed|already|it|it's|they|use|defined|declared|described|documented|set|per)$`}

var (
	// partWork is work on a part of the project.
	partWork = lazy.Regexp{Source: `\b(front-?end|back-?end|server|client|mobile|ios|android|desktop|web|api|ui|docs?|documentation|database|schema|infra(?:structure)?|plugin|extension|cli|sdk|admin)(?: app)? (?:work|changes?|edits?|tasks?|features?|code|files?|pages?)\b`}
	// partCase is a part as a case in front of a sentence.
	partCase = lazy.Regexp{Source: `^(?:for|if|when|when only|if only|for only) (?:the |only |just )*(front-?end|back-?end|server|client|mobile|ios|android|desktop|web|api|ui|docs?|documentation|cli|sdk|admin)(?:(?: have| has| was| were| is| are)? (?:only )?(?:chang\w+|edited|touched|modified))?(?: only)?[,:]`}
	// partTitle is the heading of what is said of a part.
	partTitle = lazy.Regexp{Source: `(?i)^[\W_\d]*(front-?end|back-?end|server|client|mobile|ios|android|desktop|web|api|ui|docs|documentation|cli|sdk|admin)(?: (?:app|code|rules?|guidelines?|conventions?|standards))?(?: \([^)]*\))?\W*$`}
	// partJob is a job of a part, whose command is not known.
	partJob = lazy.Regexp{Source: `\b(?:front-?end|back-?end|server|client|mobile|ios|android|desktop|web|api|ui|docs|documentation|cli|sdk|admin) (?:unit |e2e )?(?:build|tests?|suite|lint\w*|type-?check\w*|format\w*)\b`}
	ofDocs  = lazy.Regexp{Source: `^(?:docs?|documentation)$`}
	ofFront = lazy.Regexp{Source: `^(?:front-?end|ui|web|client)$`}
)

// frontFiles are the files of what a browser shows.
var frontFiles = []string{"**/*.{ts,tsx,js,jsx,mjs,vue,svelte,astro,css,scss,html}"}

// part is the part of the project that a sentence, else its heading, is about: "" for all.
func (b *builder) part() string {
	if m := partWork.Get().FindStringSubmatch(b.hit.phrase.Words); m != nil {
		return m[1]
	}
	if m := partCase.Get().FindStringSubmatch(sentence.NewPhrase(b.quote).Words); m != nil {
		return m[1]
	}
	titles := []string{strings.TrimRight(b.s.Lead, "*_: ")}
	if len(b.s.Section) > 1 {
		titles = append(titles, b.s.heading())
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
		return kindCalled("docs").Files, "docs/a.md"
	case len(b.languagesOf(names...)) > 0:
	case ofFront.Get().MatchString(part):
		return frontFiles, "src/a.tsx"
	case b.hit.severity == "block":
		b.hit.severity = reminder
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
	marks := sentence.Mark.Get().FindAllString(b.hit.slots[slot], -1)
	if len(marks) == 0 {
		return "", false
	}
	_, words, ok = strings.Cut(b.hit.phrase.Words, marks[len(marks)-1])
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
	for _, t := range b.hit.terms("path") {
		list += b.hit.phrase.Add(sentence.File, dir+"/"+strings.TrimPrefix(t.Text, "./"), true)
	}
	b.hit.slots["path"] = list
}

// toBranch are the rules of a line about a branch that is not to be pushed to directly.
func (b *builder) toBranch() []ruleFile {
	if list := b.askedOf(); len(list) > 0 {
		return list
	}
	first := &b.s.phrases[0]
	m := branchLine.Get().FindStringSubmatch(first.Words)
	acts := []string{"force-push"}
	if direct.Get().MatchString(b.hit.phrase.Words) {
		acts = append(acts, "push", "commit")
	}
	if m == nil || slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return t.Kind != 'a' || !slices.Contains(acts, t.Text) }) {
		return nil
	}
	branch := m[1]
	if list := first.TermsIn(branch); len(list) == 1 {
		branch = list[0].Text
	}
	b.hit.slots["branch"] = branch
	return b.branch()
}

var (
	// home is where a function is that is to be used.
	home = lazy.Regexp{Source: `(‹[tc]\d+›)(?: export| helper| wrapper| object| module)? (?:in|from|of|\() ?(‹p\d+›)`}
	// homeAlone is a file that is to be used instead of something.
	homeAlone = lazy.Regexp{Source: `\b(?:use|using|prefer|through|via) (?:the )?(‹p\d+›),? (?:instead of|rather than|over|(?:and )?(?:not|never))\b`}
	through   = lazy.Regexp{Source: `\b(?:through|via|use|using|call|import|go through)\b`}
	// everyMember is a name that members of all kinds have.
	everyMember = lazy.Regexp{Source: `^\.(?:errors?|data|values?|results?|length|size|status|message|name|id|type|props|state|body|items?|text|key|index|count|content|current|parent|children)$`}
	// forRole is what something is used for, where another thing is not to be.
	forRole = lazy.Regexp{Source: `^ (?:for|as|when|in|on|inside|during) `}
)

// homes are the files of what a line wants to be used instead: they may have what it
// forbids elsewhere.
func (b *builder) homes() (list []string) {
	for i := range b.s.phrases {
		p := &b.s.phrases[i]
		if !through.Get().MatchString(p.Words) || sentence.ForbidsName.Get().MatchString(p.Words) {
			continue
		}
		for _, m := range home.Get().FindAllStringSubmatch(p.Words, -1) {
			if t := p.TermsIn(m[1])[0].Text; !slices.ContainsFunc(b.hit.terms("deny"), func(d sentence.Term) bool { return d.Text == t }) {
				list = append(list, globsOf(b.p.placed(p.TermsIn(m[2])[0].Text, b.s.base()))...)
			}
		}
		for _, m := range homeAlone.Get().FindAllStringSubmatch(p.Words, -1) {
			list = append(list, globsOf(b.p.placed(p.TermsIn(m[1])[0].Text, b.s.base()))...)
		}
	}
	return list
}

// inRole reports whether a line wants one thing for a use that it names, and not another.
func (b *builder) inRole() bool {
	deny := sentence.Mark.Get().FindString(b.hit.slots["deny"])
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

var (
	// checked is a check of what another command did.
	checked = lazy.Regexp{Source: `‹c\d+›[^.‹]* and (?:verify|validate|check)\b`}
	// keptIn is a place of a running program that secrets are not to be kept in.
	keptIn = lazy.Regexp{Source: `\b(?:secrets?|credentials|keys|tokens|passwords) (?:directly )?in (?:the |a |any )?(?:‹t\d+›|(?:globals?|global \w+|local ?storage|session ?storage|cookies?|memory|logs?|urls?|query \w+|state|redux)\b)`}
	// without is a remark that no secrets are needed.
	without = lazy.Regexp{Source: `\((?:e\.g|i\.e|for example|such as)[^)]*\bno (?:hard-?coded )?secrets|\((?:[^)‹]*, )?no (?:secrets|credentials|api[- ]keys)\b|\bno (?:secrets|credentials|api[- ]keys) (?:(?:is|are) )?(?:needed|required|necessary)\b`}
)

// spelled is the command that a line has in `code` behind the bare name of a program:
// "ESLint passes: ‹c›".
func (b *builder) spelled(t sentence.Term) sentence.Term {
	words := b.hit.phrase.Words
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
	// gateWords are the words between "before" and the act that it is about.
	gateWords = lazy.Regexp{Source: `^(?:\w+ )?(?:(?:you|we|the|an?|any|each|every|all|your|our|open|creat|mak|submit|rais|fil|push|merg|commit|run|execut|call|do|be|request|ask|propos|finish|finali[sz]|complet|prepar|publish|updat)(?:[tn]?ing)? |(?:to|git|final|next|this|new|code|changes?|work|ever|even|actually|for|it|them|and|or|single|finally|feature|local|that|staging|their|its|signed|more|attempting|trying|actual|first) )*$`}
)

// ofJob reports whether a form is about a job whose command the sentence does not name.
func (f *found) ofJob() bool { return strings.HasPrefix(f.form.Name, "job-") }

// fixed reports whether a path is where something new goes, and no companion of it.
func fixed(path, line string) bool {
	return strings.HasSuffix(path, "/") && !companion.Get().MatchString(strings.NewReplacer("_", " ", "/", " ").Replace(strings.ToLower(path))) && !companion.Get().MatchString(line)
}
