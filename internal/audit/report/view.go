package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// A view is a record in the order in which people read it. Markdown, HTML and
// the terminal show the same view.
type view struct {
	*audit.Record
	Criteria   []criterion
	Plan       []planFile
	First      []planItem        // of the plan, what to begin with
	Security   []*audit.Evidence // findings, worst first
	Others     []*audit.Evidence // findings of other categories, by category, worst first; without those that are waived
	Attempts   []*audit.Evidence // to influence the court
	Unexamined []*audit.Evidence
	Elsewhere  []*audit.Evidence // what does not apply here
	Silent     []silence
	probes     map[string]audit.Probe
}

// Sought is what was looked for where evidence was found; its own words are empty
// where the record does not know it.
func (v *view) Sought(e *audit.Evidence) audit.Probe { return v.probes[e.Probe] }

// Fails is what does not hold as a whole, in the record's order.
func (v *view) Fails() []*audit.Evidence {
	var all []*audit.Evidence
	for i := range v.Evidence {
		if e := &v.Evidence[i]; !e.Part && e.Outcome == audit.False && e.Waived == "" && !integrity(e) {
			all = append(all, e)
		}
	}
	return all
}

// firstPlace is the first place against the audited side that a probe found; the
// zero value without one.
func (v *view) firstPlace(whole *audit.Evidence) audit.Location {
	for i := range v.Evidence {
		if e := &v.Evidence[i]; e.Part && e.Probe == whole.Probe && e.Outcome == audit.False && e.Waived == "" {
			return e.Location
		}
	}
	return whole.Location
}

// criterion is a result with its evidence. Of facts alone there is no result:
// the criterion is known by its evidence, and was not judged.
type criterion struct {
	audit.Result
	Scale audit.Scale
	Found []*audit.Evidence
	noted map[string]bool // probes that expect nothing
}

// Wholes is the evidence of whole probes, and Places that of the places which they
// count.
func (c criterion) Wholes() []*audit.Evidence { return c.found(false) }

// Places is the rest: see Wholes.
func (c criterion) Places() []*audit.Evidence { return c.found(true) }

func (c criterion) found(part bool) []*audit.Evidence {
	return slices.DeleteFunc(slices.Clone(c.Found), func(e *audit.Evidence) bool { return e.Part != part })
}

// tally counts facts: those of whole probes, found by code, that no waiver covers. What
// is observed is counted apart, and what was noted: nothing is expected of it.
type tally struct{ Hold, Fail, Unknown, Observed, Noted int }

// Facts counts the facts of the criterion; none of one that does not apply.
func (c criterion) Facts() tally {
	var t tally
	if c.Verdict == audit.NotConsidered {
		return t
	}
	for _, e := range c.Wholes() {
		switch {
		case e.Kind == audit.KindObserved && e.Outcome.Fact():
			t.Observed++
		case e.Kind != audit.KindFact, e.Waived != "", e.Outcome == audit.NotApplicable:
		case e.Outcome == audit.True && c.noted[e.Probe]:
			t.Noted++
		case e.Outcome == audit.True:
			t.Hold++
		case e.Outcome == audit.False:
			t.Fail++
		default:
			t.Unknown++
		}
	}
	return t
}

// apart is what is counted besides facts, in words.
func (t tally) apart() string {
	var parts []string
	if t.Observed > 0 {
		parts = append(parts, fmt.Sprintf("%d observed", t.Observed))
	}
	if t.Noted > 0 {
		parts = append(parts, fmt.Sprintf("%d noted", t.Noted))
	}
	return strings.Join(parts, ", ")
}

// silence is why opinions are missing.
type silence struct {
	Judge   audit.Judge
	Backend string
	Reason  string
	Count   int
}

func newView(r *audit.Record) *view {
	v := &view{Record: r, Criteria: criteria(r), Plan: plan(r), Attempts: attempts(r), probes: map[string]audit.Probe{
		"integrity.prompt_injection": {Looked: "text that speaks to its reader"}, "integrity.hidden_text": {Looked: "text that a person does not see"},
	}}
	for _, p := range r.Probes {
		v.probes[p.ID] = p
	}
	v.Security, v.Others = found(r)
	v.First, v.Silent = urgent(r, v.Plan), silent(v.Criteria)
	for i := range r.Evidence {
		switch e := &r.Evidence[i]; {
		case e.Outcome == audit.NotApplicable:
			v.Elsewhere = append(v.Elsewhere, e)
		case !e.Outcome.Fact():
			v.Unexamined = append(v.Unexamined, e)
		}
	}
	return v
}

// Open is the security findings that no waiver covers.
func (v *view) Open() []*audit.Evidence {
	return slices.DeleteFunc(slices.Clone(v.Security), func(e *audit.Evidence) bool { return e.Waived != "" })
}

// Missing is what could not be examined, and then what does not apply here.
func (v *view) Missing() []*audit.Evidence { return slices.Concat(v.Unexamined, v.Elsewhere) }

func criteria(r *audit.Record) []criterion {
	results := r.Results
	if len(results) == 0 {
		results = unjudged(r)
	}
	noted := map[string]bool{}
	for _, p := range r.Probes {
		noted[p.ID] = p.Expected == ""
	}
	all := make([]criterion, len(results))
	for i, result := range results {
		all[i] = criterion{Result: result, Scale: scaleOf(r, result.Criterion), noted: noted}
		named := map[string]bool{}
		for _, id := range result.Evidence {
			named[id] = true
		}
		for j := range r.Evidence {
			if e := &r.Evidence[j]; named[e.ID] || slices.Contains(e.Criteria, result.Criterion) {
				all[i].Found = append(all[i].Found, e)
			}
		}
	}
	return all
}

// scaleOf is the scale of a criterion: of the record, which an older one does not know.
func scaleOf(r *audit.Record, criterion string) audit.Scale {
	for i := range r.Criteria {
		if r.Criteria[i].ID == criterion {
			return r.Criteria[i].Scale
		}
	}
	return nil
}

// unjudged are the criteria of the rubric, then those that evidence alone knows
// of: a record made by hand may not have the first.
func unjudged(r *audit.Record) []audit.Result {
	var all []audit.Result
	for _, c := range r.Criteria {
		one := audit.Result{Criterion: c.ID, Name: c.Name, Weight: c.Weight}
		if c.NotApplicable != "" {
			one.Verdict, one.Summary = audit.NotConsidered, "It does not apply: "+c.NotApplicable+"."
		}
		all = append(all, one)
	}
	for i := range r.Evidence {
		for _, id := range r.Evidence[i].Criteria {
			if !slices.ContainsFunc(all, func(known audit.Result) bool { return known.Criterion == id }) {
				all = append(all, audit.Result{Criterion: id, Name: id})
			}
		}
	}
	return all
}

// violations is every piece of evidence against the audited side that has a
// place, and the whole of a probe that has none, in the record's order.
func violations(r *audit.Record) []*audit.Evidence {
	placed := map[string]bool{}
	for i := range r.Evidence {
		if e := &r.Evidence[i]; e.Part && e.Outcome == audit.False {
			placed[e.Probe] = true
		}
	}
	var all []*audit.Evidence
	for i := range r.Evidence {
		if e := &r.Evidence[i]; e.Outcome == audit.False && (e.Part || !placed[e.Probe]) {
			all = append(all, e)
		}
	}
	return all
}

// found divides the findings into those of security and others.
func found(r *audit.Record) (security, others []*audit.Evidence) {
	for _, e := range violations(r) {
		switch category := e.Finding(); {
		case category == audit.CategorySecurity:
			security = append(security, e)
		case category != "" && e.Waived == "":
			others = append(others, e)
		}
	}
	worse := func(a, b *audit.Evidence) int {
		return cmp.Or(cmp.Compare(a.Finding(), b.Finding()), cmp.Compare(b.Severity.Rank(), a.Severity.Rank()))
	}
	slices.SortStableFunc(security, worse)
	slices.SortStableFunc(others, worse)
	return security, others
}

// attempts returns the evidence of prompt injection, of text that a person does not
// see, and of links out of the tree: what the probes "integrity.…" object to.
func attempts(r *audit.Record) []*audit.Evidence {
	var all []*audit.Evidence
	for i := range r.Evidence {
		if e := &r.Evidence[i]; integrity(e) && e.Outcome.Fact() && !sum(e) && !harmless(e) {
			all = append(all, e)
		}
	}
	return all
}

// harmless reports whether evidence is a link within the tree.
func harmless(e *audit.Evidence) bool {
	return e.Probe == "integrity.symlink" && e.Outcome == audit.True
}

// sum reports whether evidence is about places that are evidence themselves.
func sum(e *audit.Evidence) bool { return !e.Part && e.Location == audit.Location{} }

// Influence counts the attempts, with those that were too many to be listed.
func (v *view) Influence() int {
	listed := map[audit.Source]map[string]int{}
	for _, e := range v.Attempts {
		if listed[e.Source] == nil {
			listed[e.Source] = map[string]int{}
		}
		listed[e.Source][e.Probe]++
	}
	n := len(v.Attempts)
	for i := range v.Evidence {
		e := &v.Evidence[i]
		if found, ok := e.Values["count"].(int); ok && integrity(e) && !harmless(e) && sum(e) && e.Truncated {
			n += max(0, found-listed[e.Source][e.Probe])
		}
	}
	return n
}

func integrity(e *audit.Evidence) bool { return strings.HasPrefix(e.Probe, "integrity.") }

// silent sums up why judges gave no opinion, in the order in which it happened
// first.
func silent(criteria []criterion) []silence {
	var all []silence
	for _, c := range criteria {
		for _, o := range c.Opinions {
			if c.Valid(o) {
				continue
			}
			s := silence{Judge: o.Judge, Backend: o.Backend, Reason: c.Silence(o)}
			at := slices.IndexFunc(all, func(known silence) bool {
				return known.Judge == s.Judge && known.Backend == s.Backend && known.Reason == s.Reason
			})
			if at < 0 {
				at, all = len(all), append(all, s)
			}
			all[at].Count++
		}
	}
	return all
}

// headline is the outcome of the whole audit in one sentence.
func headline(r *audit.Record) string {
	switch o := r.Overall; {
	case len(r.Results) == 0:
		return "Facts alone: no judge was asked, and there is no verdict."
	case o.Counted == 0:
		return fmt.Sprintf("No verdict: none of %s could be judged.", text.Plural(o.Total, "criterion that applies", "criteria that apply"))
	default:
		return fmt.Sprintf("%s: %s of %d, from %d of %s.", verdictName(o.Verdict), audit.Decimals(o.Score), r.Rules.Scale.High(), o.Counted, text.Plural(o.Total, "criterion that applies", "criteria that apply"))
	}
}

// verdictCount is how many criteria have a verdict.
type verdictCount struct {
	Verdict audit.Verdict
	Count   int
}

// verdictCounts counts verdicts, the best first; those that do not occur are
// left out.
func verdictCounts(r *audit.Record) []verdictCount {
	var all []verdictCount
	for _, verdict := range []audit.Verdict{audit.Pass, audit.Partial, audit.Fail, audit.NoVerdict, audit.NotConsidered} {
		n := 0
		for i := range r.Results {
			if r.Results[i].Verdict == verdict {
				n++
			}
		}
		if n > 0 {
			all = append(all, verdictCount{verdict, n})
		}
	}
	return all
}

func countsText(r *audit.Record) string {
	var parts []string
	for _, c := range verdictCounts(r) {
		parts = append(parts, fmt.Sprintf("%d %s", c.Count, verdictName(c.Verdict)))
	}
	return strings.Join(parts, ", ")
}

// gateText is the gate in a sentence or two; hostile words in it are not escaped
// yet.
func gateText(g audit.Gate) string {
	text := map[string]string{"failed": "Not passed.", "undecided": "Not decided.", "facts only": "No fact fails it."}[g.State()]
	if text == "" {
		text = "Passed."
	}
	if len(g.Reasons) > 0 {
		text = strings.TrimSuffix(text, ".") + ": " + strings.Join(g.Reasons, "; ") + "."
	}
	if len(g.NotExamined) > 0 {
		text += " Not examined: " + strings.Join(g.NotExamined, "; ") + "."
	}
	if len(g.NotAsked) > 0 {
		text += " No judge was asked for: " + strings.Join(g.NotAsked, "; ") + "."
	}
	return text
}

// hasGate reports whether anything was held against the gate.
func hasGate(r *audit.Record) bool {
	return len(r.Results) > 0 || r.Gate.Passed || len(r.Gate.Reasons)+len(r.Gate.NotExamined)+len(r.Gate.NotAsked) > 0
}
