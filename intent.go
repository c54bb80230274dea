package sentinel

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/intent"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/secret"
)

// A person who has asked for an action in so many words need not be asked about it again.
// Their requests are the texts of Options.Requests alone, and what a
// model says of it counts only with a quotation that is found there.

// intentSchema is the JSON Schema of the answer.
const intentSchema = `{"type":"object","properties":{"asked":{"type":"boolean"},"quote":{"type":"string","maxLength":300}},"required":["asked","quote"],"additionalProperties":false}`

// intended completes a finding by the words with which the person asked for the action,
// where a question to them is all that stops it.
func (d *Docket) intended(ctx context.Context, j *job, f *Finding) {
	if len(j.seen().Requests) == 0 || d.Event.Phase != PhasePre || d.Event.Part || j.spec.Shadow || f.Waived || !f.mayBeAsked() {
		return
	}
	defer func() {
		if p := recover(); p != nil { // the findings so far hold
			d.panicked(j, p)
			f.Asked = ""
		}
	}()
	switch {
	case f.Outcome == OutcomePass:
		d.intendedByRule(ctx, j, f)
	case f.Outcome == OutcomeViolation && j.spec.Intent && j.spec.Severity == SeverityAsk:
		d.intendedByRequest(ctx, j, f)
	}
	f.Asked = secret.Mask(line(f.Asked))
}

// intendedByRule makes a violation that was asked for of a pass that is due to a request
// alone, so that it is recorded as what it is.
func (d *Docket) intendedByRule(ctx context.Context, j *job, f *Finding) {
	rule, ok := j.rule.(asker)
	if !ok || !j.spec.Requests {
		return
	}
	if quote := rule.Asked(ctx, j.view, j.match); quote != "" {
		d.book.opts.conclude(f, answer{violation: true, confidence: 1})
		f.Asked = quote
	}
}

// intendedByRequest looks for a sentence of the person that asks for the action, and has the
// first of the rule's judges that is a model confirm it. Where the rule has none, the
// sentence tells.
func (d *Docket) intendedByRequest(ctx context.Context, j *job, f *Finding) {
	o := &d.book.opts
	sentence := j.view.Requested()
	if sentence == "" || f.Seen > 0 {
		return
	}
	models := 0
	for i, name := range o.chain(j.spec) {
		if name == Builtin {
			continue
		}
		models++
		if o.NoModel || ctx.Err() != nil {
			continue
		}
		model := ""
		if i == 0 {
			model = j.spec.Model
		}
		quote, at := d.askIntent(ctx, j, name, model)
		f.Attempts = append(f.Attempts, at)
		if at.Err != nil {
			continue
		}
		if intent.Holds(sentence, quote) {
			f.Asked = sentence
		}
		return
	}
	if models == 0 {
		f.Asked = sentence
	}
}

// askIntent puts the question to one backend. quote is "" where the person did not ask.
func (d *Docket) askIntent(ctx context.Context, j *job, name, model string) (quote string, at Attempt) {
	why := j.spec.Message
	if why == "" {
		why = j.spec.Prompt
	}
	q := prompt.Intent(why, j.view.Var, prompt.Options{Key: d.fence, ContentMax: d.book.opts.ContentMax})
	req := j.request(q)
	req.Schema, req.Model, req.MaxTokens = json.RawMessage(intentSchema), model, judgeTokens
	req.Priority = PriorityJudge
	req.Valid = func(text string) error { _, err := parseIntent(text, q.Fence); return err }
	if at = d.put(ctx, name, req); at.Err != nil {
		return "", at
	}
	quote, at.Err = parseIntent(at.Response.Text, q.Fence)
	return quote, at
}

// parseIntent reads the answer strictly, as parseAnswer does.
func parseIntent(text, fence string) (quote string, err error) {
	if fence != "" && strings.Contains(text, fence) {
		return "", fmt.Errorf("%w: %w", ErrMalformed, errFence)
	}
	is := false
	err = readObject(text, func(key string, val json.Token) error {
		ok := false
		switch key {
		case "asked":
			is, ok = val.(bool)
		case "quote":
			quote, ok = val.(string)
		}
		if !ok {
			return fmt.Errorf("key %q cannot be %v", key, val)
		}
		return nil
	}, "asked")
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrMalformed, err)
	case !is:
		return "", nil
	}
	return quote, nil
}

// Requested is the sentence of the last of Requests that names all that the action does
// and says nothing else; "" if none does. A change of a file has none: no person
// types its whole content.
func (a *Action) Requested() string { return intent.Asked(a.Requests, a.call()) }

// call is what the action does, by the names that a request must have for it.
func (a *Action) call() intent.Call {
	switch {
	case a.Carrier != "":
		return intent.Call{}
	case a.Trigger == Bash:
		return intent.Of(a.Command)
	case a.Trigger == MCP:
		return intent.OfTool(a.Server, a.MCPTool, a.Args)
	}
	return intent.Call{}
}
