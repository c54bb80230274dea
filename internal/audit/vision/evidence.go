package vision

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/asking"
	"github.com/agentsentinel/sentinel/internal/audit/injection"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Confidence of a model's answer, and of a page without a diagram by code's
// judgement. They are not measured: they say that the evidence is weaker than a
// count.
const (
	modelConfidence = 0.7
	emptyConfidence = 0.9
)

// unseen returns the evidence of probes that could not look.
func unseen(probes []*rubric.Probe, rb *rubric.Rubric, outcome audit.Outcome, why string) []audit.Evidence {
	all := make([]audit.Evidence, len(probes))
	for i, p := range probes {
		all[i] = whole(p, rb, outcome, text.Line(why))
	}
	return all
}

func whole(p *rubric.Probe, rb *rubric.Rubric, outcome audit.Outcome, summary string) audit.Evidence {
	return audit.Evidence{
		Source: audit.SourceVision, Probe: p.ID, Criteria: rb.Criteria(p.ID), Kind: audit.KindFact, Outcome: outcome,
		Summary: summary, Confidence: 1,
	}
}

// evidenceOf makes the evidence of one probe: the whole, then each page; attempts
// are descriptions with prompt injection.
func evidenceOf(p *rubric.Probe, rb *rubric.Rubric, a *album, results []seen) (all, attempts []audit.Evidence) {
	all = []audit.Evidence{sum(p, rb, a, results)}
	for i := range results {
		e := part(p, rb, &a.pages[i], &results[i])
		if injection.Has(results[i].description) {
			e.Withheld = true
			attempts = append(attempts, attempt(&e))
		}
		all = append(all, e)
	}
	return all, attempts
}

// part is the evidence of one page.
func part(p *rubric.Probe, rb *rubric.Rubric, pg *page, s *seen) audit.Evidence {
	e := whole(p, rb, s.outcome(), "")
	e.Part, e.Location = true, audit.Location{Path: pg.document, Page: pg.number}
	switch e.Outcome {
	case audit.True:
		e.Kind, e.Confidence = audit.KindModel, modelConfidence
		e.Summary = fmt.Sprintf("a model (%s) saw: %s", cmp.Or(text.Line(s.model), "not named"), s.answer.answer)
		e.Snippet = text.ClipBytes(s.description, maxDescription)
	case audit.Error:
		e.Summary = fmt.Sprintf("no answer that can be used in %d tries: %s", asking.MaxTries, text.Line(s.err.Error()))
	default:
		e.Summary = "nobody looked: " + text.Line(s.err.Error())
	}
	return e
}

// attempt is the evidence of a description with prompt injection, which most likely
// comes from the picture.
func attempt(of *audit.Evidence) audit.Evidence {
	return audit.Evidence{
		Source: audit.SourceVision, Probe: "integrity.prompt_injection", Kind: audit.KindModel, Outcome: audit.False,
		Summary: "a model's description of the page speaks to its reader", Location: of.Location, Snippet: of.Snippet,
		Withheld: true, Confidence: modelConfidence,
	}
}

// sum is the evidence of all pages together.
func sum(p *rubric.Probe, rb *rubric.Rubric, a *album, results []seen) audit.Evidence {
	t := count(results)
	if t.answered == 0 && len(results) > 0 {
		return unanswered(p, rb, results)
	}
	e := whole(p, rb, audit.True, t.text(p, results))
	e.Values, e.Truncated = t.values(p, len(results), 0, 0), a.capped
	if e.Kind, e.Confidence = audit.KindModel, modelConfidence; len(results) == 0 {
		e.Kind, e.Confidence = audit.KindFact, emptyConfidence
	}
	if gaps := a.gaps(); gaps != "" {
		e.Summary += "; " + gaps
	}
	if p.Expect != nil {
		unclassified := len(results) - t.answered
		judge(&e, t.values(p, len(results), a.missing, a.missing+unclassified), p, a)
	}
	return e
}

// unanswered is the evidence when not one page has an answer.
func unanswered(p *rubric.Probe, rb *rubric.Rubric, results []seen) audit.Evidence {
	outcome, why := audit.Error, results[0].err
	for i := range results {
		if results[i].outcome() == audit.NotAvailable {
			outcome, why = audit.NotAvailable, results[i].err
			break
		}
	}
	return whole(p, rb, outcome, fmt.Sprintf("none of the pages that may hold a diagram (%d) was classified: %s", len(results), text.Line(why.Error())))
}

// tally counts the pages by answer.
type tally struct {
	answered int
	pages    map[string]int
}

func count(results []seen) *tally {
	t := &tally{pages: map[string]int{}}
	for i := range results {
		if results[i].err == nil {
			t.answered++
			t.pages[results[i].answer.answer]++
		}
	}
	return t
}

// values are the figures: the pages that were shown, and those of each answer;
// of each with as many more as there may be.
func (t *tally) values(p *rubric.Probe, shown, morePages, moreOfEach int) audit.Values {
	values := audit.Values{}
	for _, a := range p.Answers {
		values[a] = t.pages[a] + moreOfEach
	}
	values["pages"] = shown + morePages
	return values
}

func (t *tally) text(p *rubric.Probe, results []seen) string {
	if len(results) == 0 {
		return "no page holds an embedded image or a drawing that is large enough for a diagram"
	}
	parts := make([]string, len(p.Answers))
	for i, a := range p.Answers {
		parts[i] = fmt.Sprintf("%d %s", t.pages[a], a)
	}
	text := fmt.Sprintf("of %d pages that may hold a diagram, a model saw: %s", len(results), strings.Join(parts, ", "))
	if n := len(results) - t.answered; n > 0 {
		text += fmt.Sprintf("; %d not classified", n)
	}
	return text
}

// judge compares the figures with the rubric's expectation; more are the figures if
// every unknown page had that answer. The outcome is a fact only if no answer on
// the unknown pages could change it.
func judge(e *audit.Evidence, more audit.Values, p *rubric.Probe, a *album) {
	few, why, missing := p.Expect.Check(e.Values)
	many, _, _ := p.Expect.Check(more)
	switch {
	case len(missing) > 0:
		e.Outcome = audit.NotAvailable
		e.Summary += "; there is no figure " + strings.Join(missing, ", ")
	case few && many:
	case !broken(p.Expect, e.Values, more):
		e.Outcome = audit.NotAvailable
		e.Summary += "; whether that is as expected depends on the others"
	default:
		e.Outcome, e.Severity = audit.False, p.Severity
		e.Summary += "; " + why
		e.Remediation = p.Remediation.At(text.Line(strings.Join(a.names, ", ")), 0)
	}
}

// broken reports whether a figure is wrong however many pages are added to it.
func broken(expect rubric.Expect, few, more audit.Values) bool {
	return slices.ContainsFunc(slices.Sorted(maps.Keys(expect)), func(name string) bool {
		one := rubric.Expect{name: expect[name]}
		low, _, _ := one.Check(few)
		high, _, _ := one.Check(more)
		return !low && !high
	})
}
