package forms

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A clause is a part of a sentence with one verb, or with several in a row.
type clause struct {
	Conj     string // what it begins with: before, after, when, unless …; "instead" before the unwanted; "" for a main clause
	Not      bool
	verbs    []string // classes of its verbs
	asks     bool     // it begins with its verb, as an imperative does
	Objects  string   // from its first object to its last one, with marks
	prep     string   // in front of the first object: in, to …
	gap      int      // words between the verb and the first object
	From, to int      // where it begins, and where its last object ends
	text     string
	done     bool // further names are not objects
}

func (c *clause) is(classes ...string) bool {
	return slices.ContainsFunc(classes, func(v string) bool { return slices.Contains(c.verbs, v) })
}

// Verb is a word for what the clause is about.
func (c *clause) Verb() string {
	for _, v := range []string{"edit", "create", "delete", "read", "run"} {
		if c.is(v) {
			return v + " "
		}
	}
	return ""
}

// of are the objects of some kinds, if the first one is of these.
func (c *clause) of(kinds string) string {
	out, first := c.Objects, true
	for _, m := range sentence.Mark.Get().FindAllStringSubmatch(c.Objects, -1) {
		switch {
		case strings.Contains(kinds, m[1]):
		case first:
			return ""
		default:
			out = strings.Replace(out, m[0], "", 1)
		}
		first = false
	}
	return out
}

var (
	token = lazy.Regexp{Source: `‹[acpft]\d+›|[\p{L}\p{N}_'$.&-]*[\p{L}\p{N}_'$&]|[^\s]`}
	// negation is a word that forbids what follows; not does so behind do, must and the like.
	negation  = lazy.Regexp{Source: `^(?:never|don't|avoid|mustn't|shouldn't|refrain)$`}
	barred    = lazy.Regexp{Source: `^(?:forbidden|prohibited|banned|disallowed)$`}
	listOf    = lazy.Regexp{Source: `^(?:commands|operations|tools|actions|options|flags|syntax)$`}
	auxiliary = lazy.Regexp{Source: `^(?:do|must|should|may|shall)$`}
	instance  = lazy.Regexp{Source: `\b(?:for example|e\.g|such as)\b`}
	// front is a word that may come of an imperative.
	front    = lazy.Regexp{Source: `^(?:always|please|you|we|the|agents?|claude|do|must|should|then|also|but|so|important|rule|first|and|or|just|only|to|not|never|don't|avoid|refrain|ever|again|simply|try|attempt|it|from|\w+ly|\W+)$`}
	joins    = lazy.Regexp{Source: `^(?:and|but|or|so|then|please|agents?|you|[,;:(—–!…|]|\*+)$`}
	position = lazy.Regexp{Source: `^(?:in|under|of|inside|within|to|at|from|into|on|onto|below|for|with|via|by|using|through|against|as|outside|behind|over|between|among|beside|around|across|per|toward|towards)$`}
)

// A parser splits a sentence into clauses.
type parser struct {
	*table
	words  string
	at     [][]int // its tokens
	list   []clause
	aside  bool // in parentheses that say something of what is in front
	open   int  // where the last parentheses begin
	adverb bool // there are only words that may come before a verb so far
}

// Clauses splits a sentence.
func (t *table) Clauses(words string) []clause {
	p := parser{table: t, words: words, at: token.Get().FindAllStringIndex(words, -1), list: []clause{{}}, adverb: true}
	for i := range p.at {
		p.adverb = p.at[i][0] == p.last().From || p.adverb
		p.token(i)
		p.adverb = (p.adverb || p.last().From == p.at[i][0]) && front.Get().MatchString(p.text(i))
	}
	p.last().text = words[p.last().From:]
	return p.list
}

func (p *parser) last() *clause { return &p.list[len(p.list)-1] }

func (p *parser) text(i int) string {
	if i < 0 || i >= len(p.at) {
		return ""
	}
	return p.words[p.at[i][0]:p.at[i][1]]
}

// begin begins a clause at a token.
func (p *parser) begin(i int, conj string, not bool, verbs ...string) *clause {
	if c := p.last(); c.Conj != "" || len(c.verbs) > 0 || c.Objects != "" || c.Not {
		c.text = p.words[c.From:p.at[i][0]]
		p.list = append(p.list, clause{})
	}
	c := p.last()
	c.Conj, c.Not, c.From, c.verbs = conj, not, p.at[i][0], verbs
	return c
}

// token takes one word, mark or sign.
func (p *parser) token(i int) {
	w, was, before := p.text(i), p.text(i-1), p.text(i-2)
	fresh := i == 0 || strings.Contains(",;:.—–(!→", was) || was == "-"
	if fresh && i > 0 && was != "," && was != "(" && (was != ":" || !strings.HasPrefix(w, "‹")) {
		p.begin(i, "", false)
		p.adverb = true
	}
	c := p.last()
	if w == "(" {
		p.open = p.at[i][0]
	}
	p.aside = (p.aside || w == "(" && (c.Objects != "" && !strings.HasPrefix(p.text(i+1), "‹") || explains.Get().MatchString(p.text(i+2)) || c.Not && tellsOf.Get().MatchString(p.text(i+1)))) && w != ")"
	switch conj := p.Conjunctions[w]; {
	case strings.HasPrefix(w, "‹"):
		p.name(i, fresh)
	case (w == "via" || w == "using") && c.Conj != "":
		p.begin(i, "", false, "run").asks = true
	case conj != "" && p.aside && strings.Contains(p.words[p.open:p.at[i][0]], "‹"): // it is about what is in parentheses
	case conj != "" && !(w == "so" && p.text(i+1) != "that") && !(w == "once" && c.Objects != ""):
		p.begin(i, conj, false)
	case fresh && (w == "for" || w == "in" || w == "on") && (len(p.list) == 1 || was == ";") && c.Objects == "":
		p.begin(i, "when", false)
	case negation.Get().MatchString(w) || w == "not" && auxiliary.Get().MatchString(was):
		switch {
		case c.Conj != "" && len(c.verbs) == 0 && c.Objects == "": // "if you do not …" forbids nothing
		case fresh || p.adverb || w == "not" && was != "do" || joins.Get().MatchString(was) || joins.Get().MatchString(before):
			p.begin(i, "", true)
		default: // "tests do not …" tells of them
			p.begin(i, "that", true)
		}
	case w == "no" && fresh || (p.text(i+1) == ":" || p.text(i+2) == ":" && listOf.Get().MatchString(p.text(i+1))) && barred.Get().MatchString(w) && p.adverb:
		p.begin(i, "", true, "no")
	case w == "not" && c.Objects != "":
		p.begin(i, "instead", false)
	case len(p.verbs[w]) > 0 && p.verb(i, fresh):
	case c.Objects != "" && position.Get().MatchString(w) || w == ")":
		c.done = true
	case c.Objects == "" && c.prep == "" && position.Get().MatchString(w):
		c.prep = w
	case c.Objects == "" && len(c.verbs) > 0 && (w != "," || c.Conj == ""):
		c.gap++
	}
}

// name takes the mark of a name.
func (p *parser) name(i int, fresh bool) {
	c, was := p.last(), p.text(i-1)
	if p.actsAsVerb(i) {
		c.gap = 0
		return
	}
	if fresh && was != "," && c.Objects != "" { // a list of examples goes on as it began
		verbs, asks := c.verbs, c.asks
		if c = p.begin(i, "", c.Not && strings.Trim(p.words[c.to:p.at[i][0]], " (:") == ""); c.Not {
			c.verbs, c.asks = verbs, asks
		}
	}
	c.done = c.done && (was != "," || p.text(i-2) != ")") // a list goes on behind a remark
	if !p.aside && (was != "(" || c.gap == 0 || !c.is("no")) {
		c.object(p.words, p.at[i])
	}
}

// verb takes a verb; not if it is not a verb there.
func (p *parser) verb(i int, fresh bool) bool {
	c, was, verbs := p.last(), p.text(i-1), p.verbs[p.text(i)]
	imperative := slices.Contains(p.Classes[verbs[0]], p.text(i))
	if imperative && (p.behindTopic(i) || p.withoutComma(i)) {
		p.begin(i, "", false, verbs...).asks = true
		return true
	}
	joined := was == "and" || was == "or"
	switch {
	case len(c.verbs) > 0 && c.Objects == "" && c.gap == 0 && (was == "," && c.Conj != "" && strings.HasSuffix(p.text(i), "ing") || was == "/" || joined):
		c.verbs = append(slices.Clip(c.verbs), verbs...)
	case len(c.verbs) > 0 && c.Objects == "" && (c.Conj != "" && c.gap == 1 && joined || c.Not && p.listed(i)): // "before writing or editing", "never edit, move or delete"
		c.verbs, c.gap = append(slices.Clip(c.verbs), verbs...), 0
	case (len(c.verbs) > 0 || c.Objects != "") && (fresh || joined && (c.Objects == "" || len(p.verbs[p.text(i-2)]) == 0) || was == "then" || p.behindComma(i) || c.Conj != "" && strings.HasPrefix(was, "‹")):
		c = p.begin(i, "", c.Not && c.Conj == "" && (was == "or" || was == "," && !p.instead(i) && !p.closed(i)), verbs...)
		c.asks = c.Not || imperative
	case len(c.verbs) == 0 && c.Objects == "":
		c.verbs, c.asks = verbs, p.adverb && (c.Not || imperative)
	default:
		return false
	}
	return true
}

// withoutComma reports whether a verb with a command begins the main clause behind one that says when: "before
// finishing a task run ‹c›".
func (p *parser) withoutComma(i int) bool {
	c, was := p.last(), p.text(i-1)
	first := strings.Fields(p.words[c.From:p.at[i][0]])
	return c.Conj == "before" && p.text(i) == "run" && strings.HasPrefix(p.text(i+1), "‹c") && len(first) > 2 && strings.HasSuffix(first[1], "ing") &&
		!front.Get().MatchString(was) && !position.Get().MatchString(was)
}

// closed reports whether parentheses that the clause is in end before a token, and it with them.
func (p *parser) closed(i int) bool {
	said := p.words[p.last().From:p.at[i][0]]
	return strings.Count(said, ")") > strings.Count(said, "(")
}

// behindComma reports whether there are only words in front of a token, to a comma, that
// may come before a verb.
func (p *parser) behindComma(i int) bool {
	for i--; i >= 0 && p.text(i) != "," && front.Get().MatchString(p.text(i)); i-- {
	}
	return p.text(i) == ","
}

// object notes a name.
func (c *clause) object(words string, at []int) {
	if c.done {
		return
	}
	from := at[0]
	if c.Objects != "" {
		from = c.to - len(c.Objects)
	}
	c.Objects, c.to = words[from:at[1]], at[1]
}

var (
	keyed   = lazy.Regexp{Source: `‹p\d+›(?:'s)? ‹t`} // a key of a file
	passing = lazy.Regexp{Source: `^ (?:must|should|has to|have to|needs to)(?: always| all)? (?:pass|succeed|be (?:green|clean))\b(?: (?:on|for|in) (?:every |all |each |any )?‹a\d+›)?[^\w‹]*(?:$|[.,;)])`}
	// EveryWork are words of a case that does not limit what a demand is about.
	EveryWork = lazy.Regexp{Source: `^(?:(?:doing (?:anything|any work)|you|you've|have|any|all|your|the|made|making|make|finishing|completing|starting|start|beginning|taking|actions?|authoring|writing|editing|modifying|changing|code|source|work|working|changes?|edits?|coding|new|every|each|task|significant|planning|implementation|implementing|anything|files?|an?|or|and|functions?|methods?|class(?:es)?|symbols?|existing|modules?|components?|on|of|to|this|repo(?:sitory)?|project|codebase|in|php|python|rust|go|typescript|javascript|ts|js|ruby|java|kotlin|swift|c#|modified|changed|edited|tests?)[,/]? ?)+\W*$`}
)

// onlyFiles reports whether all paths of a list are those of files.
func onlyFiles(p *sentence.Phrase, objects string) bool {
	return !slices.ContainsFunc(p.TermsIn(objects), func(t sentence.Term) bool { return !sentence.Endings.Get().MatchString(t.Text) })
}

// meant is a clause about a thing that was named before, which is not to be in a folder.
var meant = lazy.Regexp{Source: `^(?:never|not|don't|avoid|do not)(?: \w+)? (?:it|them|these|those|this|that) (?:\w+ )?(?:in|into|to|under|inside|within|at|on) `}

// ofText is a clause about what is not to be in a file, which may change otherwise.
var ofText = lazy.Regexp{Source: `\b(?:secrets?|credentials|tokens?|passwords?|api keys?|(?:blank|empty) lines|comments|emojis?|whitespace|todos?|dependenc(?:y|ies)) (?:in|into|to|inside) [^‹]*‹p`}

// anyAct is the beginning of a clause about an act of every kind.
var anyAct = lazy.Regexp{Source: `^(?:no|not|forbidden|prohibited|banned|disallowed)[: ]+(?:commands[: ]+|operations[: ]+|actions[: ]+)?(?:(?:any|more|direct|manual|unsolicited|automatic|automated|auto|unapproved|unauthori[sz]ed|unattended|autonomous|local|remote|new|extra|raw|bare|plain|git|the|use|usage|of) ?)*‹`}

// anyFile is the beginning of a clause about all that is in a place.
var anyFile = lazy.Regexp{Source: `^(?:(?:never|do|not|don't|avoid|ever|directly|manually|by hand|by-hand|hand-?\w*|(?:edit|modif|chang|touch|add|creat|writ|put|plac|sav|delet|remov|alter|renam|mov|introduc|generat|mak|commit|updat|read|print|open|view|cat)\w*|mak(?:e|ing) (?:changes|edits)|any|the|an?|new|all|your|existing|files?|code|anything|everything|contents?|or|and|stuff|things?|source|generated|folders?|director(?:y|ies)|it|them|documentation|docs?|documents?|changes|edits|extra|in|under|of|inside|within|to|from|on|below|into|at|either|both|that|are|is|live|these|this|those|[,/:()!*-])\s*)*$`}

// awaited is a clause that forbids something until a command ran.
func (t *table) awaited(c *clause, behind []clause, add func(string, int, *clause, map[string]string)) {
	for i := range behind {
		d := &behind[i]
		if d.Conj == "that" {
			continue
		}
		gate := sentence.Finishing.Get().FindString(c.text)
		if c.Objects != "" {
			gate = gateIn(c)
		}
		everything := c.Objects == "" && c.is("edit", "create", "work") && AllWork(prohibition.Get().ReplaceAllString(c.text, ""))
		if run := d.of("c"); run != "" && everything && (d.Conj == "before" || d.Conj == "unless") && d.is("run") {
			add("run-before", d.to, c, map[string]string{"run": run, "first": ""})
		}
		if run := d.of("c"); run != "" && gate != "" && (d.Conj == "before" || d.Conj == "unless") && (len(d.verbs) == 0 || d.is("run", "ensure")) {
			add("run-before", d.to, c, map[string]string{"run": run, "gate": gate})
		}
		if read := d.of("p"); read != "" && d.Conj == "unless" && d.is("read", "ensure") && c.of("a") != "" {
			add("read-first", d.to, c, map[string]string{"read": read, "gate": gate})
		}
		return
	}
}

// prohibition is the beginning of a clause that forbids, to its verb.
var prohibition = lazy.Regexp{Source: `^(?:never|not|don't|avoid) \w+ `}

// joined are the forms that a main clause has together with another one.
func (t *table) joined(c, d *clause, first bool, add func(string, int, *clause, map[string]string)) {
	runs, by := c.of("cp"), c.prep == "via" || c.prep == "with" || c.prep == "using" || c.prep == "by"
	if !strings.Contains(runs, "‹c") && !c.is("run", "ensure") || c.gap > 6 || instance.Get().MatchString(c.text) {
		runs = ""
	}
	reads := c.is("read") && !c.is("edit") && c.prep == "" || opening.Get().MatchString(c.text)
	switch d.Conj {
	case "instead":
		if use, deny := c.of("ct"), d.of("c"); !first && !otherPart.Get().MatchString(d.text) && use != "" && deny != "" && (c.is("use") || strings.HasPrefix(use, "‹c") && c.is("run")) {
			add("use-not", d.to, c, map[string]string{"use": use, "deny": deny})
		}
	case "before":
		gate := gateIn(d)
		switch {
		case reads && c.of("p") != "":
			readBefore(c, d, add)
		case runs != "" && gate == "" && d.Objects == "" && AllWork(d.tail()):
			add("run-before", 0, c, map[string]string{"run": runs, "first": ""})
		case runs != "" && gate != "" && (c.is("run", "ensure", "use") || by || len(c.verbs) == 0):
			add("run-before", 0, c, map[string]string{"run": runs, "gate": gate})
		case runs != "" && gate == "" && c.is("run", "use") && sentence.Ends.Get().MatchString(rest(d)) && len(d.of("tp")) == len(d.Objects):
			atItsEnd(runs, c, d, add)
		case runs != "" && gate == "" && c.is("run", "use") && d.is("edit", "create", "delete", "work") && d.of("t") == d.Objects:
			add("remind", 0, c, map[string]string{"run": runs, "first": "", "words": rest(d)})
		}
	case "after", "when":
		d.text = obliged.Get().ReplaceAllString(d.text, "")
		changed := ""
		if near := d.gap <= 4 && d.prep != "for"; near && d.is("edit", "create", "delete", "work") || !first && d.prep != "" {
			changed = d.of("p")
		}
		words := d.tail()
		switch {
		case d.is("read"): // it is an order of reading
		case runs != "" && preference.Get().MatchString(c.text+d.text): // what it names is the better of two
		case reads && c.of("p") != "":
			readBefore(c, d, add)
		case runs != "" && (c.is("run", "ensure", "use") || len(c.verbs) == 0) && changed != "":
			add("run-after", 0, c, map[string]string{"run": runs, "changed": changed})
		case runs != "" && (c.is("run", "ensure", "use") || len(c.verbs) == 0 && !first && aCommand.Get().MatchString(c.text)) && d.Objects == "" && AllWork(words):
			add("run-after", 0, c, map[string]string{"run": runs, "generic": words})
		case strings.Contains(d.text, " not ") || strings.Contains(d.text, "n't "): // what did not happen
		case by && c.is("create", "edit", "delete") && adds.Get().MatchString(d.text): // it is how that is done
		case runs != "" && (c.is("run") || by || aCommand.Get().MatchString(c.text)) && (d.of("t") == d.Objects || strings.HasPrefix(d.Objects, "‹a")) && d.is("edit", "create", "delete", "work") && Tells(words):
			add("remind", 0, c, map[string]string{"run": runs, "gate": "commit", "words": words})
		case c.is("update", "create") && !c.alsoOther(first) && !newFile.Get().MatchString(c.text) && c.gap <= 5 && c.with() != "" && changed == "" && d.of("t") == d.Objects && d.is("edit", "create", "delete", "work", "update") && Tells(words):
			add("remind-also", c.to, c, map[string]string{"with": c.with(), "words": words})
		case c.is("update") && c.of("p") != "" && changed != "" && !d.is("create") && !strings.HasSuffix(d.text, "only "):
			add("also", 0, c, map[string]string{"with": c.Objects, "changed": changed})
		}
	}
}

// atItsEnd is a demand at the end of some work, which is the end of a turn and no write.
func atItsEnd(runs string, c, d *clause, add func(string, int, *clause, map[string]string)) {
	slots := map[string]string{"run": runs, "words": rest(d)}
	if at := d.of("p"); at != "" {
		slots["changed"] = at
	}
	add("remind", 0, c, slots)
}

// preference names the better of two things, or says in brackets what a command does in a case.
var preference = lazy.Regexp{Source: `\) over ‹|\(e\.g\.,? ?(?:after|when|if)\b|‹c\d+› \((?:[a-z]+ )+(?:if|when|after) `}

// otherPart is a clause whose first name is behind the end of what it says.
var otherPart = lazy.Regexp{Source: `^[^‹]*[),;]`}

// AllWork reports whether words are about all that an agent changes. What "you" alone is
// about, a list below says.
func AllWork(words string) bool {
	return EveryWork.Get().MatchString(words) && strings.TrimSpace(words) != "you" && !CutOff.Get().MatchString(words) && !OnTests.Get().MatchString(words)
}

// CutOff is the end of words that go on with another thing.
var CutOff = lazy.Regexp{Source: ` (?:and|or)$`}

// obliged is the end of a condition that belongs to the clause behind it.
var obliged = lazy.Regexp{Source: `,(?: (?:you|we|agents?|must|should|have to|need to|always|also|please|then))+ ?$`}

// Tells reports whether the words of a condition say what it is about.
func Tells(words string) bool {
	return len(words) > 3 && !Unreadable.Get().MatchString(words) && words != "changes" && !(CutOff.Get().MatchString(words) && EveryWork.Get().MatchString(words)) && !pointer.Get().MatchString(words)
}

// pointer is the end of words about what was named before.
var pointer = lazy.Regexp{Source: `^(?:(?:you )?(?:\w+(?:, or |, | or | and |/)){0,3}\w+ )?(?:any |one |all |each )?(?:of )?(?:those|these|them|it|this|that|one|another|so)(?:,? (?:and|or))?$`}

// opening is a clause about what to read first.
var opening = lazy.Regexp{Source: `^(?:please |always )?(?:start|begin) (?:with|from|by reading) `}

// aCommand is a clause that only names commands.
var aCommand = lazy.Regexp{Source: `^‹c\d+›,? ?(?:$|[;:—–(+&→-]|(?:and|or|/) ‹c)`}

// newFile is what a condition is about, not what goes with it.
var newFile = lazy.Regexp{Source: `\b(?:create|add|put|place) (?:it|them|(?:the |a |an )?(?:new )?(?:\w+ )?(?:files?|scripts?|modules?|pages?|components?)) (?:in|under|to|at)\b`}

// with are the files that a clause wants to change: "add ‹t› to ‹p›".
func (c *clause) with() (paths string) {
	if itsLine.Get().MatchString(c.text) {
		return ""
	}
	for _, m := range sentence.Mark.Get().FindAllStringSubmatch(c.Objects, -1) {
		switch m[1] {
		case "p":
			paths += m[0]
		case "t":
		default:
			return ""
		}
	}
	return paths
}

// itsLine is something of a file that another file gets: "add its ‹p› line to ‹p›".
var itsLine = lazy.Regexp{Source: `‹p\d+› (?:[\w-]+ ){0,3}?(?:lines?|entry|entries|rows?|references?|copy|imports?|blocks?|stanzas?|records?|names?|paths?|versions?) (?:[\w-]+ )?(?:in)?to ‹p\d+›`}

// rest is a clause without its conjunction.
func rest(c *clause) string {
	_, words, _ := strings.Cut(c.text, " ")
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(words, "to "), "and "), "then ")
}

// Form is a form by its name.
func (t *table) Form(name string) *Form {
	return &t.Forms[slices.IndexFunc(t.Forms, func(f Form) bool { return f.Name == name })]
}
