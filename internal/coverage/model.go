package coverage

import (
	"context"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions"
	"github.com/agentsentinel/sentinel/scribe"
)

// Refine asks a model of which kind the statements are that the patterns do not cover: those
// that no rule, draft or linter is about. What it says changes a kind, and nothing else:
// it makes no draft and holds nothing. The error says what was not answered; the report
// has what was.
func (r *Reader) Refine(ctx context.Context, report *Report, opts *scribe.Options) error {
	var open []*Statement
	var asked []string
	for i := range report.Files {
		for k := range report.Files[i].Statements {
			s := &report.Files[i].Statements[k]
			switch s.State {
			case instructions.NeedsModel, instructions.Never, instructions.NoDirective:
				open = append(open, s)
				asked = append(asked, strings.Join(append(list(s.Section), s.statement.Lead, s.Text), " > "))
			}
		}
	}
	kinds := []instructions.Kind{instructions.Description, instructions.Call, instructions.Order, instructions.Content, instructions.Meaning}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	said, err := scribe.Classify(ctx, asked, names, opts)
	for i, kind := range said {
		if kind == "" {
			continue
		}
		statement := open[i].statement
		statement.Kind = instructions.Kind(kind)
		*open[i] = r.judged(statement, ByModel)
	}
	r.finish(report)
	return err
}
