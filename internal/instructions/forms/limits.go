package forms

import (
	"slices"
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
func misread(words string, from, to int, rest string, f *Form) bool {
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
	case ofNoun(before, match, words[to:]),
		actLast.Get().MatchString(match) && (sharedObject.Get().MatchString(words[to:]) || listFollows.Get().MatchString(words[to:])),
		onlySome.Get().MatchString(before),
		givenTo.Get().MatchString(rest),
		none.Get().MatchString(match) && strings.HasSuffix(strings.TrimSpace(before), "→"),
		strings.Contains(match, "not ") && placing.Get().MatchString(before),
		actLast.Get().MatchString(match) && ofSubject.Get().MatchString(SentenceFront.Get().FindString(before)),
		byMeans.Get().MatchString(words[from:]),
		withChanges.Get().MatchString(rest):
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
	// anyObject matches words that name no object of their own: everything that is committed, a place, a way, a time.
	anyObject = lazy.Regexp{Source: `\bto\b|^(?:just|only|simply|merely|even|so|on|in|into|onto|from|at|by|for|with|as|via|over|or|and|anything|everything|something|it|them|this|these|any|all|your|the|a|an|yet|again|ever|straight|yourself|first|early|here|now|code|work|new|\w+ly)\b|\b(?:changes?|edits?|commits?|branch(?:es)?|files?|work|code|modifications)$`}
)

// ofSubject is a sentence about files: "‹p› is generated, never ‹a›", "put it in ‹p› (never ‹a›)".
var ofSubject = lazy.Regexp{Source: `‹p\d+›`}

// byMeans is the command that an act must not use.
var byMeans = lazy.Regexp{Source: `‹a\d+› (?:directly |manually )?(?:with|using|via|by|through) (?:the |bare |plain )?‹c`}

// InState is the state in which an act is forbidden, in front of an exception: "with failing tests
// unless the user asks".
var InState = lazy.Regexp{Source: `^with [^‹.,;:(]{3,60}? (?:unless|until|except|without|other than)\b`}

var (
	// bannedKind is an act that is said to be forbidden, kindFront an adjective in front of it that limits it to a kind.
	bannedKind = lazy.Regexp{Source: `^‹a\d+› (?:is|are) `}
	kindFront  = lazy.Regexp{Source: `(?:^|[.;:—–,] ?)(?:[\w-]+ )*(?:[a-z]+-[a-z]+|pure|unreviewed|unsigned|untested|draft|automated|generated|large|huge) $`}
)

// withChanges goes on with what a pull request is not to change.
var withChanges = lazy.Regexp{Source: `^(?:with|containing|including) (?:any )?(?:changes|edits|modifications) (?:to|in|of)\b`}

// actLast is a text that ends with an act.
var actLast = lazy.Regexp{Source: `‹a\d+›$`}

// wished and wishedFor are conditions that the reader decides on.
var wished = lazy.Regexp{Source: `^,? (?:when|if|whenever) you (?:want|wish|would like|like|prefer|choose)\b`}

var wishedFor = lazy.Regexp{Source: `\b(?:when|if|whenever) you (?:want|wish|would like|like|prefer|choose) [^.;]*$`}

// OnTests are words about tests alone.
var OnTests = lazy.Regexp{Source: `^(?:(?:writing|adding|changing|editing|modifying|creating|updating|touching|making|working on|new|or|and|any|the|,|/) ?)*tests?\W*$`}

// within reports whether a clause belongs to a relative one in front of it: run ‹c›, which
// reads it before …
func within(all []clause, k int) bool {
	front := strings.TrimSpace(all[k-1].text)
	return all[k-1].Conj == "that" && all[k].Conj != "" && !strings.HasSuffix(front, ",") && !strings.HasSuffix(front, "—") && !strings.HasSuffix(front, ")")
}

// behindTopic reports whether a verb begins a clause behind a comma that the one in front
// does not go on with: for ‹words›, run …; avoid ‹words›, use …
func (p *parser) behindTopic(i int) bool {
	c := p.last()
	said := strings.Fields(strings.Trim(p.words[c.From:p.at[i][0]], " ,"))
	switch {
	case p.text(i-1) != "," || len(said) < 2:
		return false
	case !c.Not:
		return c.Conj == "when" && len(c.verbs) == 0 && c.Objects == ""
	case c.Conj != "":
		return false
	case said[0] == "avoid": // a list of it has other forms of the verb
		return true
	}
	unknown := slices.DeleteFunc(said, func(w string) bool { return front.Get().MatchString(w) })
	return (c.Objects != "" || c.gap > 0 || len(c.verbs) == 0 && len(unknown) > 1) && slices.Contains([]string{"use", "prefer"}, p.text(i)) && !strings.Contains(p.words[p.at[i][0]:], ", or ")
}

// AimBehind is what something is done for, behind a case: "after changing code to ensure …".
var AimBehind = lazy.Regexp{Source: ` (?:in order )?to (?:ensure|verify|confirm|make sure|guarantee|validate|catch|prevent|maintain)\b.*$`}

// withoutAim are the words behind a wish for one thing and not another, without its aim: that is the
// aim of what to use.
func withoutAim(wish, after string) string {
	if !usage.Get().MatchString(wish) {
		return after
	}
	return AimBehind.Get().ReplaceAllString(AimedFor.Get().ReplaceAllString(after, ""), "")
}

// AimedFor is what is gained by one thing in the place of another, which limits neither: "for better error
// handling".
var AimedFor = lazy.Regexp{Source: ` for (?:(?:a |the )?(?:better|best|cleaner|clearer|easier|simpler|faster|safer|proper|consistent|improved|greater|more|maximum|full|sake)\b[^.,;:()—–]*|(?:clarity|consistency|safety|security|readability|performance|simplicity|compatibility|maintainability|portability|correctness)(?:$|[.,;:()—–]))`}

// tail is a clause without its conjunction and the signs at its end.
func (c *clause) tail() string {
	words := strings.TrimRight(AimBehind.Get().ReplaceAllString(rest(c), ""), " ,:;.—–-(")
	if closed, ok := strings.CutSuffix(words, ")"); ok && !strings.Contains(closed, "(") {
		return closed
	}
	return words
}

// leaving is the beginning of a clause about files that go or get another place, and no
// other change of them.
var leaving = lazy.Regexp{Source: `^(?:(?:never|do|don't|not|avoid|ever|must|should|directly|manually) )*(?:(?:delet|remov|renam|mov)(?:e|ing)(?:,? or |,? and |, |/| )?)+(?:(?:any|the|existing|of|files?|folders?|director(?:y|ies)|under|in|from|inside|within|at|anything|everything|them|it)\b ?)*$`}

// asProhibition is the form of a clause that forbids, by what it says of files.
func asProhibition(c *clause, form string) string {
	if form == "never-delete" && c.lies() {
		return "never-create"
	}
	before, _, _ := strings.Cut(c.text, "‹")
	if form == "never-edit" && strings.Contains(c.Objects, "‹p") && leaving.Get().MatchString(before) {
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

// prefers is a wish for one of two commands, however often it holds.
var prefers = lazy.Regexp{Source: `\b(?:always )?prefer(?:red)?\b`}

// adds is a condition about what a command adds.
var adds = lazy.Regexp{Source: `\b(?:add|updat|upgrad|remov|bump|install)\w*\b[^.]*(?:‹a|\b(?:dependenc|packages?\b|deps?\b))`}

// doubt is a case that only the reader knows.
var doubt = lazy.Regexp{Source: `\b(?:unclear|unsure|uncertain|ambiguous|confusing|not (?:sure|clear|certain)|in doubt|have questions)\b`}

// sometimes is a limit next to what has to change with other files.
var sometimes = lazy.Regexp{Source: `^[^,;.‹]{0,30}\b(?:only (?:if|when|for|under|where)|(?:if|when|where|as) (?:needed|necessary|required))\b`}

// exampleFront is in front of what is only an example of a rule.
var exampleFront = lazy.Regexp{Source: `\((?:for example|e\.g\.|for instance),? [^)]*$`}

// unneeded is in front of what need not be done.
var unneeded = lazy.Regexp{Source: `(?:\bno need|\bneed not|\bwithout|\bnever|\bnot|n't|\bnothing)(?: (?:to|have|need|ever|any|first|having))* $`}

// sharedObject goes on with a further verb and the object of both: "never ‹a› or print the ‹p›".
var sharedObject = lazy.Regexp{Source: `^(?:(?:, [a-z-]+)+,?)? (?:or|nor) [a-z-]+ (?:(?:the|an?|any|their|its|it|them|those|these|real|raw|copies|parts)\b|(?:[a-z-]+ ){0,3}‹[pt])|^(?:, [a-z-]+)*,? and [a-z-]+ (?:their|its|it|them|those|these|any of)\b|^(?:/[a-z-]+)+ (?:[a-z-]+ ){0,3}‹[pt]`}

// listFollows is the end of a prohibition whose objects are listed below it.
var listFollows = lazy.Regexp{Source: `^(?: (?:any of )?(?:the following|these)(?: \w+)?)?:\W*$`}

// dropped is the beginning of a clause about files that are not to lie somewhere.
var dropped = lazy.Regexp{Source: `\b(?:drop|dump)(?:p?ing)? (?:(?:the|any|an?|your|new) )*$`}

// InPlaceOf is the place of such files.
var InPlaceOf = lazy.Regexp{Source: `^ ?(?:files? )?((?:at|in|inside|into|under|within|next to|beside) [^.;:—–(]{3,80})`}

// lies reports whether a clause with a verb for deleting is about where files are not to be.
func (c *clause) lies() bool {
	before, behind, ok := strings.Cut(c.text, c.Objects)
	return ok && dropped.Get().MatchString(before) && InPlaceOf.Get().MatchString(behind)
}

// About is the beginning of a sentence that has files for its subject.
var About = lazy.Regexp{Source: `^(?:[\w ]{0,20}: ?)?(?:(?:the|all|any|every|each|in|inside|within|under|for|module|file|files|code|package) )*‹p\d+›(?: (?:files?|code|package|module|folder|directory))?,? `}

// nounFront is the end of words about files or data: what follows forbids something to do to them.
var nounFront = lazy.Regexp{Source: `\b(?:files?|outputs?|artifacts?|artefacts?|secrets?|credentials?|keys?|tokens?|builds?|dumps?|data|logs?|caches?|binar(?:y|ies)|folders?|director(?:y|ies)|configs?|configurations?|archives?|snapshots?|backups?|database|downloads?)(?: [\w-]+)?\W*$`}

// ofNoun reports whether an act without an object is about the noun in front of it: "the cache
// (do not push)", "build outputs: never commit".
func ofNoun(before, match, after string) bool {
	if !actLast.Get().MatchString(match) {
		return false
	}
	const signs = " (,:—–-"
	before += match[:len(match)-len(strings.TrimLeft(match, signs))]
	whole := strings.TrimRight(before, signs)
	front := strings.TrimSpace(segment.Get().FindString(whole))
	if front == "" || strings.Contains(front, "‹a") {
		return false
	}
	noun := nounFront.Get().MatchString(front) && (strings.Count(front, " ") < 2 || !Imperative(front))
	if strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")") {
		return noun || !Imperative(front) && !ofReader.Get().MatchString(front)
	}
	return noun && whole != strings.TrimRight(before, " ") && strings.Trim(after, ".,;:!) ") == ""
}

// owned is a file of another thing than the working tree: "a ‹p› branch's ‹p›".
var owned = lazy.Regexp{Source: `‹[pt]\d+› (?:branch|tag|release|version|repo|repository|fork|project)'s ‹p`}
