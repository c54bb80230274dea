package sentence

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/instructions/tables"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

//go:embed words.yaml
var wordsFile []byte

// A Vocabulary has the words of words.yaml.
type Vocabulary struct {
	Rules, Facts, Common, Products []string
	Foreign                        [][2]string

	IsBare         map[string]bool // programs that are commands in plain text, too
	IsProgram      map[string]bool // these, and those that are commands in `code` alone
	TakesArguments map[string]bool // programs that are commands where arguments follow
	IsVerb         map[string]bool // that a directive's main clause begins with
}

// Words are those of the program.
var Words = sync.OnceValue(func() *Vocabulary {
	var file struct {
		Vocabulary        `yaml:",inline"`
		Bare, Code, Verbs []string
		WithArguments     []string `yaml:"withArguments"`
	}
	tables.Parse("words.yaml", wordsFile, &file)
	set := func(list ...string) map[string]bool {
		m := make(map[string]bool, len(list))
		for _, w := range list {
			m[w] = true
		}
		return m
	}
	v := &file.Vocabulary
	v.IsBare, v.IsVerb, v.TakesArguments = set(file.Bare...), set(file.Verbs...), set(file.WithArguments...)
	v.IsProgram = set(append(slices.Clone(file.Bare), file.Code...)...)
	return v
})

var adverbs = lazy.Regexp{Source: `^(?:always|please|just|only|also|then|first|next|explicitly|carefully|simply|immediately|finally|strongly|instead|automatically|proactively|strictly|periodically|manually|directly|actively|you must|you should|agents? (?:must|should)|and|or|but|so|step \d+) `}

// StartsVerb reports whether a text in lower case begins with a verb, as an imperative does.
func StartsVerb(s string) bool {
	for {
		m := adverbs.Get().FindString(s)
		if m == "" {
			break
		}
		s = s[len(m):]
	}
	word, rest, _ := strings.Cut(s, " ")
	word = strings.TrimRight(word, ",")
	if strings.HasSuffix(word, ":") || !Words().IsVerb[word] {
		return false
	}
	next, _, _ := strings.Cut(rest, " ")
	switch next { // "test is …", "set of …": the word is a noun
	case "is", "are", "of", "was", "has", "can", "will", "→", "—", "–", "-", "=", "does", "runs", "uses", "happens", "were", "vs", "|", "&", "/", "+":
		return false
	}
	return rest != ""
}

// Inflected are the forms of a verb: edit, edits, editing, edited.
func Inflected(v string) []string {
	stem, double := strings.TrimSuffix(v, "e"), v+v[len(v)-1:]
	if y, ok := strings.CutSuffix(v, "y"); ok {
		stem = y + "i"
	}
	return []string{v, v + "s", stem + "es", v + "ing", stem + "ing", double + "ing", stem + "ed", double + "ed"}
}

// Finishing is a word about the end of the work.
var Finishing = lazy.Regexp{Source: `\b(?:finish|finaliz|complet|declar|hand|claim|mark|conclud|submit|done|deliver|end of)\w*`}

// Ends are words that begin with the end of some work.
var Ends = lazy.Regexp{Source: `^(?:you (?:are |have )?)?(?:finish|finali[sz]|complet|conclud|deliver|wrap(?:ping)? up|clos(?:e|ing) out|hand(?:ing)? (?:over|off|back|in)|end(?:ing)? |submit|done )`}

// ofEach is a sentence about things of one kind, with the command that checks them.
var ofEach = lazy.Regexp{Source: `^\W*(?:[\w ]{0,20}: )?(?:every|each|all|any) ((?:[\w/-]+ ){0,3}?[\w/-]+) (?:goes|go|must|should|needs?|has|have|uses?|gets?|is|are|comes?|belongs?|lives?)\b[^‹]*(?:‹[^c][^‹]*)*[;,.] (?:and )?(?:verify|validate|check|confirm)(?: it| them| this| that)? (?:with|using|via|by running) (?:the )?‹c`}

// OfThings reports whether a sentence is about things that only some changes have: "every label has
// a translation; verify with ‹c›".
func (p *Phrase) OfThings() bool {
	m := ofEach.Get().FindStringSubmatch(p.Words)
	return m != nil && !AllCases(m[1])
}

// Denies is a word that forbids something, or makes an exception.
var Denies = lazy.Regexp{Source: `\b(?:never|not|don't|doesn't|isn't|avoid|without|forbidden|unless)\b`}

// anyWork is a word that does not limit what a demand is about.
var anyWork = lazy.Regexp{Source: `^(?:•|you|re|ve|i|we|it|them|they|the|an?|any|all|each|every|both|either|your|our|my|its|this|that|these|those|more|other|another|new|single|ever|even|actually|just|first|once|again|always|also|finally|next|final|any|most|` +
	`have|has|had|been|is|are|being|be|do|does|doing|done|` +
	`code|codes?base|source|sources|files?|changes?|changed|changing|edits?|edited|editing|modif\w+|work|working|efforts?|tasks?|turns?|sessions?|steps?|features?|fix(?:es)?|bugs?|implement\w*|tests?|testing|project|repo|repository|branch|function\w*|methods?|modules?|packages?|components?|class(?:es)?|symbols?|anything|something|everything|` +
	`significant|substantive|substantial|non-trivial|meaningful|major|large|important|existing|production|local|locally|staged|affected|touched|relevant|` +
	`mak\w+|add\w*|writ\w+|creat\w+|updat\w+|mov\w+|delet\w+|renam\w+|remov\w+|refactor\w*|generat\w+|start\w*|begin\w*|present\w*|solutions?|exit\w*|report\w*|clos\w*|back|off|over|under|up|must|pass|phases?|milestones?|as|checks?|go|going|run|running|commit\w*|push\w*|merg\w+|open\w*|rais\w+|propos\w+|request\w*|ask\w*|review\w*|prepar\w+|publish\w*|consider\w*|call\w*|submi\w+|ship\w*|sign\w*|land\w*|` +
	`of|in|on|for|to|and|or|git|github|remote|origin|upstream|main|master|pr|prs|pull|merge|requests?|agents?|ready|complete|user|us|ci|` +
	`go|rust|python|terraform|opentofu|elixir|dart|typescript|javascript|ts|js|php|ruby|java|kotlin|swift|c#|c\+\+|\.net|[\w-]*ing|errors?|warnings?|issues?|problems?|root|whole|entire|full|order)$`}

// thingWord is a noun or an adjective that ends as what is done does.
var thingWord = lazy.Regexp{Source: `^(?:string|setting|binding|mapping|heading|[a-z]+-facing)$`}

// AllCases reports whether words are about all that an agent does.
func AllCases(words string) bool {
	return !slices.ContainsFunc(strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(" /,\"'*", r) }), func(w string) bool {
		return thingWord.Get().MatchString(w) || !strings.HasPrefix(w, ReadAlready) && !anyWork.Get().MatchString(w) && !Finishing.Get().MatchString(w)
	})
}

// ReadAlready is in the place of what a form has read of a sentence.
const ReadAlready = "•"

// oneSign writes arrows and comparisons as one sign each. It is not for `code`, which has others.
func oneSign(s string) string {
	return strings.NewReplacer("->", "→", "≤", "<=", "≥", ">=").Replace(s)
}
