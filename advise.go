package sentinel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Advice after a tool: a rule with Post is not judged. A model writes a short text
// from the rule's prompt, what the tool returned and the session so far. It never stops
// anything. If the model gives no text, there is no advice.

// adviceSchema is the JSON Schema of such a text.
const adviceSchema = `{"type":"object","properties":{"context":{"type":"string"}},"required":["context"],"additionalProperties":false}`

const (
	adviceWords  = 80  // as the reference has it
	shortAdvice  = 800 // characters of each value, for a model with a small context
	adviceTokens = 300 // for these words in any language of the common models
)

// vars are the variables of the action and those that only a rule with Post has.
func (d *Docket) vars(a *Action) prompt.Vars {
	return func(name string) (string, bool) {
		switch name {
		case "tool_output":
			return d.Event.Tool.Output, true
		case "session_context":
			return d.Summary, true
		}
		return a.Var(name)
	}
}

// advise asks for the text of one rule with Post on one action.
func (d *Docket) advise(ctx context.Context, j *job) Finding {
	o := &d.book.opts
	chain := slices.DeleteFunc(o.chain(j.spec), func(name string) bool { return name == Builtin }) // it writes no texts
	if o.NoModel || len(chain) == 0 {
		return j.skip("needs a model")
	}
	opts := prompt.Options{Key: d.fence, ContentMax: o.ContentMax}
	q := prompt.Advice(j.spec.Prompt, d.vars(j.seen()), opts)
	var attempts []Attempt
	var errs []error
	for _, name := range chain {
		model := ""
		if name == o.chain(j.spec)[0] { // no other backend has the rule's model
			model = j.spec.Model
		}
		text, attempt := d.askAdvice(ctx, j, name, model, q)
		if errors.Is(attempt.Err, ErrTooLong) {
			opts.Most = shortAdvice
			text, attempt = d.askAdvice(ctx, j, name, model, prompt.Advice(j.spec.Prompt, d.vars(j.seen()), opts))
		}
		attempts = append(attempts, attempt)
		if attempt.Err == nil {
			f := j.finding()
			f.Outcome, f.Confidence, f.Advice = OutcomePass, 1, text
			f.Response, f.Attempts = attempt.Response, attempts
			return f
		}
		errs = append(errs, attempt.Err)
		if ctx.Err() != nil {
			break
		}
	}
	f := j.unavailable(errors.Join(errs...))
	if last := errs[len(errs)-1]; errors.Is(last, ErrBusy) || errors.Is(last, ErrOverBudget) {
		f = j.skip("not asked: " + line(last.Error()))
		f.Err = last
	}
	f.Attempts = attempts
	f.Response.Backend, f.Response.Model = chain[0], j.spec.Model
	return f
}

// askAdvice puts the question to one backend.
func (d *Docket) askAdvice(ctx context.Context, j *job, name, model string, q prompt.Question) (text string, at Attempt) {
	req := j.request(q)
	req.Schema, req.Model, req.MaxTokens = json.RawMessage(adviceSchema), model, adviceTokens
	req.Priority = PrioritySynthesizer
	req.Valid = func(text string) error { _, err := parseAdvice(text, q.Fence); return err }
	at = d.put(ctx, name, req)
	if at.Err != nil {
		return "", at
	}
	text, at.Err = parseAdvice(at.Response.Text, q.Fence)
	return text, at
}

// parseAdvice reads a text strictly: exactly one JSON object with the key context
// and nothing else. The text is cleaned and cut to 80 words; "" means that nothing
// needs saying. An answer that repeats the fence was dictated by the data.
func parseAdvice(answer, fence string) (string, error) {
	if fence != "" && strings.Contains(answer, fence) {
		return "", fmt.Errorf("%w: %w", ErrMalformed, errFence)
	}
	said, err := decodeAdvice(answer)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	words := strings.Fields(text.Clean(said))
	if len(words) > adviceWords {
		words = append(words[:adviceWords:adviceWords], "…")
	}
	return bounded(strings.Join(words, " ")), nil
}

// decodeAdvice works on tokens, as decodeAnswer does.
func decodeAdvice(answer string) (text string, err error) {
	dec := json.NewDecoder(strings.NewReader(answer))
	var tokens [4]json.Token
	for i := range tokens {
		if tokens[i], err = dec.Token(); err != nil {
			return "", fmt.Errorf("not JSON: %w", eofIsCut(err))
		}
	}
	text, ok := tokens[2].(string)
	if tokens[0] != json.Delim('{') || tokens[1] != "context" || !ok || tokens[3] != json.Delim('}') {
		return "", fmt.Errorf("want an object with the text `context` alone")
	}
	if _, err := dec.Token(); err != io.EOF {
		return "", fmt.Errorf("text after the answer")
	}
	return text, nil
}
