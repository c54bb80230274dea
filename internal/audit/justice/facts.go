package justice

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// facts is what bears on one criterion.
type facts struct {
	evidence map[string]*audit.Evidence // by id: what belongs to the criterion
	ids      []string                   // of evidence, in their order
	// outcome is the outcome of each probe that expects something: True, or False when one
	// of its facts is. A waived False is neither. What merely observes, and what documents
	// and models say, decides nothing.
	outcome map[string]audit.Outcome
	// shows holds the probes with something that can support an opinion: a fact or
	// what a model saw, which holds and is not contradicted.
	shows    map[string]bool
	required []string // probes of the criterion that are False and required
}

func newFacts(rb *rubric.Rubric, d *rubric.Dimension, evidence []audit.Evidence) *facts {
	f := &facts{evidence: map[string]*audit.Evidence{}, ids: []string{}, outcome: map[string]audit.Outcome{}, shows: map[string]bool{}}
	expects := map[string]bool{}
	for i := range rb.Probes {
		expects[rb.Probes[i].ID] = rb.Probes[i].Expect != nil
	}
	for i := range evidence {
		e := &evidence[i]
		if !slices.Contains(e.Criteria, d.ID) {
			continue
		}
		f.evidence[e.ID] = e
		f.ids = append(f.ids, e.ID)
		if e.Part || e.Kind == audit.KindClaim {
			continue
		}
		if e.Outcome == audit.True {
			f.shows[e.Probe] = true
		}
		if e.Kind == audit.KindFact && expects[e.Probe] && e.Outcome.Fact() && e.Waived == "" && f.outcome[e.Probe] != audit.False {
			f.outcome[e.Probe] = e.Outcome
		}
	}
	f.ids = natural(f.ids)
	for probe, outcome := range f.outcome {
		if outcome == audit.False {
			delete(f.shows, probe)
			if slices.Contains(d.Required, probe) {
				f.required = append(f.required, probe)
			}
		}
	}
	return f
}

// count returns how many probes that expect something hold, and how many do not.
func (f *facts) count() (holds, fails int) {
	for _, outcome := range f.outcome {
		if outcome == audit.True {
			holds++
		} else {
			fails++
		}
	}
	return holds, fails
}

// cited divides the probes behind cited ids into those that hold and those that
// do not, with the first id of each. Every probe counts once, however many of its
// places are cited.
func (f *facts) cited(ids []string) (holds, fails []string) {
	seen := map[string]bool{}
	for _, id := range ids {
		probe := f.evidence[id].Probe
		if seen[probe] {
			continue
		}
		seen[probe] = true
		switch f.outcome[probe] {
		case audit.True:
			holds = append(holds, id)
		case audit.False:
			fails = append(fails, id)
		}
	}
	return holds, fails
}

// supports reports whether something that is cited can support an opinion.
func (f *facts) supports(ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return f.shows[f.evidence[id].Probe] })
}

// where names evidence with its outcome and place.
func (f *facts) where(id string) string {
	e := f.evidence[id]
	text := id + " (" + e.Outcome.String()
	if place := e.Location.String(); place != "" {
		text += ", " + visible(place)
	}
	return text + ")"
}

// visible is a path that stays in its line, whatever it holds.
func visible(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// falseOf lists the ids of whole evidence of a probe that is False.
func (f *facts) falseOf(probe string) []string {
	var ids []string
	for _, id := range f.ids {
		if e := f.evidence[id]; e.Probe == probe && !e.Part && e.Outcome == audit.False && e.Waived == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// compareIDs orders repo#9 before repo#10.
func compareIDs(a, b string) int {
	sourceA, numberA := splitID(a)
	sourceB, numberB := splitID(b)
	return cmp.Or(cmp.Compare(sourceA, sourceB), cmp.Compare(numberA, numberB), cmp.Compare(a, b))
}

func splitID(id string) (source string, number int) {
	source, digits, _ := strings.Cut(id, "#")
	number, err := strconv.Atoi(digits)
	if err != nil {
		number = -1
	}
	return source, number
}

// natural orders ids and drops repeated ones.
func natural(ids []string) []string {
	slices.SortFunc(ids, compareIDs)
	return slices.Compact(ids)
}
