package trial

import (
	"fmt"
	"slices"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// standing says which criteria come before the judges.
type standing struct {
	heard         []string          // ids, in the rubric's order
	notApplicable map[string]string // why, by id: left out of the total
	unseen        map[string]string // why, by id: nothing of it could be examined, so that nobody can judge it
}

// stand sorts the criteria. A criterion without a single fact is not put to
// judges: they would judge that nobody could look.
func (t *trial) stand(f findings, r repoFindings) standing {
	s := standing{notApplicable: map[string]string{}, unseen: map[string]string{}}
	for i := range f.rubric.Dimensions {
		d := &f.rubric.Dimensions[i]
		outcomes := wholes(f.evidence, d.ID)
		switch why := t.inapplicable(d, r, outcomes); {
		case why != "":
			s.notApplicable[d.ID] = why
		case len(outcomes) > 0 && !slices.ContainsFunc(outcomes, func(e *audit.Evidence) bool { return e.Outcome.Fact() }):
			s.unseen[d.ID] = fmt.Sprintf("nothing of it could be examined: %s", firstGap(outcomes))
		default:
			s.heard = append(s.heard, d.ID)
		}
	}
	return s
}

// inapplicable says why a criterion makes no sense for this case; "" when it does.
func (t *trial) inapplicable(d *rubric.Dimension, r repoFindings, outcomes []*audit.Evidence) string {
	switch {
	case d.TargetArtifact == "manual":
		return "a person is to judge it"
	case d.TargetArtifact == "repo" && t.Repo == "":
		return "there is no repository"
	case (d.TargetArtifact == "doc" || d.TargetArtifact == "diagram") && len(t.Documents) == 0:
		return "there is no document"
	}
	if r.repository != nil {
		if holds, why := d.AppliesIf.Hold(r.repository.Languages(), r.repository.Has); !holds {
			return why
		}
	}
	applies := func(e *audit.Evidence) bool { return e.Outcome != audit.NotApplicable }
	if len(outcomes) > 0 && !slices.ContainsFunc(outcomes, applies) {
		return "none of its probes applies here: " + outcomes[0].Summary
	}
	return ""
}

// wholes is the evidence of whole probes that belongs to a criterion.
func wholes(evidence []audit.Evidence, criterion string) []*audit.Evidence {
	var all []*audit.Evidence
	for i := range evidence {
		if e := &evidence[i]; !e.Part && slices.Contains(e.Criteria, criterion) {
			all = append(all, e)
		}
	}
	return all
}

// firstGap names the first evidence that could not be examined although it applies.
func firstGap(outcomes []*audit.Evidence) string {
	for _, e := range outcomes {
		if e.Outcome != audit.NotApplicable {
			return fmt.Sprintf("%s (%s)", e.Summary, e.Probe)
		}
	}
	return outcomes[0].Summary
}
