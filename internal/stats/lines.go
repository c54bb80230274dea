package stats

import (
	"cmp"
	"slices"

	"github.com/agentsentinel/sentinel/internal/coverage"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// A Line is a line of an instruction file that rules come from, and how often they held
// and were broken.
type Line struct {
	Source string   `json:"source"` // file:line, where the words are now
	Quote  string   `json:"quote"`
	Rules  []string `json:"rules"`
	Shadow bool     `json:"shadow"` // all of them are in shadow mode
	Stale  string   `json:"stale"`  // why the line is not what it was; "" where it is
	Held   int64    `json:"held"`   // calls that were judged by them without a violation
	Broken int64    `json:"broken"` // calls with one, by shadow rules too
}

// LinesOf are the lines that the rules of a project come from, without figures, by file
// and number.
func LinesOf(p *project.Project) (lines []Line) {
	at := map[string]int{}
	for _, f := range p.Folders {
		changed := map[string]coverage.Stale{}
		for _, s := range coverage.StaleOf(f.Root, f.Rules()) {
			changed[s.Rule] = s
		}
		for _, r := range f.Rules() {
			d, spec := r.Definition(), r.Spec()
			if d.Source == "" || r.Off() {
				continue
			}
			now := changed[spec.ID]
			source, stale := text.OneLine(d.Source), ""
			if now.Moved() {
				source = now.Now
			} else {
				stale = now.Why
			}
			key := f.Root + "\x00" + source + "\x00" + d.Quote
			i, known := at[key]
			if !known {
				i, at[key] = len(lines), len(lines)
				lines = append(lines, Line{Source: source, Quote: text.OneLine(d.Quote), Shadow: true, Stale: stale})
			}
			lines[i].Rules = append(lines[i].Rules, spec.ID)
			lines[i].Shadow = lines[i].Shadow && spec.Shadow
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int {
		fileA, lineA := (&rule.Definition{Source: a.Source}).Place()
		fileB, lineB := (&rule.Definition{Source: b.Source}).Place()
		return cmp.Or(cmp.Compare(fileA, fileB), cmp.Compare(lineA, lineB))
	})
	return lines
}

// RulesOf are the rules of each line, which [Report.Counted] wants counted together.
func RulesOf(lines []Line) (sets [][]string) {
	for i := range lines {
		sets = append(sets, lines[i].Rules)
	}
	return sets
}

// Counted has the lines of instruction files that rules come from, with how often they
// held and were broken: those that were broken most often first.
func (r *Report) Counted() []Line {
	lines := list(r.FromLines)
	for i := range lines {
		lines[i].Held, lines[i].Broken = r.Together[i].Held, r.Together[i].Broken
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(b.Broken, a.Broken) })
	return lines
}
