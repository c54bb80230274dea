package trial

import (
	"fmt"
	"slices"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// standing says which criteria the judges get.
type standing struct {
	judged        []string          // ids, in the rubric's order
	notApplicable map[string]string // the reason, by id: left out of the total
	unseen        map[string]string // the reason, by id: no probe of it could look
}

// stand sorts the criteria. Judges do not get a criterion without a single fact:
// they would judge that no probe could look.
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
			s.judged = append(s.judged, d.ID)
		}
	}
	return s
}

// inapplicable says why a criterion does not apply to this case; "" when it does.
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

// wholes returns the evidence of whole probes for a criterion.
func wholes(evidence []audit.Evidence, criterion string) []*audit.Evidence {
	var all []*audit.Evidence
	for i := range evidence {
		if e := &evidence[i]; !e.Part && slices.Contains(e.Criteria, criterion) {
			all = append(all, e)
		}
	}
	return all
}

// firstGap names the first probe that applies and could not look.
func firstGap(outcomes []*audit.Evidence) string {
	for _, e := range outcomes {
		if e.Outcome != audit.NotApplicable {
			return fmt.Sprintf("%s (%s)", e.Summary, e.Probe)
		}
	}
	return outcomes[0].Summary
}
