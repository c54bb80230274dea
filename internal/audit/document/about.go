package document

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// probeDocument describes a document. It is not in a rubric: it belongs to the
// criteria on documents that name no probes, because their judges would see no
// evidence.
const probeDocument = "document"

// openCriteria are the criteria that are about documents and name no probes.
func openCriteria(rb *rubric.Rubric) []string {
	var ids []string
	for i := range rb.Dimensions {
		d := &rb.Dimensions[i]
		about := d.TargetArtifact == "doc" || d.TargetArtifact == "all"
		if about && len(d.Evidence) == 0 && len(d.Required) == 0 {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// about returns the counts of a document, and the beginning of its sections for
// criteria that name no probes.
func about(d *Document, rb *rubric.Rubric) []audit.Evidence {
	e := audit.Evidence{Source: audit.SourceDocs, Probe: probeDocument, Criteria: openCriteria(rb), Kind: audit.KindFact,
		Outcome: audit.True, Location: audit.Location{Path: d.Name}, Confidence: 1}
	if d.Unreadable != nil {
		e.Outcome = d.Unreadable.Outcome
		e.Summary = "the document could not be read: " + text.OneLine(d.Unreadable.Error())
		return []audit.Evidence{e}
	}
	sections := d.Sections()
	e.Values = d.figures(len(sections))
	counted := func(figure, one, many string) string {
		n, _ := e.Values[figure].(int)
		return text.Plural(n, one, many)
	}
	e.Summary = fmt.Sprintf("%s, %s, %s, %s", d.Format, counted("pages", "page", "pages"), counted("words", "word", "words"), counted("headings", "heading", "headings"))
	if e.Truncated = d.Cut; d.Cut {
		e.Summary += "; the rest of its text was not read"
	}
	if len(e.Criteria) == 0 {
		return []audit.Evidence{e}
	}
	var places []audit.Evidence
	for i := range sections {
		s := &sections[i]
		said := e
		said.Kind, said.Values, said.Truncated = audit.KindClaim, nil, false
		said.Summary = "a section of the document"
		said.Location = audit.Location{Path: d.Name, Page: s.Page, First: s.First, Last: s.Last}
		quote(&said, s.text())
		places = append(places, said)
	}
	return withParts(e, places)
}

func (d *Document) figures(sections int) audit.Values {
	n, headings, images, diagrams, hidden := 0, 0, 0, 0, 0
	for i := range d.Blocks {
		n += len(strings.Fields(d.Blocks[i].Text))
		if d.Blocks[i].Kind == Heading {
			headings++
		}
	}
	for i := range d.Pages {
		p := &d.Pages[i]
		images += p.Images
		hidden += len(p.Hidden)
		if p.Diagram() {
			diagrams++
		}
	}
	return audit.Values{"pages": len(d.Pages), "words": n, "headings": headings, "sections": sections,
		"images": images, "diagram_pages": diagrams, "hidden_texts": hidden}
}

// text is the section with its heading.
func (s *Section) text() string {
	text := joinBlocks(s.Blocks)
	if s.Title == "" {
		return text
	}
	return s.Title + "\n\n" + text
}
