package sentinel

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/intent"
	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/secret"
)

// A person who has asked for an action in so many words need not be asked about it again.
// What they have asked for are the texts of Options.Requests and nothing else, and what a
// model says of it counts only with a quotation that is found there.

// intentSchema is the JSON Schema of the answer.
const intentSchema = `{"type":"object","properties":{"asked":{"type":"boolean"},"quote":{"type":"string","maxLength":300}},"required":["asked","quote"],"additionalProperties":false}`

// intended completes a finding by the words with which the person asked for the action,
// where a question to them is all that stops it.
func (d *Docket) intended(ctx context.Context, j *job, f *Finding) {
	if j.view == nil || d.Event.Phase != PhasePre || j.spec.Shadow || f.Waived || !f.mayBeAsked() || !f.plain() {
		return
	}
	defer func() {
		if p := recover(); p != nil { // what was found so far stands
			d.panicked(j, p)
			f.Asked = ""
		}
	}()
	switch {
	case f.Outcome == OutcomePass:
		d.intendedByRule(ctx, j, f)
	case f.Outcome == OutcomeViolation && j.spec.Intent && j.spec.Severity == SeverityAsk:
		d.intendedByModel(ctx, j, f)
	}
	f.Asked = secret.Mask(line(f.Asked))
}

// plain reports whether the action is one that a person can have asked for as it is.
func (f *Finding) plain() bool { return f.Action.Trigger != Bash || intent.Plain(f.Action.Command) }

// intendedByRule makes a violation that was asked for of a pass that is due to a request
// alone, so that it is recorded as what it is.
func (d *Docket) intendedByRule(ctx context.Context, j *job, f *Finding) {
	rule, ok := j.rule.(Asker)
	if !ok || !j.spec.Requests {
		return
	}
	if quote := rule.Asked(ctx, j.view, j.match); quote != "" {
		d.book.opts.conclude(f, answer{violation: true, confidence: 1})
		f.Asked = quote
	}
}

// intendedByModel asks the rule's judges whether the person asked for the action.
func (d *Docket) intendedByModel(ctx context.Context, j *job, f *Finding) {
	o := &d.book.opts
	if o.NoModel || f.Seen > 0 {
		return
	}
	why := j.spec.Message
	if why == "" {
		why = j.spec.Prompt
	}
	q := prompt.Intent(why, j.view.Var, prompt.Options{Key: d.fence, ContentMax: o.ContentMax})
	for i, name := range o.chain(j.spec) {
		if name == Builtin || ctx.Err() != nil {
			continue
		}
		model := ""
		if i == 0 {
			model = j.spec.Model
		}
		quote, at := d.askIntent(ctx, j, name, model, q)
		f.Attempts = append(f.Attempts, at)
		if at.Err != nil {
			continue
		}
		if intent.Quoted(j.view.Requests, quote, f.Action.named(j.match)...) {
			f.Asked = quote
		}
		return
	}
}

// askIntent puts the question to one backend. quote is "" where the person did not ask.
func (d *Docket) askIntent(ctx context.Context, j *job, name, model string, q prompt.Question) (quote string, at Attempt) {
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

// named are the words by which a person can name what the action does.
func (a *Action) named(m Match) []string {
	switch a.Trigger {
	case Bash:
		names := []string{}
		for i := range a.Command.Commands {
			c := &a.Command.Commands[i]
			names = append(names, c.Program, c.Subcommand)
			names = append(append(names, c.Flags...), c.Operands...)
		}
		for i := range a.Command.Effects {
			names = append(names, a.Command.Effects[i].Kind.String())
		}
		return slices.DeleteFunc(names, isProse)
	case MCP:
		var args map[string]any
		_ = json.Unmarshal(a.Args, &args) // others name nothing
		names := []string{a.Server, a.MCPTool}
		for _, value := range args {
			if text, ok := value.(string); ok {
				names = append(names, text)
			}
		}
		return slices.DeleteFunc(names, isProse)
	}
	return []string{a.verb(), a.Path, m.Form}
}

// isProse reports whether a word of a call is a text, such as a message, and not a name.
func isProse(s string) bool { return strings.ContainsAny(s, " \t\n") }
