package document

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// term is one of a probe's terms with the longest prose that names it.
type term struct {
	name  string
	words []string
	times int

	doc   *Document
	block *Block
	prose bool // block is more than a heading or a row of a table
}

// findTerms looks for a probe's terms in all documents, except in their code.
func findTerms(docs []*Document, p *rubric.Probe) []term {
	terms := make([]term, len(p.Terms))
	for i, name := range p.Terms {
		terms[i] = term{name: name, words: words(name)}
	}
	for _, d := range docs {
		for i := range d.Blocks {
			b := &d.Blocks[i]
			if b.Kind == Code {
				continue
			}
			all := words(b.Text)
			for j := range terms {
				terms[j].in(d, b, occurrences(all, terms[j].words))
			}
		}
	}
	return terms
}

// in notes that a block names the term n times.
func (t *term) in(d *Document, b *Block, n int) {
	if n == 0 {
		return
	}
	t.times += n
	prose := b.Kind != Heading && b.Kind != TableRow
	if t.block == nil || prose && !t.prose || prose == t.prose && len(b.Text) > len(t.block.Text) {
		t.doc, t.block, t.prose = d, b, prose
	}
}

// termEvidence is the evidence of one doc_terms probe.
func termEvidence(docs []*Document, p *rubric.Probe, rb *rubric.Rubric) []audit.Evidence {
	of := evidenceOf(p, rb)
	readable, gap := readableOnly(docs, p, rb)
	if gap != nil {
		return finish([]audit.Evidence{*gap}, p)
	}
	terms := findTerms(readable, p)
	mentioned := 0
	for i := range terms {
		if terms[i].times > 0 {
			mentioned++
		}
	}
	whole := of(fmt.Sprintf("%d of %d terms are mentioned", mentioned, len(terms)))
	whole.Values = audit.Values{"terms": len(terms), "mentioned": mentioned}
	judge(&whole, p)
	partial := noteUnread(&whole, docs)
	if partial && whole.Outcome == audit.False { // a missing term may be in an unread document
		whole.Outcome = audit.NotAvailable
	}
	var places []audit.Evidence
	for i := range terms {
		places = append(places, terms[i].evidence(of, partial))
	}
	return finish(withParts(whole, places), p)
}

// evidence returns how often the term is named, and the documents' longest
// paragraph about it. partial says that a document was not read.
func (t *term) evidence(of func(string) audit.Evidence, partial bool) audit.Evidence {
	if t.times == 0 {
		e := of(fmt.Sprintf("%q is not mentioned", t.name))
		e.Outcome = audit.False
		if partial {
			e.Outcome = audit.NotAvailable
		}
		return e
	}
	e := of(fmt.Sprintf("%q is mentioned %d times", t.name, t.times))
	if t.times == 1 {
		e.Summary = fmt.Sprintf("%q is mentioned once", t.name)
	}
	e.Kind, e.Values, e.Location = audit.KindClaim, audit.Values{"times": t.times}, place(t.doc, t.block)
	quote(&e, t.block.Text)
	return e
}

// words are the runs of letters and digits in a text, in lower case and with one
// spelling of -ization.
func words(text string) []string {
	text = strings.ReplaceAll(strings.ToLower(text), "isation", "ization")
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// occurrences counts term in text, word by word; the last word may have a plural s.
func occurrences(text, term []string) int {
	if len(term) == 0 {
		return 0
	}
	n, last := 0, len(term)-1
	for i := 0; i+last < len(text); i++ {
		if slices.Equal(text[i:i+last], term[:last]) && (text[i+last] == term[last] || text[i+last] == term[last]+"s") {
			n++
		}
	}
	return n
}
