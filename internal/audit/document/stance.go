package document

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// stance is how a document names a path. Only claims count against it.
type stance string

const (
	stanceClaim     stance = "claim"     // it is there
	stanceQuotation stance = "quotation" // somebody else says so
	stanceProposal  stance = "proposal"  // it is to come
	stanceExample   stance = "example"   // a path like this
	stanceAbsence   stance = "absence"   // it is not, or no longer, there
)

// signs are the words that show a stance. They are searched in a sentence with
// masked paths, because src/example.py is not an example.
type signs struct{ proposal, absence, example, clause, proposals, present, done *regexp.Regexp }

// These match a masked path with the signs around it, and several of them. A path
// in brackets is an aside: the words before it say nothing about it.
const (
	maskedPath  = "[`\"'(]*" + mask + "+[`\"')]*"
	maskedMore  = "(?:,? (?:and |or |nor )?" + maskedPath + ")*"
	maskedPaths = maskedPath + maskedMore
	maskedBare  = "[`\"']*" + mask + "+[`\"')]*" + maskedMore
)

var stanceSigns = sync.OnceValue(func() signs {
	return signs{
		// A modal verb alone does not make a proposal: "the command will read config.yml" is a claim.
		proposal: regexp.MustCompile(`(?i)\b(proposed|planned|roadmap|todo|to-do|not yet|future (work|version|release)s?|next steps?|in (the|a) future|let's|let us` +
			`|(we|I|it is|is|are|was|were) (suggest|recommend|propose)(ed|d)?|consider (adding|creating|moving|writing|splitting))\b` +
			`|\b(will|would|should|could|might|may|shall|must|going to|plans? to|want(s|ed)? to|intends? to|needs? to|ought to|aims? to|to be|we'll|I'll)` +
			`( [\w-]+){0,3}? (add|creat|writ|implement|introduc|mov|renam|extract|split|refactor|replac|build|built|migrat|deliver|generat|put|live|extend)\w*`),
		// The path itself has to be absent: "there is no eval in src/x.py" is a claim.
		absence: regexp.MustCompile(`(?i)\b(there (is|was|are|were) (no|not)|(do|does|did) not have|(has|have|had|contains?|contained|found) no|lacks?|lacking|without|missing|remov(ed|ing)|delet(ed|ing)|dropped)` +
			` ((an?|the|any|such|more|longer|separate|old|obsolete|legacy|unused|files?|modules?|folder|directory|package|script|document|called|named) ){0,4}` + maskedBare +
			`|` + maskedPaths + `,? ((which|that|and|file|folder|module) ){0,2}(do(es)? ?n[o'’]t exist|do not exist|did not exist|no longer exists?` +
			`|((is|are|was|were|has been|have been|had been) (now |since |also |all |both )?)(removed|deleted|dropped|missing|absent|gone|renamed|replaced|not (there|present|included|in (the|this|our))|no longer (there|in|part|present)|never (added|committed|written|created)))\b`),
		example:   regexp.MustCompile(`(?i)(\be\.g\.|\bfor (example|instance)\b|\bsuch as\b|\b(an|the following) example\b|\bexamples?:|\bimagine\b|\bsuppose\b|\bhypothetical\w*|\bsay,|\bplaceholder\b)`),
		clause:    regexp.MustCompile(`(?i);|\b(but|whereas|while|although)\b`),
		proposals: regexp.MustCompile(`(?i)\b(future|roadmap|next steps?|planned|plans?|proposal\w*|proposed|todo|to-do|recommendations?|remediation|(possible|potential|suggested) improvements?|ideas?|backlog)\b`),
		present:   regexp.MustCompile(`(?i)\b(already|currently|today|at present|existing)\b`),
		done:      regexp.MustCompile(`(?i)\b(done|implemented|completed?|delivered|history)\b`),
	}
})

// mask replaces each byte of a path, so that offsets stay.
const mask = "\x01"

// masked is a sentence with the words that may be paths masked: those with a
// slash or a dot inside, and those between backticks.
func masked(sentence string) string {
	out := []byte(sentence)
	for start := 0; start < len(sentence); {
		end := start + strings.IndexByte(sentence[start:], ' ')
		if end < start {
			end = len(sentence)
		}
		word := sentence[start:end]
		first := start + len(word) - len(strings.TrimLeft(word, "`\"'([{<*_"))
		last := start + len(strings.TrimRight(word, "`\"')]}>.,:;!?*_"))
		if first < last {
			core := sentence[first:last]
			backticks := strings.HasPrefix(word, "`") && strings.Contains(word[1:], "`")
			if (backticks || strings.ContainsAny(core, `/\.`)) && !abbreviation(core) {
				copy(out[first:last], strings.Repeat(mask, last-first))
			}
		}
		start = end + 1
	}
	return string(out)
}

// sayings are the stretches of a sentence, in bytes, that make a path in them, or
// after them, something else than a claim.
type sayings struct {
	all                                          stance // of everything in the sentence; "" when it depends on the place
	section                                      stance
	proposal, absence, examples, quotes, clauses [][]int
}

// sayingsOf reads a sentence of a block below a heading of that stance.
func sayingsOf(b *Block, sentence string, section stance) sayings {
	s := sayings{section: section}
	switch b.Kind {
	case Quote:
		s.all = stanceQuotation
		return s
	case Code:
		s.all = stanceExample
		return s
	}
	words, text := stanceSigns(), masked(sentence)
	s.quotes = quotations(sentence)
	s.absence = words.absence.FindAllStringIndex(text, -1)
	s.examples = words.example.FindAllStringIndex(text, -1)
	if s.proposal = words.proposal.FindAllStringIndex(text, -1); s.proposal != nil {
		s.clauses = words.clause.FindAllStringIndex(text, -1)
	}
	if section == stanceProposal && words.present.MatchString(text) {
		s.section = stanceClaim
	}
	return s
}

// at returns the stance of the path at an offset of the sentence.
func (s *sayings) at(offset int) stance {
	if s.all != "" {
		return s.all
	}
	for _, e := range s.examples {
		if e[1] <= offset {
			return stanceExample
		}
	}
	if within(s.absence, offset) {
		return stanceAbsence
	}
	for _, p := range s.proposal {
		if s.sameClause(p[0], offset) {
			return stanceProposal
		}
	}
	return s.section
}

// sameClause reports whether nothing parts two places of the sentence.
func (s *sayings) sameClause(a, b int) bool {
	for _, c := range s.clauses {
		if min(a, b) < c[0] && c[1] <= max(a, b) {
			return false
		}
	}
	return true
}

// stanceIn says how the path is named at that offset of its sentence.
func (m *mention) stanceIn(s *sayings, offset int) stance {
	switch {
	case within(s.quotes, offset):
		return stanceQuotation
	case placeholder(m.path):
		return stanceExample
	}
	return s.at(offset)
}

// under is the stance that a heading gives to the text below it.
type under struct {
	stance stance
	level  int // of the heading that gave it
}

// heading returns the stance below a heading. The smaller headings of a plan belong
// to the plan.
func (u under) heading(b *Block) under {
	words := stanceSigns()
	switch {
	case words.proposals.MatchString(b.Text) && !words.done.MatchString(b.Text):
		return under{stanceProposal, b.Level}
	case u.stance == stanceProposal && b.Level > u.level && !words.done.MatchString(b.Text):
		return u
	}
	return under{stanceClaim, b.Level}
}

// quotations returns the stretches of a sentence, in bytes, between quotes with
// three words or more: quotes around a path alone only emphasize it.
func quotations(sentence string) [][]int {
	var all [][]int
	open := -1
	for i, r := range sentence {
		if !strings.ContainsRune(`"“”«»`, r) {
			continue
		}
		if open >= 0 && len(strings.Fields(sentence[open:i])) >= 3 {
			all = append(all, []int{open, i})
		}
		if open < 0 {
			open = i + utf8.RuneLen(r)
		} else {
			open = -1
		}
	}
	return all
}

// within reports whether one of the stretches holds an offset.
func within(all [][]int, offset int) bool {
	return slices.ContainsFunc(all, func(s []int) bool { return s[0] <= offset && offset < s[1] })
}
