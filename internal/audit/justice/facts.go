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
	// of its facts is. A waived False is neither. What is observed, or said by documents
	// and models, decides nothing.
	outcome map[string]audit.Outcome
}

func newFacts(rb *rubric.Rubric, d *rubric.Dimension, evidence []audit.Evidence) *facts {
	f := &facts{evidence: map[string]*audit.Evidence{}, ids: []string{}, outcome: map[string]audit.Outcome{}}
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
		if !e.Part && e.Kind == audit.KindFact && expects[e.Probe] && e.Outcome.Fact() && e.Waived == "" && f.outcome[e.Probe] != audit.False {
			f.outcome[e.Probe] = e.Outcome
		}
	}
	f.ids = natural(f.ids)
	return f
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

// failing lists the ids of the facts that are False.
func (f *facts) failing() []string {
	return slices.DeleteFunc(slices.Clone(f.ids), func(id string) bool {
		e := f.evidence[id]
		return e.Part || e.Kind != audit.KindFact || e.Outcome != audit.False || e.Waived != "" || f.outcome[e.Probe] == audit.Unknown
	})
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
