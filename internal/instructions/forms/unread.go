package forms

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A prohibition forbids too much if the form does not read a word that limits it. So each
// word of the clause must belong to the form or to the lists below, whose words do not limit
// it. With any other word the rule only warns, or the line makes no rule.

// The words that may follow a name and do not limit a prohibition: the nouns of its kind, and
// words for all that an agent does.
const (
	behindName  = `^(?:[ '"*]*(?:`
	nounsOfFile = `files?|scripts?|folders?|director(?:y|ies)|paths?|itself|code|or anything (?:in|under) (?:it|them)|to git|in commits`
	nounsOfRun  = `anything|commands?|usages?|calls?|scripts?|files?|prs?|code|branch(?:es)?|(?:\w+ )?workflow|as (?:an? )?drafts?|to git|in production|to any (?:remote |shared )?branch(?:es)?`
	nounsOfFlag = `flags?|options?|commands?|switch(?:es)?|arguments?`
	nounsOfCode = `types?|calls?|functions?|statements?|usages?|imports?|patterns?|comments?|renames|files?|paths?|code|in production|in code|in tests|in commits|in (?:production|library|non-test)(?: \w+)? (?:code|files?)`
	nounsOfAll  = nounsOfFile + `|` + nounsOfCode + `|branch(?:es)?`
	always      = `|directly|manually|by hand|yourself|instead|ever|in this repo(?:sitory)?|in this project|anywhere|at all|for any (?:purpose|reason)s?|either|here|on your own|locally|for now|at the moment|currently|at this (?:time|point|stage)|full stop|period|when (?:committing|pushing|merging)|with ‹[fc]\d+›|` +
		`in (?:source|application|app|committed|new|the|public|our|your) (?:code|files?|codebase|repo|repository|project)|\([^)]*\)))*[ '"*]*`
)

var (
	ofFile = lazy.Regexp{Source: behindName + nounsOfFile + always}
	ofRun  = lazy.Regexp{Source: behindName + nounsOfRun + always}
	ofFlag = lazy.Regexp{Source: behindName + nounsOfFlag + always}
	ofCode = lazy.Regexp{Source: behindName + nounsOfCode + always}
	ofAll  = lazy.Regexp{Source: behindName + nounsOfAll + always}
)

// thingIn is a thing in a file, behind its name: "‹p› compatibility dates".
var thingIn = lazy.Regexp{Source: `^ ?(?:[a-z][\w-]* ){0,2}(?:dates?|versions?|settings?|entries|entry|fields?|values?|keys?|sections?|bindings?|options?|rules?|lists?|thresholds?|limits?|scripts?|permissions?|triggers?|names?|types?|schemas?)\b`}

// Skip is a text without the words at its beginning that do not limit a prohibition.
func (f *Form) Skip(s string) string {
	re := &ofAll
	switch f.Rule {
	case "writes", "creates", "deletes", "reads", "stages":
		re = &ofFile
	case "commands", "job":
		re = &ofRun
	case "options":
		re = &ofFlag
	case "content", "imports":
		re = &ofCode
	}
	return s[len(re.Get().FindString(s)):]
}

var (
	// toName are the words between a prohibition and the name that it is about.
	toName = lazy.Regexp{Source: `\b(?:never|not|don't|no|avoid|instead of|rather than|over|in place of)\b([^‹]*)‹`}
	word   = lazy.Regexp{Source: `[\p{L}\d'-]+`}
	// harmless are the words in front of a name that do not limit it: verbs, articles, and adjectives that fit each.
	harmless = lazy.Regexp{Source: `^(?:the|any|all|an?|your|our|my|this|that|these|those|of|in|under|from|to|with|via|by|as|and|or|nor|not|never|do|ever|try|attempt|like|such|following|both|either|other|another|else|own|` +
		`raw|bare|plain|multi-line|markdown|commonjs|direct|directly|manual|manually|new|existing|deprecated|legacy|old|obsolete|inline|literal|default|wildcard|unused|hardcoded|global|globally|system|system-wide|standalone|explicit|unsolicited|generic|ad-?hoc|proactively|automatically|simply|just|even|allowed|more|longer|` +
		`commands?|operations?|tools?|options?|flags?|types?|statements?|calls?|usages?|imports?|paths?|strings?|values?|urls?|versions?|packages?|library|libraries|dependenc(?:y|ies)|functions?|methods?|files?|code|anything|` +
		`(?:use|using|run|running|rerun|execut|call|invok|issu|perform|type|reach|fall|back|switch|add|adding|writ|introduc|leav|includ|hard-?cod|rely|put|have|import|mix|depend|reintroduc|emit|declar|return|throw|rais|catch|employ|suppress|resort|replac|install|referenc|pass|set|specify|supply|append|apply|skip|bypass|start|stop|open|appl|drop|remov|creat|modif|mak|touch|chang|delet|manag|post|prefer|suggest|recommend)(?:e|ing|es|ting|ping|ding)?|on|for)$`}
)

// unread reports whether a word of a clause tells in which cases a prohibition holds, or
// which of the things of a name it is about: "never use parallel ‹c›".
func (f *Form) unread(before, said, after string) bool {
	tail := "" // of the pattern, behind the last name
	if at := strings.LastIndex(said, "›"); at >= 0 {
		tail = said[at+len("›"):]
	}
	return f.inCase(before, said) || f.ofSome(said) || f.limits(tail+after)
}

// ofSome reports whether there is a word in front of a name that tells which of the things of
// that name are meant.
func (f *Form) ofSome(said string) bool {
	all := toName.Get().FindAllStringSubmatch(said, -1)
	if len(all) == 0 || !slices.Contains([]string{"commands", "options", "content"}, f.Rule) {
		return false
	}
	gap := all[len(all)-1][1]
	if end := strings.TrimRight(gap, " "); strings.HasSuffix(end, "(") || strings.HasSuffix(end, ":") {
		return false // the name is one of what the words say
	}
	return slices.ContainsFunc(word.Get().FindAllString(gap, -1), func(w string) bool {
		return !harmless.Get().MatchString(w) && len(All().verbs[w]) == 0
	})
}

var (
	// caseOf begins a part of a sentence that says when the rest of it holds.
	caseOf = lazy.Regexp{Source: `(?:^|[:(—–] ?|, )(?:and |but |or )?(?:when|whenever|while|if|during|once|where|inside|outside|within|in|for|under|from) [^:—–]*[,:—–] ?(?:[\w ]{1,20} )?$`}
	// limitBehind is a case behind what is forbidden.
	limitBehind = lazy.Regexp{Source: `^[^.;!?—–]*?(?:, ?(?:and |but |or )?(?:only |especially |particularly )?(?:when|whenever|while|if|during|inside|outside|within|for|in|on|from|with|without|against|between|across|under|unless|except|only)|\((?:only |especially |particularly )?(?:when|whenever|while|if|during|inside|outside|within|for|in|without|unless|except|only))\b`}
	// listTail is a further thing in plain words, with what limits all of the list.
	listTail = lazy.Regexp{Source: `^(?:(?:and|or) |/ ?)(?:[\w'-]+ ){1,4}?((?:for|in|on|when|if|inside|outside|within|during|to|from|with|without|as|against|across|between|while|under|after|before|where|that|which)\b [^.,;:—–()|→‹]*)(?:$|[.,;:—–()|→])`}
	// NoLimit is what such words say of all cases.
	NoLimit = lazy.Regexp{Source: `(?:,|\() ?(?:and |but |or )?(?:for (?:now|example|any|all|every|consistency|safety|security|clarity)|in (?:favou?r|particular|general|order|fact|which|any|this|production|library|non-test|committed)|with(?:out)? exception|under (?:any|no)|on (?:any|no))\b`}
)

// inCase reports whether the sentence says in front of a prohibition when that holds.
func (f *Form) inCase(before, said string) bool {
	sign := said[:len(said)-len(strings.TrimLeft(said, ",:—–( -"))] // it may end the case
	front := SentenceFront.Get().FindString(before + sign)
	return caseOf.Get().MatchString(front) && !NoLimit.Get().MatchString(","+front) && !(f.Rule == "content" && About.Get().MatchString(front))
}

var (
	// goingOn goes on with a sentence, or has a subject in front.
	goingOn = lazy.Regexp{Source: `^(?:and|but|so|or|then) |^never (?:\w+ly )?(?:run|use|call|push|commit|publish|edit|modifie|touche|write|create|add|delete|remove|read|import|depend|install|execute|invoke)s\b`}
	// toReader goes on with what follows for the reader.
	toReader = lazy.Regexp{Source: `^so (?:please )?(?:do not|don't|never) (?:use|add|call|write|import|introduce)\b`}
	// ofReader is a sentence that says what a reader does, or what holds for all of a project.
	ofReader = lazy.Regexp{Source: `^\W*(?:[\w -]{1,20}: ?)?(?:you|we|i|agents?|claude|codex|it|this (?:repo(?:sitory)?|project|codebase)|(?:the|our) (?:repo(?:sitory)?|project|codebase|team)|code|always|only|must|should|all|every|each|any|both)\b|\b(?:never|not|no|don't|avoid|must|should)\b`}
)

// describes reports whether a prohibition goes on with a sentence about what others do: "the
// bot opens a branch and never runs ‹c›".
func describes(before, said string) bool {
	front := strings.TrimSpace(segment.Get().FindString(strings.TrimRight(before, " ,")))
	if toReader.Get().MatchString(said) {
		return false
	}
	return front != "" && goingOn.Get().MatchString(said) && !Imperative(front) && !ofReader.Get().MatchString(front)
}

var (
	// inOrder is where in the code something is not to be, or after what else, which no text shows.
	inOrder = lazy.Regexp{Source: `^(?:right |immediately |directly )?(?:after|before|behind|between|next to)\b|^as (?:an? |the |your )?(?:first|last|default|primary|go-to|catch-all|fallback)\b|^as an? (?:[\w-]+ ){0,3}(?:path|way|means|mechanism|workaround|shortcut|substitute|replacement|hatch|solution|crutch)\b`}
	// negates is a word that forbids by itself: "not" alone only tells two things apart.
	negates = lazy.Regexp{Source: `\b(?:never|do not|don't|avoid|must|should)\b`}
)

// offered reports whether one of two things may be used, so that the other is not forbidden:
// "tests can use ‹t› (not ‹t›)".
func offered(before, said string) bool {
	return !negates.Get().MatchString(said) && permits.Get().MatchString(before)
}

// limits reports whether the sentence says behind a prohibition when that holds: in
// parentheses, behind a comma, or behind a further thing in plain words, as in "‹t› or format
// strings for queries".
func (f *Form) limits(after string) bool {
	if m := listTail.Get().FindStringSubmatch(f.Skip(after)); m != nil && f.Skip(m[1]) != "" {
		return true
	}
	return limitBehind.Get().MatchString(after) && !NoLimit.Get().MatchString(after)
}
