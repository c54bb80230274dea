package justice

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// summary says in a few sentences what became of a criterion.
func (cr *criterion) summary() string {
	r := &cr.result
	judged := each(cr.voices, func(v *voice) string { return fmt.Sprintf("%s %d", v.judge.Title(), v.given) })
	if r.Verdict == audit.NoVerdict {
		text := "No verdict: " + last(r, ruleNoVerdict).Why + "."
		if judged != "" {
			text += " Heard: " + judged + "."
		}
		return text + " " + cr.unheard() + cr.stand()
	}
	text := fmt.Sprintf("%s with %d of %d. %s; the weighted mean is %s. %s", r.Verdict, r.Score, cr.d.Scale.High(), judged, audit.Decimals(r.Raw), cr.stand())
	for _, s := range r.Trace {
		if s.After < s.Before && decides(s.Rule) {
			text += fmt.Sprintf(" %s took the score from %s to %s.", words(s.Rule), audit.Decimals(s.Before), audit.Decimals(s.After))
		}
	}
	if s := last(r, ruleVariance); s != nil {
		text += " Judges disagree: " + cr.reviewed + "."
	}
	return text
}

// unheard says which judges have no opinion, and why; those with one reason
// together.
func (cr *criterion) unheard() string {
	var reasons []string
	of := map[string][]string{}
	for _, j := range audit.Judges() {
		if slices.ContainsFunc(cr.voices, func(v *voice) bool { return v.judge == j }) {
			continue
		}
		why := cr.silence(j)
		if of[why] == nil {
			reasons = append(reasons, why)
		}
		of[why] = append(of[why], j.Title())
	}
	var text string
	for _, why := range reasons {
		text += list(of[why]) + " gave none: " + why + ". "
	}
	return text
}

// silence is why a judge gave no opinion.
func (cr *criterion) silence(j audit.Judge) string {
	for i := range cr.result.Opinions {
		if o := &cr.result.Opinions[i]; o.Judge == j && o.Err != "" {
			return strings.TrimSuffix(o.Err, ".")
		}
	}
	return "nobody asked"
}

// stand summarizes the facts of the criterion.
func (cr *criterion) stand() string {
	facts := cr.bounds.Facts
	if facts.True+facts.False == 0 {
		return "No fact decides it."
	}
	return fmt.Sprintf("%d of %d facts hold.", facts.True, facts.True+facts.False)
}

// decides reports whether a rule may lower a score by itself.
func decides(rule string) bool {
	switch rule {
	case ruleMean, ruleMedian, ruleRounding, ruleThresholds, ruleVariance, ruleNoVerdict, ruleNotApplicable:
		return false
	}
	return true
}

// words is the name of a rule in a sentence: Fact supremacy.
func words(rule string) string {
	if rule == "" {
		return "A cap"
	}
	return upper(strings.ReplaceAll(rule, "_", " "))
}

// upper begins a sentence, whose first letter is of ASCII, with a capital.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func last(r *audit.Result, rule string) *audit.Step {
	for i := len(r.Trace) - 1; i >= 0; i-- {
		if r.Trace[i].Rule == rule {
			return &r.Trace[i]
		}
	}
	return nil
}

// narrative tells in one paragraph how the verdicts came about.
func narrative(rb *rubric.Rubric, r Ruling, factsOnly bool) string {
	if factsOnly {
		return factsAlone(rb, r.Evidence)
	}
	sentences := []string{tally(rb, r)}
	for i := range r.Results {
		sentences = append(sentences, ruledOn(&r.Results[i])...)
	}
	if s := weighted(r.Results); s != "" {
		sentences = append(sentences, s)
	}
	if n := silent(r.Results); n > 0 {
		sentences = append(sentences, fmt.Sprintf("Opinions that did not come about: %d.", n))
	}
	return strings.Join(sentences, " ")
}

// tally counts the verdicts.
func tally(rb *rubric.Rubric, r Ruling) string {
	count := map[audit.Verdict]int{}
	for i := range r.Results {
		count[r.Results[i].Verdict]++
	}
	var parts []string
	for _, v := range []struct {
		verdict audit.Verdict
		words   string
	}{{audit.Pass, "PASS"}, {audit.Partial, "PARTIAL"}, {audit.Fail, "FAIL"}, {audit.NoVerdict, "without a verdict"}, {audit.NotConsidered, "not applicable"}} {
		if n := count[v.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v.words))
		}
	}
	text := fmt.Sprintf("Criteria: %s", strings.Join(parts, ", "))
	if r.Overall.Counted == 0 {
		return text + "; there is no total."
	}
	return fmt.Sprintf("%s; the total is %s of %d, %s.", text, audit.Decimals(r.Overall.Score), rb.Metadata.Scale.High(), r.Overall.Verdict)
}

// ruledOn says which rules changed what the judges of a criterion had said.
func ruledOn(r *audit.Result) []string {
	var sentences []string
	add := func(format string, args ...any) { sentences = append(sentences, fmt.Sprintf(format, args...)) }
	for _, s := range r.Trace {
		switch {
		case s.Rule == ruleVariance:
			add("Dissent on %s: %s.", r.Name, s.Why)
		case s.Rule == ruleEvidence:
			add("Rule of evidence on %s: %s.", r.Name, s.Why)
		case decides(s.Rule): // a cap, also one below which the score was already
			add("%s applied to %s (%s).", words(s.Rule), r.Name, s.Why)
		}
	}
	if r.Waived != "" {
		add("%s is waived: %s.", r.Name, strings.TrimSuffix(r.Waived, "."))
	}
	return sentences
}

// weighted names the criteria whose score the weights of the judges have changed.
func weighted(results []audit.Result) string {
	var names []string
	for i := range results {
		s := last(&results[i], ruleMean)
		if s != nil && math.Floor(s.Before+half) != math.Floor(s.After+half) {
			names = append(names, fmt.Sprintf("%s (from %s to %s)", results[i].Name, audit.Decimals(s.Before), audit.Decimals(s.After)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Functionality weight decided " + list(names) + "."
}

// silent counts opinions that were asked for and did not come about.
func silent(results []audit.Result) int {
	n := 0
	for i := range results {
		for j := range results[i].Opinions {
			if results[i].Opinions[j].Err != "" {
				n++
			}
		}
	}
	return n
}

// factsAlone is the narrative without judges.
func factsAlone(rb *rubric.Rubric, evidence []audit.Evidence) string {
	f := rb.FactsOf(nil, evidence)
	text := fmt.Sprintf("No judge was asked: these are facts alone. %d facts hold, %d do not", f.Facts.True, f.Facts.False)
	if f.Facts.Unknown > 0 {
		text += fmt.Sprintf(", %d could not be established", f.Facts.Unknown)
	}
	text += "."
	if f.Security.Any > 0 {
		text += fmt.Sprintf(" Confirmed security findings: %d.", f.Security.Any)
	}
	return text
}
