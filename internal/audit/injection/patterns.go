package injection

import (
	"regexp"
	"strings"
	"sync"
)

// A group of patterns is tried only where one of its anchors occurs: words without which
// none of them matches.
type group uint8

const (
	instructions group = 1 << iota
	roles
	scores
	verdicts
	markers
)

// anchors are in small letters, and begin where a word begins.
func anchors() map[group][]string {
	return map[group][]string{
		instructions: {"ignor", "disregard", "forget", "overrid", "instruction", "from now on", "do not mention", "do not report", "do not flag", "do not reveal", "do not cite", "do not list",
			"忽略", "无视"},
		roles:    {"judge", "auditor", "grader", "evaluator", "reviewer", "scorer"},
		scores:   {"5/5", "5 / 5", "10/10", "10 / 10", "100/100", "5 out of", "10 out of", "five out", "ten out", "full mark", "full score", "full credit", "full points", "top mark", "perfect", "maximum", "highest", "top score", "deduct", "penali", "score", "verdict"},
		verdicts: {`"score`, `'score`, "score:"},
		markers:  {"<|im_start|>", "<|start_header_id|>", "<<sys>>", "[inst]", "<|system|>"},
	}
}

type pattern struct {
	group group
	kind  string
	raw   bool // tried on the text as it is, in small letters; else on its words alone
	expr  *regexp.Regexp
}

// patterns are compiled when a text has one of their anchors. On words alone there
// are small letters and figures, one space between them, and . , : / where they
// stood.
var patterns = sync.OnceValue(func() []pattern {
	const (
		subject = `(?:this|our|my|the) (?:entire |whole )?(?:repo|repository|project|code|codebase|code base|submission|report|work|solution|implementation|candidate|team|author|student|document|pull request)`
		every   = `(?:every|each|all|all the|all of the) (?:criterion|criteria|dimension|dimensions|category|categories|item|items|scores)`
		target  = `(?:` + subject + `|` + every + `|us|me|it|this|everything|them)`
		figure  = `(?:5 ?(?:/|out of) ?5|10 ?(?:/|out of) ?10|100 ?/ ?100|five out of five|ten out of ten)`
		best    = `(?:` + figure + `|(?:a |the )?(?:full|top) (?:marks|score|scores|credit|points)|(?:a |the )?(?:perfect|maximum|highest|top)(?: possible)? (?:score|scores|grade|grades|rating|ratings|marks|mark)|(?:a )?(?:five|5)\b)`
		grading = `(?:judge|auditor|grader|evaluator|reviewer|scorer)s?`
		rules   = `(?:instruction|instructions|prompt|prompts|rules|guidelines|directives|rubric|criteria|guidance)`
	)
	words := func(g group, kind, expr string) pattern { return pattern{g, kind, false, regexp.MustCompile(expr)} }
	raw := func(g group, kind, expr string) pattern { return pattern{g, kind, true, regexp.MustCompile(expr)} }
	return []pattern{
		words(instructions, KindInstruction, `\b(?:ignore|ignoring|disregard|disregarding|forget)(?: \w+){0,3}? (?:previous|prior|preceding|above|earlier|foregoing|your|system|original|initial)(?: \w+){0,2}? `+rules+`\b`),
		words(instructions, KindInstruction, `\b(?:ignore|disregard|forget|override) (?:everything|anything|all)(?: that| of the| the)? (?:above|before this|said before|you were told|you have been told|you were instructed)\b`),
		words(instructions, KindInstruction, `\boverride (?:your|the system|all previous|any previous|previous)(?: \w+){0,2}? `+rules+`\b`),
		words(instructions, KindInstruction, `\b(?:new|updated|revised|special|secret|hidden) instructions? (?:for|to) (?:the |any |all )?(?:ai |llm |automated )?`+grading+`\b`),
		words(instructions, KindInstruction, `\bfrom now on,? you (?:are|will|must|shall|should|act|answer|respond)\b`),
		words(instructions, KindInstruction, `\bdo not (?:mention|report|flag|reveal|cite|list)(?: \w+){0,4}? (?:this|these) (?:instruction|message|note|comment|prompt|paragraph)s?\b`),
		words(instructions, KindInstruction, `\bignor(?:iere|ieren sie) (?:alle |die )*(?:vorherigen|bisherigen|obigen)(?: \pL+)? (?:anweisungen|regeln|instruktionen)`),
		words(instructions, KindInstruction, `\bignor(?:a|e|ez|er)(?: todas| toutes)?(?: las| les)? (?:instrucciones|instructions) (?:anteriores|previas|pr\pL+c\pL+dentes|ant\pL+rieures)`),
		words(instructions, KindInstruction, `(?:忽略|无视)(?:之前|以上|先前|上述|所有|前面)`),

		words(roles, KindRole, `\byou(?: are|'re) (?:now )?(?:a|an|the) (?:\w+ ){0,2}?`+grading+` (?:of|for|who|that|evaluating|grading|reviewing|auditing|scoring|assessing|reading|examining|looking)(?: \w+){0,3}? (?:this|these) (?:repo|repository|project|code|codebase|submission|report|file|document|text|work)\b`),
		words(roles, KindRole, `\b(?:note|message|attention|dear|hello|memo|instruction|instructions|hint|reminder)(?: to| for)?[ ,:]+(?:\w+ ){0,2}?(?:ai|llm|automated|language model|gpt) `+grading+`\b`),
		words(roles, KindRole, `\b(?:attention|dear) (?:all |any |the )?`+grading+`\b`),
		words(roles, KindRole, `\bif you are (?:an? |the )(?:\w+ ){0,2}?`+grading+`\b`),
		words(roles, KindRole, `\bas (?:an? |the )(?:ai |llm |automated )`+grading+`,? you (?:must|should|will|are|have)\b`),

		words(scores, KindScore, `\b(?:give|giving|award|assign|grant|rate|score|grade|mark) `+target+`(?: \w+){0,3}? `+best),
		words(scores, KindScore, `\b(?:give|award|grant|rate|score|grade)(?: with)?(?: a| an| the)? `+figure),
		words(scores, KindScore, `\b(?:always|only|just|simply|please|you must|you should|you will) (?:give|award|assign|grant|output|return|answer|respond with|score|rate|grade)(?: \w+){0,4}? (?:`+figure+`|(?:a |the )?(?:full|top) marks|(?:a |the )?(?:perfect|maximum|highest|top)(?: possible)? (?:score|grade|rating|marks))`),
		words(scores, KindScore, `\b(?:this|our|my) (?:repo|repository|project|code|codebase|submission|report|work|solution|implementation) (?:deserves|merits|has earned|(?:should|must|shall|has to) (?:receive|get|be (?:given|awarded|rated|scored|graded)))(?: \w+){0,2}? (?:perfect|full|maximum|highest|top|five|5|10)\b`),
		words(scores, KindScore, `\bthe (?:score|grade|verdict) (?:of|for) (?:this|our|my|every|each|all)(?: \w+){1,3}? (?:is|must be|should be|has to be|shall be) (?:at least )?(?:5|five|pass|perfect|the (?:highest|maximum))\b`),
		words(scores, KindScore, `\bdo not (?:deduct|penalize|penalise)(?: \w+){0,4}? (?:points|score|scores|marks|grade|us|this|repository|project|submission)\b`),

		raw(verdicts, KindVerdict, `\{[^{}]{0,300}["']score["']\s*:\s*["']?[45]\b[^{}]{0,300}["'](?:argument|cited_evidence)["']\s*:`),
		raw(verdicts, KindVerdict, `\{[^{}]{0,300}["'](?:argument|cited_evidence)["']\s*:[^{}]{0,300}["']score["']\s*:\s*["']?[45]\b`),

		raw(markers, KindMarker, `(?:<\|im_start\|>|<\|start_header_id\|>|<\|system\|>|<<sys>>|\[inst\])(?s:.{0,300}?)\b(?:judge|score|verdict|audit|auditor|grade|rubric|criterion)\b`),
	}
})

// starts is the anchors by their first byte.
var starts = sync.OnceValue(func() *[256][]anchor {
	var table [256][]anchor
	for g, texts := range anchors() {
		for _, text := range texts {
			table[text[0]] = append(table[text[0]], anchor{text, g})
			if c := text[0]; 'a' <= c && c <= 'z' {
				table[c-0x20] = append(table[c-0x20], anchor{text, g})
			}
		}
	}
	return &table
})

type anchor struct {
	text  string
	group group
}

// hasAnchor reports whether text has the anchor at i, whatever the case.
func hasAnchor(text string, i int, a string) bool {
	return len(text)-i >= len(a) && strings.EqualFold(text[i:i+len(a)], a)
}
