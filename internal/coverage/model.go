package coverage

import (
	"context"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
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
	kinds := []statement.Kind{statement.Description, statement.Call, statement.Order, statement.Content, statement.Meaning}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	told, err := scribe.Classify(ctx, asked, names, opts)
	for i, kind := range told {
		if kind == "" {
			continue
		}
		said := open[i].statement
		said.Kind = statement.Kind(kind)
		*open[i] = r.judged(said, ByModel)
	}
	r.finish(report)
	return err
}
