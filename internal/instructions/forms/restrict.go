package forms

import (
	"slices"
	"strings"

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
	lead = strings.TrimSpace(Remarks.Get().ReplaceAllString(lead, ""))
	subject := strings.Trim(segment.Get().FindString(lead), " *_-")
	return subject != "" && !everyone.Get().MatchString(subject)
}

var (
	// ofThese is a prohibition to run some files by a command.
	ofThese = lazy.Regexp{Source: `\b(?:these|those|them|it|this)(?: \w+)? (?:under|with|via|through|using|by) [^‹]*‹`}
	// Rashly is a prohibition of a way to do something.
	Rashly = lazy.Regexp{Source: `\b(?:blindly|casually|unnecessarily|needlessly|carelessly|silently|prematurely|routinely)\b`}
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

// laterOnly goes on with what is to be done before what is forbidden.
var laterOnly = lazy.Regexp{Source: `^\W*(?:first )?and [\w ]{1,40}\b(?:later|afterwards?)\b`}

// tellsOnly reports whether "no …" says what there is, or of what the sentence is about:
// "no wheel is built", "for rows without a date (no ‹t›), …".
func tellsOnly(words string, from, to int, rest string) bool {
	before, match := words[:from], words[from:to]
	if !none.Get().MatchString(strings.TrimLeft(match, "(")) {
		return false
	}
	if at := strings.LastIndexByte(before+match[:1], '('); at > strings.LastIndexByte(before, ')') && !Imperative(words[:at]) && (factual.Get().MatchString(words[:at]) ||
		strings.HasSuffix(strings.TrimRight(words, "* "), "):")) {
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
	return i+1 < len(all) && strings.HasPrefix(all[i+1].text, "if ") && !Optional.Get().MatchString(all[i+1].text) && !there.Get().MatchString(all[i+1].text)
}

// there is a condition that what was named is there.
var there = lazy.Regexp{Source: `^if (?:it|they|one|present|available|any|there)\b`}

// pairs are the forms that a main clause has with each clause that it goes with. A
// condition in front of all main clauses is one of each, unless a clause behind a semicolon
// has its own.
func (t *table) pairs(all []clause, i int, add func(string, int, *clause, map[string]string)) {
	lead, own := true, i > 1 && all[i-1].Conj != "" && strings.HasSuffix(strings.TrimSpace(all[i-2].text), ";")
	for k := range all {
		d := &all[k]
		switch {
		case k == i, k < i && doubly(all, i), k > i+1 && within(all, k):
		case k < i && (lead && !own || own && k == i-1) || k > i && !slices.ContainsFunc(all[i+1:k], func(b clause) bool { return b.Conj == "" && b.Objects != "" }):
			t.joined(&all[i], d, k < i, add)
		}
		lead = lead && (d.Conj != "" || d.Objects == "")
	}
}

// explains is a word behind a name in parentheses that tells of it: "(‹p› derives …)".
var explains = lazy.Regexp{Source: `^(?:is|are|was|has|does|will|can|already|also|derives|reads|uses|holds|contains|imports|exports|generates|loads|runs|lists|defines|handles|shows|stays|follows|lives|needs)$`}

// tellsOf begins a remark in parentheses whose names are where the thing is from, or where more is said.
var tellsOf = lazy.Regexp{Source: `^(?:listed|see|from|by|via|because|since|as|ignored|gitignored|generated|auto-generated|created|built|managed|already|it|it's|they|use|defined|declared|described|documented|set|per)$`}

// partJob is a job of a part, whose command is not known.
var partJob = lazy.Regexp{Source: `\b(?:front-?end|back-?end|server|client|mobile|ios|android|desktop|web|api|ui|docs|documentation|cli|sdk|admin) (?:unit |e2e )?(?:build|tests?|suite|lint\w*|type-?check\w*|format\w*)\b`}

var (
	// checked is a check of what another command did.
	checked = lazy.Regexp{Source: `‹c\d+›[^.‹]* and (?:verify|validate|check)\b`}
	// keptIn is a place of a running program that secrets are not to be kept in.
	keptIn = lazy.Regexp{Source: `\b(?:secrets?|credentials|keys|tokens|passwords) (?:directly )?in (?:the |a |any )?(?:‹t\d+›|(?:globals?|global \w+|local ?storage|session ?storage|cookies?|memory|logs?|urls?|query \w+|state|redux)\b)`}
	// without is a remark that no secrets are needed.
	without = lazy.Regexp{Source: `\((?:e\.g|i\.e|for example|such as)[^)]*\bno (?:hard-?coded )?secrets|\((?:[^)‹]*, )?no (?:secrets|credentials|api[- ]keys)\b|\bno (?:secrets|credentials|api[- ]keys) (?:(?:is|are) )?(?:needed|required|necessary)\b`}
)

// gateWords are the words between "before" and the act that it is about.
var gateWords = lazy.Regexp{Source: `^(?:\w+ )?(?:(?:you|we|the|an?|any|each|every|all|your|our|open|creat|mak|submit|rais|fil|push|merg|commit|run|execut|call|do|be|request|ask|propos|finish|finali[sz]|complet|prepar|publish|updat)(?:[tn]?ing)? |(?:to|git|final|next|this|new|code|changes?|work|ever|even|actually|for|it|them|and|or|single|finally|feature|local|that|staging|their|its|signed|more|attempting|trying|actual|first) )*$`}

// OfJob reports whether a form is about a job whose command the sentence does not name.
func (f *Found) OfJob() bool { return strings.HasPrefix(f.Form.Name, "job-") }
