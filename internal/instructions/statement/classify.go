package statement

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Patterns of phrases.
var (
	// Binding is a word that makes a sentence a directive wherever it is in it.
	Binding = lazy.Regexp{Source: `\b(?:must|never|always|do not|don't|should|shouldn't|ensure|make sure|be sure|mandatory|required to|is required|are required|forbidden|prohibited|not allowed|disallowed|banned|off-limits|avoid|please|remember to|need to|needs to|have to|has to|prefer|preferred|require[sd]?|needs? (?:\w+ ){0,3}(?:coverage|tests?|approval|review|permission|changeset|entry|line|row|link)|at least|no more than|blocked|resist|instead of|rather than|only (?:use|edit|touch|modify|change|create|write)|not permitted|may only|may not|shall|are to be|out of scope|strictly|immutable|read-only|is frozen|are frozen|keep)\b|[(,] ?(?:not|never|no) ‹|^(?:(?:commits?|messages?|commit messages?|(?:message |commit )?(?:format|style|convention))s?): (?:conventional|semantic) commits?\b|^branch(?:es| names?| naming)?: ‹[pt]|\bsign(?: off)? with ‹f\d+› \(dco\)|^‹[pt]\d+› ?[:—–-]+ ?[^.‹]{0,60}\b(?:deprecated|legacy|archived|vendored|frozen)\b[^.‹]{0,40}\(read-only\)`}
	// jobLine names the command of a job.
	jobLine = lazy.Regexp{Source: `^(?:run )?(?:all |the |unit |full )*(?:tests?|test suite|lint(?:ing|ers?)?|format(?:ting)?|type-? ?check(?:ing|s)?|build|auto-format|static analysis)(?: [\w()-]+){0,2} ?(?:[:—–|-]|→) ?‹c\d+›`}
	// dueLine names a command behind the moment at which it is due.
	dueLine = lazy.Regexp{Source: `^(?:always )?(?:before|prior to) (?:you |each |every |any |all |a |the |your |opening |creating |submitting )*(?:commit|push|merg|prs?\b|pull request|finish|complet)\w*(?: [a-z]+){0,3}[,:]? (?:always |please |you must )*(?:run:? |execute:? )?‹c\d+›`}
	// managerLine names the package manager, which its reader is to use.
	managerLine = lazy.Regexp{Source: `^(?:package|dependency)(?: manager| management)[:—– -]+ ?(?:‹c\d+›|p?npm|yarn|bun|uv|poetry)(?:$|[.;]| \(| v?\d)|^‹c\d+› package manager(?:$|[.;]| \(| v?\d)|^(?:(?:we|this (?:repo|repository|project|codebase)|the project) )?uses? (?:‹c\d+›|p?npm|yarn|bun|uv|poetry) (?:as|for) (?:the |our |its |a )?package (?:manager|management)\b`}
	// gitLine names the branch that pull requests are for, or the option that signs commits.
	gitLine = lazy.Regexp{Source: `^(?:all |your |every |the )?(?:prs?|pull requests?) (?:always |must |should )*targets? (?:the )?(?:‹[tp]\d+›|(?:main|master|develop|dev)\b)|^(?:pr |pull request )?base branch(?: for (?:prs|pull requests))?: ?(?:‹[tp]\d+›|(?:main|master|develop|dev)\b)|^sign (?:all |your |every )*(?:‹a\d+›|commits?) (?:with|using|via|by) ‹f`}
	// occasion is when the commands below it are to be run.
	occasion = lazy.Regexp{Source: `(?:^|[,:—–] ?)(?:after|before|when(?:ever)?|if|once|every time)\b.*(?:chang|edit|modif|touch|add|creat|updat|commit|push|\bpr\b|pull request|‹a|writ|finish|complet|merg).*:$`}
	// asking is a table whose columns say when to do what, or what not to do.
	asking  = lazy.Regexp{Source: `(?i)^\W*(?:(?:when|if|after|before|whenever)\b.*\|.*\b(?:run|update|also|then|do|read|use|required)\b|(?:don['’]t|do not|never|avoid|instead of)\b)`}
	noThing = lazy.Regexp{Source: `^(?:no|not|only|zero|every|all|each|any|new|one|never)\b`}
	// noName forbids a name: "no `eval` in new code".
	noName = lazy.Regexp{Source: `^no (?:new |raw |bare |inline )?‹[tcf]\d+›`}
	// contrast goes on with what is not to be done: "we use ‹c›, not ‹c›", "‹p› is generated; do not edit it".
	contrast = lazy.Regexp{Source: `\buse ‹[ct]\d+›,? (?:and )?(?:not|never) ‹|[;,.—–] ?(?:so )?(?:please )?(?:do not|don't) \w`}
	// instead is a thing that is used, and one that is not: "pnpm (not npm)".
	instead = lazy.Regexp{Source: `^(?:[\w ]{0,20}[:—–] ?)?(?:‹[ct]\d+›|[\w.+-]+),? ?\(?(?:not|never|no) ‹`}
	// forbidding is in a lead that forbids what is below it.
	forbidding = lazy.Regexp{Source: `(?i)\b(?:never|do not|don['’]t|(?:must|should|may) not|avoid|forbidden|prohibited|banned|not allowed|off-limits)\b`}
)

// named reports whether one of the words or phrases of a list is in a heading.
func named(title string, list []string) bool {
	title = " " + strings.NewReplacer(":", " ", "/", " ", "&", " ", "(", " ", ")", " ", ",", " ", "*", "", "!", " ", "’", "'").Replace(strings.ToLower(title)) + " "
	return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(title, " "+w+" ") })
}

// deniedBy reports whether a lead or a heading may forbid what is listed below it.
func deniedBy(above string) bool {
	return forbidding.Get().MatchString(above) || Negative.Get().MatchString(above) || protects.Get().MatchString(above) || uncommitted.Get().MatchString(above)
}

// contents is an entry of a table of contents.
var contents = lazy.Regexp{Source: `^\W*\[[^\]]*\]\(#[^)]*\)\W*$`}

// forUsers is the title of a part for those who use the program.
var forUsers = lazy.Regexp{Source: `(?i)^\W*(?:end[- ])?user(?:['’]s)? (?:guide|manual|faq)\W*$`}

// evidence is how much a block looks like a directive.
func evidence(s *Statement) int {
	if contents.Get().MatchString(s.Text) || slices.ContainsFunc(s.Section, forUsers.Get().MatchString) && !deniedBy(strings.ToLower(s.Text)) {
		return 0
	}
	v := sentence.Words()
	section := s.Heading()
	rules, facts := named(section, v.Rules), named(section, v.Facts)
	if !rules && len(s.Section) > 1 {
		rules = named(s.Section[len(s.Section)-2], v.Rules)
	}
	lead := sentence.NewPhrase(s.Lead).Words
	best := 0
	for i := range s.Phrases {
		p := s.Phrases[i].Words
		score := 0
		if forms.Imperative(p) {
			score += 2
		}
		if Binding.Get().MatchString(p) {
			score += 2
		}
		if jobLine.Get().MatchString(p) || dueLine.Get().MatchString(p) || managerLine.Get().MatchString(p) || gitLine.Get().MatchString(p) {
			score += 2
		}
		if len(s.Code) > 0 && i == len(s.Phrases)-1 && occasion.Get().MatchString(p) {
			score += 2
		}
		if noThing.Get().MatchString(p) && s.Block != markdown.Row {
			score++
		}
		if noName.Get().MatchString(p) && s.Block != markdown.Row {
			score++
		}
		if s.Block != markdown.Row && (instead.Get().MatchString(p) || forms.Imperative(p) && ordered.Get().MatchString(p) && callish.Get().MatchString(p)) {
			score++
		}
		if score == 0 && i > 0 {
			continue
		}
		if forms.Told.Get().MatchString(p) && score < 4 && !contrast.Get().MatchString(p) {
			score--
		}
		best = max(best, score)
	}
	if rules {
		best++
		if s.Block == markdown.Item && len(s.Phrases) > 0 && !forms.Told.Get().MatchString(s.Phrases[0].Words) {
			best++
		}
	}
	if s.Block == markdown.Item && s.Lead != "" && (Binding.Get().MatchString(lead) || forms.Imperative(lead)) {
		best += 2
	}
	if s.Block == markdown.Item && best < directiveFrom && len(s.Phrases) > 0 && strings.Contains(s.Phrases[0].Words, "‹c") && len(Leads(s)) > 0 {
		best = directiveFrom // a command and when it is to be run
	}
	if facts {
		best--
	}
	if best < directiveFrom && (deniedBy(s.Lead) || deniedBy(section)) && Forbids(s) != "" {
		best = directiveFrom
	}
	if s.Block == markdown.Row {
		if best--; asking.Get().MatchString(strings.Join(s.Heads, "|")) || len(s.Refusals()) > 0 {
			best = max(best, directiveFrom)
		}
	}
	if s.Block == markdown.Heading {
		best -= 1
	}
	return best
}

var (
	ordered  = lazy.Regexp{Source: `\b(?:before|after|first|then|once|whenever (?:you )?(?:add|change|modify)|when (?:you )?(?:add|chang|modif|updat|creat|remov|renam|bump)\w*|if you (?:add|change|modify|touch|update)|in sync|also update|must also|update all|following any)\b`}
	callish  = lazy.Regexp{Source: `‹c\d+›|\b(?:run|execute|commit|push|merge|rebase|amend|deploy|publish|install|branch|pull request|edit|touch|modify|delete|download|stage|ask (?:the user|before|first)|tool|mcp|cli|shell|command)\b`}
	writish  = lazy.Regexp{Source: `\b(?:code|comments?|name|naming|imports?|types?|functions?|class(?:es)?|variables?|files?|strings?|error messages?|emojis?|style|format|indent|quotes|docstrings?|tests?|constants?|methods?|components?|exports?|params?|arguments?|field|header|log|logging|async|case|message|title|description)\b|‹t\d+›|‹p\d+›`}
	thinking = lazy.Regexp{Source: `\b(?:understand|think|consider|concise|clear|simple|simplicity|honest|explain|discuss|reasonable|careful|appropriate|judg\w+|quality|readable|intent|user'?s? (?:request|intent|need)|assum\w+|confirm|clarif\w+|propose|minimal|elegant|plan|when in doubt)\b`}
)

func kindOfDirective(s *Statement) Kind {
	all := strings.Builder{}
	for i := range s.Phrases {
		all.WriteString(s.Phrases[i].Words + " ")
	}
	p := all.String()
	switch {
	case ordered.Get().MatchString(p) && callish.Get().MatchString(p):
		return Order
	case callish.Get().MatchString(p):
		return Call
	case thinking.Get().MatchString(p):
		return Meaning
	case writish.Get().MatchString(p):
		return Content
	}
	return Meaning
}
