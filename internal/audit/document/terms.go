package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// These say how a term is explained where the rubric does not.
const (
	defaultSentences = 2
	proseWords       = 4 // words of a sentence besides the rubric's terms
)

// depth says how far the documents go with one term.
type depth uint8

const (
	missing depth = iota
	dropped       // named, and no more than that
	explained
)

// term is one of a probe's terms with its best place.
type term struct {
	name  string
	words []string
	depth depth
	times int

	doc      *Document
	block    *Block
	sentence string
}

// findTerms looks for a probe's terms in all documents.
func findTerms(docs []*Document, p *rubric.Probe) []term {
	terms := make([]term, len(p.Terms))
	for i, name := range p.Terms {
		terms[i] = term{name: name, words: words(name)}
	}
	for _, d := range docs {
		for i := range d.Blocks {
			if d.Blocks[i].Kind != Code {
				inBlock(d, &d.Blocks[i], terms, p.Substantive)
			}
		}
	}
	return terms
}

// inBlock notes which terms a block has, and whether it explains them.
func inBlock(d *Document, b *Block, terms []term, s rubric.Substantive) {
	all := words(b.Text)
	var parts []string // of the block, if it holds any term
	for i := range terms {
		t := &terms[i]
		n := occurrences(all, t.words)
		if n == 0 {
			continue
		}
		t.times += n
		if parts == nil {
			parts = sentences(b.Text)
		}
		sentence := t.sentenceIn(parts)
		found := dropped
		if explains(b, sentence, parts, terms, s) {
			found = explained
		}
		if found > t.depth {
			t.depth, t.doc, t.block, t.sentence = found, d, b, sentence
		}
	}
}

// sentenceIn is the first sentence that has the term; the whole when the term
// crosses sentences.
func (t *term) sentenceIn(parts []string) string {
	for _, s := range parts {
		if occurrences(words(s), t.words) > 0 {
			return s
		}
	}
	return strings.Join(parts, " ")
}

// explains reports whether a block explains a term in one of its sentences: with
// prose of enough sentences, near the words that the rubric requires.
func explains(b *Block, sentence string, parts []string, terms []term, s rubric.Substantive) bool {
	switch b.Kind {
	case Paragraph, ListItem, Quote:
	default: // a heading, a row of a table
		return false
	}
	if !prose(sentence, terms) {
		return false
	}
	n := 0
	for _, p := range parts {
		if prose(p, terms) {
			n++
		}
	}
	return n >= cmp.Or(max(s.MinSentences, 0), defaultSentences) && near(b.Text, s.Near)
}

// prose reports whether a sentence says more than the names of terms.
func prose(sentence string, terms []term) bool {
	all := words(sentence)
	n := len(all)
	for i := range terms {
		n -= occurrences(all, terms[i].words) * len(terms[i].words)
	}
	return n >= proseWords && !keywordList(sentence)
}

// near reports whether text has one of the words, or none is required. Words with
// other signs than letters, such as src/, are searched as they are.
func near(text string, asked []string) bool {
	all := words(text)
	lower := strings.ToLower(text)
	return len(asked) == 0 || slices.ContainsFunc(asked, func(w string) bool {
		if plain := words(w); strings.Join(plain, " ") == strings.ToLower(w) {
			return occurrences(all, plain) > 0
		}
		return strings.Contains(lower, strings.ToLower(w))
	})
}

// termEvidence is the evidence of one doc_terms probe.
func termEvidence(docs []*Document, p *rubric.Probe, rb *rubric.Rubric) []audit.Evidence {
	of := evidenceOf(p, rb)
	readable, gap := readableOnly(docs, p, rb)
	if gap != nil {
		return finish([]audit.Evidence{*gap}, p)
	}
	terms := findTerms(readable, p)
	count := map[depth]int{}
	for i := range terms {
		count[terms[i].depth]++
	}
	whole := of(fmt.Sprintf("%d of %d terms are explained, %d are only named, %d are missing",
		count[explained], len(terms), count[dropped], count[missing]))
	whole.Values = audit.Values{"terms": len(terms), "mentioned": count[explained] + count[dropped],
		"explained": count[explained], "dropped": count[dropped], "missing": count[missing]}
	judge(&whole, p)
	partial := noteUnread(&whole, docs)
	if partial && whole.Outcome == audit.False { // a missing term may be in an unread document
		whole.Outcome = audit.NotAvailable
	}
	var places []audit.Evidence
	for i := range terms {
		places = append(places, terms[i].evidence(of, partial)...)
	}
	return finish(withParts(whole, places), p)
}

// evidence returns the count of the term, which is a fact, and the documents' words
// about it, which are a claim. partial says that a document was not read.
func (t *term) evidence(of func(string) audit.Evidence, partial bool) []audit.Evidence {
	var e audit.Evidence
	switch t.depth {
	case missing:
		e = of(fmt.Sprintf("%q is not mentioned", t.name))
		e.Outcome = audit.False
		if partial {
			e.Outcome = audit.NotAvailable
		}
		return []audit.Evidence{e}
	case dropped:
		e = of(fmt.Sprintf("%q is named %s, and not explained", t.name, times(t.times)))
		e.Outcome = audit.False
	case explained:
		e = of(fmt.Sprintf("%q is explained", t.name))
		e.Outcome = audit.True
	}
	e.Values = audit.Values{"times": t.times}
	e.Location = place(t.doc, t.block)
	quote(&e, t.sentence)
	if t.depth == dropped {
		return []audit.Evidence{e}
	}
	said := of(fmt.Sprintf("what the document says about %q", t.name))
	said.Kind, said.Outcome, said.Location = audit.KindClaim, audit.True, e.Location
	quote(&said, t.block.Text)
	return []audit.Evidence{e, said}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
