package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A line may name a file although another thing is what changes: a part that the file has, or
// code that the file only shows.

var (
	// partOf is the end of a text about a part that is new in the file behind it: "adding a route in".
	partOf = lazy.Regexp{Source: `\b((?:add|creat|introduc|register|defin|declar|implement|expos|insert)(?:e|ing)? (?:(?:an?|the|any|another|each|every|some|more|new) )*(?:[\w'/-]+ ){0,4}[\w'/-]+ (?:in|into|to|inside|within) (?:the |your |our )?)$`}
	// shownIn is the end of a text about what the file behind it has of another one: "code that is
	// included in a".
	shownIn = lazy.Regexp{Source: `\b(?:when(?:ever)?|if|after|once|any ?time|every time) ((?:[\w'/-]+ ){1,9}?(?:(?:that|which) (?:is|are|gets?)|being|(?:is|are)) (?:[a-z]+ly )?(?:included|embedded|used|shown|displayed|quoted|referenced|mentioned|listed|imported|documented|described|copied|inserted|rendered|reflected|exported|cited|linked) (?:in|into|by|from|on|inside|within) (?:the |your |our |an? |any |one of the )*)$`}
)

// oneFile reports whether a path is that of one file.
func oneFile(p string) bool {
	return !strings.HasSuffix(p, "/") && !strings.ContainsAny(p, "*{?<[$") && survey.Certain(p)
}

// front are the words in front of the first name of a slot, if all its names are those of files.
func (b *builder) front(slot string) (words string, ok bool) {
	list := b.hit.Terms(slot)
	if len(list) == 0 || slices.ContainsFunc(list, func(t sentence.Term) bool { return !oneFile(t.Text) }) {
		return "", false
	}
	words, _, ok = strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots[slot]))
	return words, ok
}

// partNamed is what a line is about of the files whose change sets its rule off: "" for all of them.
func (b *builder) partNamed() string {
	front, ok := b.front("changed")
	m := partOf.Get().FindStringSubmatch(front)
	if !ok || m == nil {
		return ""
	}
	said := b.hit.Phrase.InWords(m[1] + b.hit.Slots["changed"])
	if verb, _, _ := strings.Cut(said, " "); !strings.HasSuffix(verb, "ing") {
		return "you " + said
	}
	return said
}

// elsewhere makes a case of the files whose change sets a rule off, where a line is about code
// that these only show.
func (b *builder) elsewhere() {
	front, ok := b.front("changed")
	m := shownIn.Get().FindStringSubmatch(front)
	if !ok || m == nil {
		return
	}
	b.hit.Severity, b.hit.Slots["words"] = "warn", m[1]+b.hit.Slots["changed"]
	delete(b.hit.Slots, "changed")
	if b.hit.Form.Rule == "requires" {
		b.hit.Slots["gate"] = "commit"
	}
}

// docsFolder is a folder of documents.
var docsFolder = lazy.Regexp{Source: `(?:^|/)(?:docs?|documentation|wiki|guides?|notes|changelogs?)/$`}

// outOfDocs is the builder of a statement without the folder of documents above it, where a
// document in that folder is what has to change with other files.
func (b *builder) outOfDocs() *builder {
	dir := b.above.dir
	if !docsFolder.Get().MatchString(dir) || !slices.ContainsFunc(b.hit.Terms("with"), func(t sentence.Term) bool { return strings.HasPrefix(t.Text, dir) }) {
		return b
	}
	of := *b
	of.above.dir = ""
	return &of
}

var (
	// kindFirst are the things that are not to be in a place, between the verb and the place.
	kindFirst = lazy.Regexp{Source: `\b(?:never|not|don't|avoid) (?:ever )?(?:(?:creat|add|put|plac|writ|stor|keep|sav|introduc|leav|drop|chang|edit|updat|touch|alter|delet|remov)(?:e|ing|ting)?|modify(?:ing)?) (?:(?:any|an?|the|new|more) )*([a-z][\w ,/-]{2,60}?) (?:in|into|to|under|inside|within|at|below)(?: (?:the|your|our|any|all))* $`}
	// caseBehind is a case behind what is forbidden, caseInFront one in front.
	caseBehind  = lazy.Regexp{Source: `^[^.;:!?—–(),]*? ?\b((?:when|whenever|while|if) .*)`}
	caseInFront = lazy.Regexp{Source: `(?:^|[.;] )(?:[\w -]{1,30}: ?)?((?:when|whenever|while|if) [^,:;.—–]{3,90})[,:—–]`}
)

// limitNamed is the case that a prohibition is limited to: "" for one that it does not tell.
func (b *builder) limitNamed() string {
	slot := "deny"
	if b.has("path") {
		slot = "path"
	}
	first := sentence.Mark.Get().FindString(b.hit.Slots[slot])
	if first == "" {
		return ""
	}
	before, _, _ := strings.Cut(b.hit.Phrase.Words, first)
	behind, _ := b.after(slot)
	behind = reasonBehind.Get().ReplaceAllString(behind, "")
	said := ""
	if m := kindFirst.Get().FindStringSubmatch(before); m != nil && slot == "path" && (!sentence.AllCases(m[1]) || forms.OnTests.Get().MatchString(m[1])) {
		said = m[1]
	} else if m := forms.InPlaceOf.Get().FindStringSubmatch(behind); m != nil && b.hit.Form.Rule == "creates" {
		said = "a file " + m[1]
	} else if m := caseBehind.Get().FindStringSubmatch(behind); m != nil {
		said = m[1]
		if end := forms.SayEnd.Get().FindStringIndex(said); end != nil {
			said = wholeCase(said[:end[0]], said[end[0]:])
		}
	} else if at := caseInFront.Get().FindStringSubmatchIndex(before); at != nil {
		said = wholeCase(before[at[2]:at[3]], before[at[3]:])
	}
	said = strings.TrimSpace(b.hit.Phrase.InWords(strings.NewReplacer("*", "", `"`, "").Replace(said)))
	if len(said) > forms.MaxCase || !forms.Tells(said) || sometime.Get().MatchString(said) || vague.Get().MatchString(said) || strings.Count(said, "(") != strings.Count(said, ")") {
		return ""
	}
	return b.asWritten(said)
}

// putsThings makes a rule about what is not to be put into a file one that warns of it: an edit does
// not show what it puts there.
func (b *builder) putsThings() {
	before, _, ok := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["path"]))
	if ok && b.has("path") && (b.hit.Severity == "ask" || b.hit.Severity == "warn") && kindFirst.Get().MatchString(before) && b.limitNamed() != "" {
		b.hit.Severity = forms.Reminder
	}
}

// putsInto is what is not to be put into a place.
var putsInto = lazy.Regexp{Source: `\b(?:never|not|don't|avoid) (?:ever )?(?:creat|add|put|plac|writ|introduc|insert|append)(?:e|ing|ting)? (?:(?:any|an?|the|new|more) )*([a-z][\w ,/-]{2,60}?) (?:in|into|to|inside|within)(?: (?:the|your|our|any|all))* $`}

// putsIntoFile reports whether a sentence forbids to put something into files, and not files into a folder.
func (b *builder) putsIntoFile() bool {
	before, _, ok := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["path"]))
	m := putsInto.Get().FindStringSubmatch(before)
	return ok && m != nil && !sentence.AllCases(m[1]) && !slices.ContainsFunc(b.hit.Terms("path"), func(t sentence.Term) bool { return path.Ext(t.Text) == "" || strings.Contains(t.Text, "*") })
}

// vague is a case that says nothing of the thing.
var vague = lazy.Regexp{Source: `^(?:if|when|whenever|while) (?:ready|done|finished|you (?:can|are ready)|in doubt|unsure)\b`}

// wholeCase is a case up to a sign: "" for the beginning of a list of them.
func wholeCase(said, behind string) string {
	if inList.Get().MatchString(behind) {
		return ""
	}
	return said
}

// inList goes on with a list: ", fixed, or moved …".
var inList = lazy.Regexp{Source: `^, ?(?:[\w-]+(?: [\w-]+)?, )*(?:or|and) `}

// demandedToo reports whether another sentence of the statement wants an option that one
// forbids in some cases.
func (b *builder) demandedToo(t sentence.Term) bool {
	return b.hit.Severity == forms.Reminder && slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool {
		return p.Quote != b.quote && !anyDenial.Get().MatchString(p.Words) && slices.ContainsFunc(p.Terms, func(o sentence.Term) bool { return o.Kind == t.Kind && o.Text == t.Text })
	})
}

// anyDenial is a word of a sentence that forbids.
var anyDenial = lazy.Regexp{Source: `\b(?:never|not|don't|avoid|no|without)\b`}

// partIn is the beginning of a sentence about a part of a file: "the ‹t› in ‹p› must".
var partIn = lazy.Regexp{Source: `(?:^|: )(?:the |an? |all |every |each )*(?:(?:[\w'-]+|‹t\d+›) ){1,5}?(?:in|of|inside|within) (?:the )?(‹p\d+›) (?:must|should|has to|have to|needs? to|may|can|always|only|never|mustn't)\b`}

var (
	// bareMethod is a method of no named thing, which much other code may call.
	bareMethod = lazy.Regexp{Source: `^\.\w+(?:\(\))?$`}
	// testMethod is one that only tests have.
	testMethod = lazy.Regexp{Source: `^\.(?:only|skip|todo|fixme|concurrent)\b`}
	// ofAssertion is a heading or a sentence about what tests check.
	ofAssertion = lazy.Regexp{Source: `(?i)\bassert(?:s|ions?|ing)?\b`}
	// ofTesting is a heading about tests.
	ofTesting = lazy.Regexp{Source: `(?i)\b(?:tests?|testing|specs?)\b`}
)

// ofAssertions reports whether the name of a method is about tests by the heading or the sentences
// around it. The rule warns then: other code of a test may call it, too.
func (b *builder) ofAssertions(t string) bool {
	if !bareMethod.Get().MatchString(t) ||
		testMethod.Get().MatchString(t) ||
		!ofAssertion.Get().MatchString(strings.Join([]string{b.s.Heading(), b.s.Lead, survey.Plain(b.s.Text)}, "\n")) && !ofTesting.Get().MatchString(b.s.Heading()+"\n"+b.s.Lead) {
		return false
	}
	if b.hit.Severity == "block" {
		b.hit.Severity = forms.Reminder
	}
	return true
}

// markedPart is a sentence about a part of a file, which its marks tell: what is written into the
// file does not show where.
var markedPart = lazy.Regexp{Source: `\b(?:sections?|parts?|blocks?|regions?|texts?|contents?|lines?|code|everything|anything|areas?) (?:(?:that|which) )?(?:(?:is|are) )?(?:marked|tagged|delimited|enclosed|surrounded|wrapped|between|inside|within|below|above|after|behind|before) (?:(?:by|with|as|of|the|a|an|any|each|all) )*(?:markers? |comments? )?‹[tc]|\bbetween (?:the )?‹[tc]\d+› and (?:the )?‹[tc]`}
