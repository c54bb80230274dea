package instructions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// ownObject is what an act is done to, where the act alone is not what is forbidden.
	ownObject = lazy.Regexp{Source: `^(?:an?|any|your|someone's) (?:[\w-]+ )?(\w+)`}
	// onlySome begins a sentence about which things are in a place.
	onlySome = lazy.Regexp{Source: `^\W*only (?:[\w-]+ ){1,3}(?:go|goes|belong|belongs|appear|appears|live|lives|get|gets|have|has|are|is|need|needs)\b`}
	// givenTo is what a command is not to be given, which may run without it.
	givenTo = lazy.Regexp{Source: `^(?:directly )?(?:with|on) (?:an? |any |the )?(?:[\w-]+ ){0,2}(?:arguments?|args?|parameters?|file ?names?|paths?)\b`}
	// placing is the beginning of a contrast of places: the app deploys to ‹word›, not ‹c›.
	placing = lazy.Regexp{Source: `^(?:the|this|it|each|every|all|our)\b[^.;:]*\b(?:deploys|publishes|ships|goes|lives|belongs|comes|points|resolves|syncs|releases|uploads|reads|writes|maps|returns) (?:to|on|onto|from|in|into|at|through|via|by) [^.,;:]*$`}
)

// misread reports whether a prohibition is about another thing than what was found.
func misread(words string, from, to int, rest string, f *form) bool {
	before, match := words[:from], words[from:to]
	switch {
	case bannedKind.Get().MatchString(match) && kindFront.Get().MatchString(before): // only those of a kind
		return true
	case f.Rule == "pins":
		return limit.Get().MatchString(words[from:]) // it says when, and so that others are not
	case f.Rule == "content":
		return ofOthers(words, from) && importing.Get().MatchString(match) && !strings.Contains(before, "‹") // others may
	case f.Rule != "commands":
		return false
	case ofNoun(before, match, words[to:]), actLast.Get().MatchString(match) && (sharedObject.Get().MatchString(words[to:]) || listFollows.Get().MatchString(words[to:])), onlySome.Get().MatchString(before), givenTo.Get().MatchString(rest), none.Get().MatchString(match) && strings.HasSuffix(strings.TrimSpace(before), "→"), strings.Contains(match, "not ") && placing.Get().MatchString(before), actLast.Get().MatchString(match) && ofSubject.Get().MatchString(sentenceFront.Get().FindString(before)), byMeans.Get().MatchString(words[from:]), withChanges.Get().MatchString(rest):
		return true
	}
	if m := plainObject.Get().FindStringSubmatch(rest); m != nil && actLast.Get().MatchString(match) && !anyObject.Get().MatchString(m[1]) {
		return true
	}
	m := ownObject.Get().FindStringSubmatch(rest)
	return m != nil && actLast.Get().MatchString(match) && !slices.Contains([]string{"change", "changes", "code", "commit", "commits", "work", "branch", "branches", "file", "files", "remote", "time", "way", "reason", "circumstances"}, m[1])
}

var (
	// inExample ends within an example in brackets.
	inExample = lazy.Regexp{Source: `\((?:e\.g\.|for example|for instance)[, ]*[^()]*$`}
	// plainObject is what an act is done to, in front of a case: "API keys unless asked".
	plainObject = lazy.Regexp{Source: `^((?:[a-z-]+ ){0,4}[a-z-]+) (?:unless|until|without|before|if|when|except)\b`}
	// anyObject is no thing of its own: all that is committed, or a place, a way or a time.
	anyObject = lazy.Regexp{Source: `\bto\b|^(?:just|only|simply|merely|even|so|on|in|into|onto|from|at|by|for|with|as|via|over|or|and|anything|everything|something|it|them|this|these|any|all|your|the|a|an|yet|again|ever|straight|yourself|first|early|here|now|code|work|new|\w+ly)\b|\b(?:changes?|edits?|commits?|branch(?:es)?|files?|work|code|modifications)$`}
)

// ofSubject is a sentence about files: "‹p› is generated, never ‹a›", "put it in ‹p› (never ‹a›)".
var ofSubject = lazy.Regexp{Source: `‹p\d+›`}

// byMeans is the command that an act must not use.
var byMeans = lazy.Regexp{Source: `‹a\d+› (?:directly |manually )?(?:with|using|via|by|through) (?:the |bare |plain )?‹c`}

var (
	// someKind is a word for some dependencies in front of them, someThat one behind them.
	someKind = lazy.Regexp{Source: `(?i)\b((?:heavy|heavyweight|large|big|native|optional|transitive|copyleft|unmaintained|unvetted|duplicate|overlapping|unnecessary|unneeded|needless|circular|platform-specific) (?:[\w-]+ )?(?:dependenc(?:y|ies)|packages|librar(?:y|ies)))\b`}
	someThat = lazy.Regexp{Source: `(?i)\b((?:an? )?(?:new )?(?:dependenc(?:y|ies)|packages?|librar(?:y|ies)) (?:that|which|for an?|whose|already|not (?:already|yet|in)) [^.,;:()—–]{3,70}?)(?: (?:without|unless|if|when)\b|[.,;:—–(]|$)`}
)

// ofSomeDependencies says in a message about dependencies which of them a line means. What a
// command adds does not tell it.
func (b *builder) ofSomeDependencies(message string) string {
	if !slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return t.Kind == 'a' && t.Text == "dependencies" }) {
		return message
	}
	for _, re := range []*lazy.Regexp{&someKind, &someThat} {
		m := re.Get().FindStringSubmatch(plain(b.quote))
		if m == nil {
			continue
		}
		if b.hit.severity == "block" || b.hit.severity == reminder {
			b.hit.severity = "warn"
		}
		return ifAbout(strings.TrimSpace(m[1])) + lowered(message)
	}
	return message
}

// inState is the state in which an act is forbidden, in front of an exception: "with failing tests
// unless the user asks".
var inState = lazy.Regexp{Source: `^with [^‹.,;:(]{3,60}? (?:unless|until|except|without|other than)\b`}

var (
	// bannedKind is an act that is said to be forbidden, kindFront an adjective in front of it that limits it to a kind.
	bannedKind = lazy.Regexp{Source: `^‹a\d+› (?:is|are) `}
	kindFront  = lazy.Regexp{Source: `(?:^|[.;:—–,] ?)(?:[\w-]+ )*(?:[a-z]+-[a-z]+|pure|unreviewed|unsigned|untested|draft|automated|generated|large|huge) $`}
)

// withChanges goes on with what a pull request is not to change.
var withChanges = lazy.Regexp{Source: `^(?:with|containing|including) (?:any )?(?:changes|edits|modifications) (?:to|in|of)\b`}

// actLast is a text that ends with an act.
var actLast = lazy.Regexp{Source: `‹a\d+›$`}

// ofTitle reports whether a sentence is about the option for a title.
func (b *builder) ofTitle() bool {
	return slices.ContainsFunc(b.hit.phrase.Terms, func(t sentence.Term) bool { return strings.Contains(t.Text, "--title") })
}

// bareSecrets is a sentence that says no more than that there are none.
var bareSecrets = lazy.Regexp{Source: `^(?:no [\w ]{2,30}, (?:and )?)*no (?:secrets|credentials|api[- ]keys)\W*$`}

// tellsOfSecrets reports whether a sentence goes on with what the one in front tells of.
func (b *builder) tellsOfSecrets() bool {
	if secretsIn.Get().MatchString(b.hit.phrase.Words) && !inSources.Get().MatchString(b.hit.phrase.Words) {
		return true
	}
	if ofPrograms.Get().MatchString(b.hit.phrase.Words) && !inSources.Get().MatchString(b.hit.phrase.Words) {
		return true
	}
	i := slices.IndexFunc(b.s.phrases, func(p sentence.Phrase) bool { return p.Quote == b.quote })
	return i > 0 && bareSecrets.Get().MatchString(b.hit.phrase.Words) && !imperative(b.s.phrases[i-1].Words)
}

// ofPrograms is a line about what a program does with the secrets of its users, or shows them.
var ofPrograms = lazy.Regexp{Source: `\b(?:stor|sav|persist)(?:e|ing)\b[^.;‹]{0,40}\bpasswords?\b|\b(?:secrets?|credentials|keys?|tokens?|variables)\b[^.;‹]{0,30} (?:(?:to|on) (?:the )?(?:clients?|browsers?|front-?end|end users?|public)|in (?:the |a )?(?:databases?|local ?storage|session ?storage|cookies?|caches?|redis|memory))\b`}

// inSources is a line about what is written or committed, too.
var inSources = lazy.Regexp{Source: `\b(?:code|sources?|files?|repo\w*|commit\w*|hard-?cod\w*)\b|‹a`}

// secretsIn is a line about secrets in what a program shows or passes on.
var secretsIn = lazy.Regexp{Source: `\b(?:secrets?|credentials|keys?|tokens?|passwords?)\b[^.;‹]{0,30} in (?:any |the |your |api |http |error |command |test |ci |build |deployment )*(?:outputs?|responses?|urls?|query (?:strings?|parameters?)|screenshots?|messages?|replies|answers|chats?|prompts?|headers?)\b`}

// ofOtherAct reports whether files are named behind an act that is not about commits.
func (b *builder) ofOtherAct() bool {
	before, _, _ := strings.Cut(b.hit.phrase.Words, sentence.Mark.Get().FindString(b.hit.slots["path"]))
	acts := b.hit.phrase.TermsIn(before)
	return b.hit.form.Name == "never-commit-file" && len(acts) > 0 && acts[len(acts)-1].Kind == 'a' && !slices.Contains([]string{"commit", "push", "stage-all"}, acts[len(acts)-1].Text)
}

var (
	// ownCase is the case of an item among others that are always done.
	ownCase = lazy.Regexp{Source: `\((?:only )?(?:if|when|whenever|for|on)\b[^)]*\b(?:chang\w*|touch\w*|modif\w*|add\w*|updat\w*|edit\w*|renam\w*|remov\w*|affect\w*|only)\b[^)]*\)`}
	// wished and wishedFor are conditions that the reader decides on.
	wished    = lazy.Regexp{Source: `^,? (?:when|if|whenever) you (?:want|wish|would like|like|prefer|choose)\b`}
	wishedFor = lazy.Regexp{Source: `\b(?:when|if|whenever) you (?:want|wish|would like|like|prefer|choose) [^.;]*$`}
	// ofTouched is about a job of each part that changed.
	ofTouched = lazy.Regexp{Source: `\b(?:for|in|on|of) (?:every|each|any|all|the) (?:[\w-]+ ){1,3}(?:you |that |were |was )*(?:touch|chang|modif|edit|affect)\w*`}
	// invents is a command with an invented name, such as my_test, which no call has.
	invents = lazy.Regexp{Source: `(?:^|[\s/_.=:-])(?:my|your|foo|xxx)(?:[_-]\w+|$|[\s/.])|[_-](?:my|your)[_-]|\bTest(?:Name|Foo|X+|Something)\b`}
	// onTests are words about tests alone.
	onTests = lazy.Regexp{Source: `^(?:(?:writing|adding|changing|editing|modifying|creating|updating|touching|making|working on|new|or|and|any|the|,|/) ?)*tests?\W*$`}
)

// within reports whether a clause belongs to a relative one in front of it: run ‹c›, which
// reads it before …
func within(all []clause, k int) bool {
	front := strings.TrimSpace(all[k-1].text)
	return all[k-1].conj == "that" && all[k].conj != "" && !strings.HasSuffix(front, ",") && !strings.HasSuffix(front, "—") && !strings.HasSuffix(front, ")")
}

// behindTopic reports whether a verb begins a clause behind a comma that the one in front
// does not go on with: for ‹words›, run …; avoid ‹words›, use …
func (p *parser) behindTopic(i int) bool {
	c := p.last()
	said := strings.Fields(strings.Trim(p.words[c.from:p.at[i][0]], " ,"))
	switch {
	case p.text(i-1) != "," || len(said) < 2:
		return false
	case !c.not:
		return c.conj == "when" && len(c.verbs) == 0 && c.objects == ""
	case c.conj != "":
		return false
	case said[0] == "avoid": // a list of it has other forms of the verb
		return true
	}
	unknown := slices.DeleteFunc(said, func(w string) bool { return front.Get().MatchString(w) })
	return (c.objects != "" || c.gap > 0 || len(c.verbs) == 0 && len(unknown) > 1) && slices.Contains([]string{"use", "prefer"}, p.text(i)) && !strings.Contains(p.words[p.at[i][0]:], ", or ")
}

// aimBehind is what something is done for, behind a case: "after changing code to ensure …".
var aimBehind = lazy.Regexp{Source: ` (?:in order )?to (?:ensure|verify|confirm|make sure|guarantee|validate|catch|prevent|maintain)\b.*$`}

// withoutAim are the words behind a wish for one thing and not another, without its aim: that is the
// aim of what to use.
func withoutAim(wish, after string) string {
	if !usage.Get().MatchString(wish) {
		return after
	}
	return aimBehind.Get().ReplaceAllString(aimedFor.Get().ReplaceAllString(after, ""), "")
}

// aimedFor is what is gained by one thing in the place of another, which limits neither: "for better error
// handling".
var aimedFor = lazy.Regexp{Source: ` for (?:(?:a |the )?(?:better|best|cleaner|clearer|easier|simpler|faster|safer|proper|consistent|improved|greater|more|maximum|full|sake)\b[^.,;:()—–]*|(?:clarity|consistency|safety|security|readability|performance|simplicity|compatibility|maintainability|portability|correctness)(?:$|[.,;:()—–]))`}

// reasonBehind is why something is forbidden, behind it.
var reasonBehind = lazy.Regexp{Source: `,? (?:because|since|so that|as (?:it|its|this|that|they|these|those|the|an?|there|doing)) .*$`}

// tail is a clause without its conjunction and the signs at its end.
func (c *clause) tail() string {
	words := strings.TrimRight(aimBehind.Get().ReplaceAllString(rest(c), ""), " ,:;.—–-(")
	if closed, ok := strings.CutSuffix(words, ")"); ok && !strings.Contains(closed, "(") {
		return closed
	}
	return words
}

// leaving is the beginning of a clause about files that go or get another place, and no
// other change of them.
var leaving = lazy.Regexp{Source: `^(?:(?:never|do|don't|not|avoid|ever|must|should|directly|manually) )*(?:(?:delet|remov|renam|mov)(?:e|ing)(?:,? or |,? and |, |/| )?)+(?:(?:any|the|existing|of|files?|folders?|director(?:y|ies)|under|in|from|inside|within|at|anything|everything|them|it)\b ?)*$`}

// asProhibition is the form of a clause that forbids, by what it says of files.
func asProhibition(p *sentence.Phrase, c *clause, form string) string {
	if form == "never-delete" && c.lies() {
		return "never-create"
	}
	before, _, _ := strings.Cut(c.text, "‹")
	if form == "never-edit" && strings.Contains(c.objects, "‹p") && leaving.Get().MatchString(before) {
		return "never-delete"
	}
	return form
}

// intoAFile reports whether something is put into files, which changes them.
func intoAFile(p *sentence.Phrase, c *clause, objects, form string) bool {
	return form == "never-create" && slices.Contains([]string{"to", "into", "in"}, c.prep) && filledIn(p, c, objects)
}

// filledIn reports whether names are those of files that get a part of them.
func filledIn(p *sentence.Phrase, c *clause, objects string) bool {
	return onlyFiles(p, objects) || partOfFile.Get().MatchString(c.text)
}

// partOfFile is a part of a file, such as a field or a line, that is put into it.
var partOfFile = lazy.Regexp{Source: `\badd(?:ing)? (?:[\w-]+ ){0,3}(?:fields?|keys?|entries|entry|lines?|settings?|values?|options?|variables?|columns?|aliases|sections?|rows?) to (?:the |your |our )?‹p\d+›`}

var (
	// prefers is a wish for one of two commands, however often it holds.
	prefers = lazy.Regexp{Source: `\b(?:always )?prefer(?:red)?\b`}
	// adds is a condition about what a command adds.
	adds = lazy.Regexp{Source: `\b(?:add|updat|upgrad|remov|bump|install)\w*\b[^.]*(?:‹a|\b(?:dependenc|packages?\b|deps?\b))`}
	// doubt is a case that only the reader knows.
	doubt = lazy.Regexp{Source: `\b(?:unclear|unsure|uncertain|ambiguous|confusing|not (?:sure|clear|certain)|in doubt|have questions)\b`}
	// partName goes on with what a name is one of.
	partName = lazy.Regexp{Source: `^ (?:flags?|options?|parameters?|arguments?|switch(?:es)?|fields?|columns?|labels?|keys?|attributes?|props?|commands?|scripts?|endpoints?|routes?|jobs?|tags?)\b`}
)

// namesPart reports whether a name is that of a part of something, and no package.
func (b *builder) namesPart(t string) bool {
	for i, of := range b.hit.phrase.Terms {
		if _, behind, _ := strings.Cut(b.hit.phrase.Words, "‹t"+strconv.Itoa(i)+"›"); of.Text == t && partName.Get().MatchString(behind) {
			return true
		}
	}
	return false
}

var (
	// sometimes is a limit next to what has to change with other files.
	sometimes = lazy.Regexp{Source: `^[^,;.‹]{0,30}\b(?:only (?:if|when|for|under|where)|(?:if|when|where|as) (?:needed|necessary|required))\b`}
	// exampleFront is in front of what is only an example of a rule.
	exampleFront = lazy.Regexp{Source: `\((?:for example|e\.g\.|for instance),? [^)]*$`}
	// ofBoth is about a change of two kinds of files at once.
	ofBoth = lazy.Regexp{Source: `\b(?:if|when|whenever|after)\b[^,‹]*\b(?:spans?|touch(?:es)?|affects?|changed?|modif(?:y|ied)|involves?) both\b`}
)
