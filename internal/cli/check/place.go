package check

import (
	"context"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/change"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// maxLocated bounds how many lines are tried one by one to find the line of a finding.
const maxLocated = 5000

// A placed finding is what a rule found in a file of a change, with its lines.
type placed struct {
	File     string `json:"file"`
	Line     int    `json:"line"`     // from 1; 0 for the whole file
	EndLine  int    `json:"end_line"` // the last one
	Rule     string `json:"rule_id"`
	Severity string `json:"severity"`
	Text     string `json:"text"`

	finding *sentinel.Finding
}

// places are the violations in a file, in the order of their lines.
func places(ctx context.Context, p *project.Project, file *change.File, d sentinel.Decision) []placed {
	var found []placed
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Outcome != sentinel.OutcomeViolation || f.Rule.Shadow {
			continue
		}
		_, r := p.Inspect().RuleOf(f.Rule)
		first, last := lines(ctx, r, file, f)
		found = append(found, placed{
			File: text.OneLine(file.Path), Line: first, EndLine: last,
			Rule: f.Rule.ID, Severity: f.Rule.Severity.String(), Text: text.OneLine(f.Text()), finding: f,
		})
	}
	slices.SortStableFunc(found, func(a, b placed) int { return a.Line - b.Line })
	return found
}

// lines are those that a finding is about: the first line for which alone the rule's
// `when` holds too, else all that changed.
func lines(ctx context.Context, r *rule.Rule, file *change.File, f *sentinel.Finding) (first, last int) {
	if r == nil || !r.Conditional() || f.Action == nil || len(file.Lines) == 0 {
		return file.First, file.Last
	}
	alone := *f.Action
	if alone.Content = ""; holds(ctx, r, &alone, f.Match) { // it is about the path
		return file.First, file.Last
	}
	n := 0
	for line := range strings.Lines(f.Action.Content) {
		if n >= min(len(file.Lines), maxLocated) || ctx.Err() != nil {
			break
		}
		if alone.Content = line; holds(ctx, r, &alone, f.Match) {
			return file.Lines[n], file.Lines[n]
		}
		n++
	}
	return file.First, file.Last
}

func holds(ctx context.Context, r *rule.Rule, a *sentinel.Action, m sentinel.Match) bool {
	ok, err := r.When(ctx, a, m)
	return err == nil && ok
}
