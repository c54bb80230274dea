package stats

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/coverage"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// A Line is a line of an instruction file that rules come from, and how often they held
// and were broken.
type Line struct {
	Source string   `json:"source"` // file:line
	Quote  string   `json:"quote"`
	Rules  []string `json:"rules"`
	Shadow bool     `json:"shadow"` // all of them are in shadow mode
	Stale  string   `json:"stale"`  // why the line is not what it was; "" where it is
	Held   int64    `json:"held"`   // judgements without a violation
	Broken int64    `json:"broken"` // violations, those of shadow rules too
}

// LinesOf are the lines that the rules of a project come from, without figures.
func LinesOf(p *project.Project) (lines []Line) {
	at := map[string]int{}
	for _, f := range p.Folders {
		stale := map[string]string{}
		for _, s := range coverage.StaleOf(f.Root, f.Rules()) {
			stale[s.Rule] = s.Why
		}
		for _, r := range f.Rules() {
			d, spec := r.Definition(), r.Spec()
			if d.Source == "" || r.Off() {
				continue
			}
			key := f.Root + "\x00" + d.Source + "\x00" + d.Quote
			i, known := at[key]
			if !known {
				i, at[key] = len(lines), len(lines)
				lines = append(lines, Line{Source: text.OneLine(d.Source), Quote: text.OneLine(d.Quote), Shadow: true})
			}
			lines[i].Rules = append(lines[i].Rules, spec.ID)
			lines[i].Shadow = lines[i].Shadow && spec.Shadow
			lines[i].Stale = stale[spec.ID]
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return strings.Compare(a.Source, b.Source) })
	return lines
}

// Counted has the lines of instruction files that rules come from, with how often they
// held and were broken: those that were broken most often first.
func (r *Report) Counted() []Line {
	lines := list(r.FromLines)
	for i := range lines {
		for _, id := range lines[i].Rules {
			if u, logged := r.Stats.Rule(id); logged {
				lines[i].Broken += u.Violations
				lines[i].Held += u.Evaluations - u.Violations
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(b.Broken, a.Broken) })
	return lines
}
