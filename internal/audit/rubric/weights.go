package rubric

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// functionalityWeights is what opinions weigh where a rubric weighs them and says
// nothing else: how well it works counts most, effort least.
func functionalityWeights() map[audit.Judge]float64 {
	return map[audit.Judge]float64{audit.Prosecutor: 1.2, audit.Defense: 0.9, audit.TechLead: 1.5}
}

// Weight returns what the opinion of a judge on a dimension weighs.
//
// Functionality weight is where the rubric gives it: judge_weights of the
// dimension, else synthesis.weights. A judge that one of them leaves out weighs
// what the next says, in the end 1.2 (Prosecutor), 0.9 (Defense) and 1.5 (Tech
// Lead). A rubric with neither key weighs all alike.
func (r *Rubric) Weight(d *Dimension, j audit.Judge) float64 {
	switch {
	case d != nil && d.JudgeWeights != nil:
		return d.JudgeWeights[j]
	case r.Synthesis.Weights != nil:
		return r.Synthesis.Weights[j]
	}
	return 1
}

// judgeNamed returns the judge that a file calls name.
func judgeNamed(name string) (audit.Judge, bool) {
	switch strings.ToLower(name) {
	case "prosecutor":
		return audit.Prosecutor, true
	case "defense":
		return audit.Defense, true
	case "tech_lead", "techlead":
		return audit.TechLead, true
	}
	return "", false
}
