package repo

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/injection"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
)

// MaxPlaces is how many places of one probe are reported.
const MaxPlaces = 50

// A place is one thing that a probe found.
type place struct {
	path        string
	first, last int
	commit      string // "" is the commit that is audited
	summary     string // our words
	snippet     string // theirs
	kind        audit.Kind
	outcome     audit.Outcome // Unknown: as the whole says
	withheld    bool
	possible    bool // it may be what is looked for, and may be something else
}

// A gap is something that a probe should have examined, and did not.
type gap struct {
	path    string
	outcome audit.Outcome // NotSupported, NotAvailable or Error
	why     string
}

// A result is the result of one probe.
type result struct {
	values  map[string]any
	summary string
	snippet string // of the whole: their words
	places  []place
	more    bool // there are more places than are kept
	gaps    []gap
	kind    audit.Kind    // "" is a fact
	none    string        // why it does not apply; "" when it does
	zero    bool          // the number 0 is a figure, which can be expected
	outcome audit.Outcome // of a failure to look at all; Unknown when it could be looked at
	lower   []string      // figures of values that can only grow if the gaps were examined
}

// leftOut says how many files the rubric's patterns kept from the probe.
func (r *result) leftOut(n int) {
	if n == 0 || r.outcome == audit.Error {
		return
	}
	said := fmt.Sprintf("%d left out", n)
	if r.none != "" {
		r.none = joined(r.none, said)
	} else {
		r.summary = joined(r.summary, said)
	}
	if r.values == nil {
		r.values = map[string]any{}
	}
	r.values["left_out"] = n
}

// evidence writes a result down: first of the whole probe, then of its places.
func (in *investigation) evidence(p *rubric.Probe, r result) []audit.Evidence {
	if r.values == nil {
		r.values = map[string]any{}
	}
	whole := audit.Evidence{
		Source: audit.SourceRepo, Probe: p.ID, Criteria: in.rubric.Criteria(p.ID), Kind: cmp.Or(r.kind, audit.KindFact),
		Values: r.values, Confidence: 1,
	}
	var why string
	whole.Outcome, why = r.judge(p.Expect)
	whole.Summary, whole.Withheld = shielded(joined(r.summary, why))
	whole.Snippet = quoted(r.snippet)
	whole.Withheld = whole.Withheld || injection.Has(r.snippet)
	if len(r.gaps) > 0 {
		whole.Values["not_examined"] = len(r.gaps)
	}
	violated := whole.Outcome == audit.False && exceeds(p.Expect, r.values)
	whole.Truncated = r.more || len(r.places) > MaxPlaces
	all := []audit.Evidence{whole}
	for i := range min(len(r.places), MaxPlaces) {
		all = append(all, in.part(p, &whole, &r.places[i], violated))
	}
	if len(all) > 1 {
		all[0].Remediation = advice(p, all[1].Location)
	} else {
		all[0].Remediation = advice(p, audit.Location{})
		all[0].Severity, all[0].Confirmed = finding(p, whole.Outcome == audit.False)
	}
	return all
}

// part is the evidence of one place. violated says that it is one too many.
func (in *investigation) part(p *rubric.Probe, whole *audit.Evidence, at *place, violated bool) audit.Evidence {
	e := audit.Evidence{
		Source: audit.SourceRepo, Probe: p.ID, Criteria: whole.Criteria, Kind: cmp.Or(at.kind, whole.Kind), Part: true,
		Outcome: at.outcome, Summary: at.summary, Snippet: quoted(at.snippet), Confidence: 1,
		Location: audit.Location{Path: at.path, First: at.first, Last: at.last, Commit: cmp.Or(at.commit, in.repo.subject.Commit)},
		Withheld: at.withheld || injection.Has(at.snippet) || injection.Has(at.path),
	}
	if summary, withheld := shielded(at.summary); withheld {
		e.Summary, e.Withheld = summary, true
	}
	if e.Outcome == audit.Unknown {
		e.Outcome = audit.True
		if violated {
			e.Outcome = audit.False
		}
	}
	e.Severity, e.Confirmed = finding(p, e.Outcome == audit.False)
	if at.possible {
		doubt(&e)
	}
	e.Remediation = advice(p, e.Location)
	return e
}

// maxSnippet bounds what evidence quotes, in bytes.
const maxSnippet = 400

// quoted is hostile text as evidence quotes it: cut, and with secrets masked.
func quoted(content string) string {
	const around = 4 * maxSnippet // so that a secret at the cut is seen whole
	return text.CutBytes(secret.Mask(text.CutBytes(content, around)), maxSnippet)
}

// shielded returns a summary as a judge may read it: without prompt injection in
// a name.
func shielded(summary string) (text string, withheld bool) {
	if injection.Has(summary) {
		return "withheld: a name in it speaks to its reader", true
	}
	return summary, false
}

// finding is what makes evidence a security finding.
func finding(p *rubric.Probe, violated bool) (audit.Severity, bool) {
	if p.Severity == "" || !violated {
		return "", false
	}
	return p.Severity, true
}

// advice is a probe's remediation with a place in it.
func advice(p *rubric.Probe, l audit.Location) audit.Remediation {
	path := "the repository"
	if l.Path != "" {
		path = text.Name(l.Path)
		if injection.Has(path) {
			path = "the file"
		}
	}
	return p.Remediation.At(path, l.First)
}

func joined(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		if t == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(t)
	}
	return b.String()
}

// judge sets the outcome of a probe. Where something was not examined, it is a fact only if
// that could not change it.
func (r *result) judge(expect rubric.Expect) (audit.Outcome, string) {
	if r.outcome != audit.Unknown {
		return r.outcome, r.gapText()
	}
	holds, why, missing := expect.Check(r.values)
	decided := false
	if r.none != "" {
		if !r.zero || len(expect) == 0 || len(missing) > 0 {
			return audit.NotApplicable, r.none
		}
		why = joined(r.none, why)
	}
	switch {
	case len(missing) > 0:
		return r.unexamined(audit.NotAvailable), joined(why, "not known: "+strings.Join(missing, ", "), r.gapText())
	case len(expect) == 0:
		decided = true
	case len(r.gaps) == 0:
		decided = true
	case holds:
		decided = r.holdsForSure(expect)
	default:
		decided = r.brokenForSure(expect)
	}
	switch {
	case !decided:
		return r.unexamined(audit.NotAvailable), joined("it cannot be said", r.gapText())
	case holds:
		return audit.True, r.gapText()
	}
	return audit.False, joined(why, r.gapText())
}

// unexamined is the outcome of what could not be examined: the worst of the gaps.
func (r *result) unexamined(outcome audit.Outcome) audit.Outcome {
	for _, g := range r.gaps {
		outcome = max(outcome, g.outcome)
	}
	return outcome
}

// gapText names what was not examined.
func (r *result) gapText() string {
	switch len(r.gaps) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("not examined: %s (%s)", text.Name(text.CutBytes(r.gaps[0].path, 200)), r.gaps[0].why)
	}
	return fmt.Sprintf("not examined: %d files, the first of them %s (%s)", len(r.gaps), text.Name(text.CutBytes(r.gaps[0].path, 200)), r.gaps[0].why)
}

// holdsForSure reports whether what holds would hold whatever else were found.
func (r *result) holdsForSure(expect rubric.Expect) bool {
	for name, bound := range expect {
		if !r.grows(name) || bound.Max != nil || bound.Is != nil {
			return false
		}
	}
	return true
}

// brokenForSure reports whether what does not hold would not hold whatever else
// were found.
func (r *result) brokenForSure(expect rubric.Expect) bool {
	for name, bound := range expect {
		if r.grows(name) && bound.Max != nil && number(r.values[name]) > *bound.Max {
			return true
		}
	}
	return false
}

func (r *result) grows(figure string) bool {
	for _, name := range r.lower {
		if name == figure {
			return true
		}
	}
	return false
}

// exceeds reports whether a figure is larger than expected, so that each place is
// one that should not be there.
func exceeds(expect rubric.Expect, values map[string]any) bool {
	for name, bound := range expect {
		switch name {
		case "count", "possible", "files", "density_per_kloc", "max_pairwise", "largest_add_share":
			if bound.Max != nil && number(values[name]) > *bound.Max {
				return true
			}
		}
	}
	return false
}

func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}
