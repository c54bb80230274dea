package judges

import (
	"context"
	"encoding/json"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/asking"
	"github.com/agentsentinel/sentinel/internal/text"
)

// opinion asks the judge. Without a usable answer, Err says why.
func (q *question) opinion(ctx context.Context, o *Options) audit.Opinion {
	op := q.blank()
	a, asked, err := asking.Ask(ctx, q.model.Backend, sentinel.Request{
		System: q.system, Prompt: q.prompt,
		Schema:      json.RawMessage(answerSchema(q.criterion.Scale)),
		Model:       q.model.Model,
		MaxTokens:   maxTokens,
		Temperature: q.temperature,
		Seed:        &q.seed,
		Timeout:     o.Timeout,
		Priority:    sentinel.PriorityAudit,
	}, func(text string) (answer, error) { return parseAnswer(text, q.fence, q.criterion.Scale) }, o.Wait)
	op.Model, op.Tries, op.Took = asked.Model, asked.Tries, asked.Took
	op.PromptTokens, op.OutputTokens = asked.PromptTokens, asked.OutputTokens
	if err != nil {
		op.Err = text.Line(err.Error())
		return op
	}
	op.Score, op.Argument = a.score, a.argument
	op.Cited, op.Invalid = divide(a.cited, q.ids)
	return op
}

// blank returns an opinion that only says which judge has which criterion.
func (q *question) blank() audit.Opinion {
	return audit.Opinion{
		Judge: q.judge, Criterion: q.criterion.ID, Sample: q.sample, Cited: []string{},
		Backend: q.model.Name, Model: q.model.Model,
	}
}
