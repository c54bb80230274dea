package sentinel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/text"
)

// verdictSchema is the JSON Schema of a judgement. It has two branches, so that
// a clean answer is short and still whole: nothing is written that nobody reads.
const verdictSchema = `{"anyOf":[` +
	`{"type":"object","properties":{"violation":{"const":false},"confidence":{"type":"number","minimum":0,"maximum":1}},"required":["violation","confidence"],"additionalProperties":false},` +
	`{"type":"object","properties":{"violation":{"const":true},"confidence":{"type":"number","minimum":0,"maximum":1},"reason":{"type":"string","maxLength":300}},"required":["violation","confidence","reason"],"additionalProperties":false}` +
	`]}`

// Limits and settings of a judgement's model call.
const (
	judgeTokens      = 300 // the longest reason of the schema fits twice
	judgeTemperature = 0.1 // as the reference has it: nearly greedy, since one right answer is wanted
)

// errFence is why an answer that repeats the fence is not believed: only the
// judged data could have made the model write it.
var errFence = errors.New("the answer repeats the marker around the judged data")

// judge asks for one rule on one action. It does not panic, whatever the rule
// or a backend does.
func (e *engine) judge(ctx context.Context, j *job, fenceKey []byte) (f Finding) {
	start := time.Now()
	defer func() {
		if p := recover(); p != nil {
			f = j.unavailable(fmt.Errorf("panicked: %v", p))
			e.Logger.Error("sentinel: a rule or backend panicked", "rule", j.spec.ID, "panic", p)
		}
		f.Took = time.Since(start)
	}()

	if j.waived != "" {
		f = j.skip(j.waived)
		f.Waived = true
		return f
	}
	if err := errors.Join(j.err, j.spec.Err); err != nil {
		return j.unavailable(err)
	}
	primary := j.spec.Backend
	if primary == "" {
		primary = e.Default
	}
	info := j.spec.Severity == SeverityInfo
	// The builtin judge evaluates the expression itself; asking here too would do it twice.
	if cond, ok := j.rule.(Conditional); ok && cond.Conditional() && (info || primary != Builtin) {
		applies, err := cond.When(ctx, j.action, j.match)
		if err != nil {
			return j.unavailable(err)
		}
		if !applies {
			f = j.finding()
			f.Outcome, f.Confidence, f.Reason = OutcomePass, 1, "its `when` is false"
			return f
		}
	}
	if e.Shadow != ShadowInline && e.deferrable(j.spec) {
		if e.Shadow == ShadowLater {
			return j.putOff()
		}
		defer func() { f.Deferred = true }()
	}
	if j.post != nil {
		return e.synthesize(ctx, j, fenceKey)
	}
	if info {
		return e.advise(j)
	}
	return e.ask(ctx, j, primary, fenceKey)
}

// advise renders an info rule's text. No model is asked.
func (e *engine) advise(j *job) Finding {
	f := j.finding()
	f.Outcome, f.Confidence = OutcomePass, 1
	text := j.spec.Message
	if text == "" {
		text = j.spec.Prompt
	}
	f.Advice = strings.TrimSpace(prompt.Text(text, j.action.Var, prompt.Options{ContentMax: e.ContentMax}))
	return f
}

// ask puts the question to the rule's backend and then to each fallback, until
// one of them answers.
func (e *engine) ask(ctx context.Context, j *job, primary string, fenceKey []byte) Finding {
	fallback := j.spec.Fallback
	if fallback == nil {
		fallback = e.Fallback
	}
	chain := append([]string{primary}, fallback...)
	if e.NoModel {
		if !slices.Contains(chain, Builtin) {
			return j.skip("needs a model")
		}
		chain = []string{Builtin}
	}
	q := prompt.Judge(j.spec.Prompt, j.action.Var, prompt.Options{Key: fenceKey, ContentMax: e.ContentMax})
	f := j.finding()
	var errs []error
	for i, name := range chain {
		if i > 0 && name == primary {
			continue
		}
		model := ""
		if i == 0 {
			model = j.spec.Model
		}
		answer, attempt := e.attempt(ctx, j, name, model, q)
		f.Attempts = append(f.Attempts, attempt)
		if attempt.Err == nil {
			f.Response = attempt.Response
			e.conclude(&f, answer)
			e.confirm(ctx, j, name, q, &f)
			return f
		}
		errs = append(errs, attempt.Err)
		f.Tainted = f.Tainted || errors.Is(attempt.Err, errFence)
		if ctx.Err() != nil {
			break
		}
	}
	u := j.unavailable(errors.Join(errs...))
	switch {
	case overBudget(errs):
		u = j.skip("needs a model, and " + text.Line(errs[0].Error()))
		u.Err = errs[0]
	case j.spec.Shadow && errors.Is(errs[len(errs)-1], ErrBusy): // others needed the GPU: no harm
		u = j.skip("not asked: " + text.Line(errs[len(errs)-1].Error()))
		u.Err = errs[len(errs)-1]
	}
	u.Attempts, u.Tainted = f.Attempts, f.Tainted
	u.Response.Backend, u.Response.Model = primary, j.spec.Model
	return u
}

// overBudget reports whether a rule was not judged because models may cost no
// more. Who set that limit wanted such rules left out, as with NoModel, and not
// counted as violated. One judge that failed for another reason is enough for the
// rule to count as unavailable.
func overBudget(errs []error) bool {
	for _, err := range errs {
		if !errors.Is(err, ErrOverBudget) {
			return false
		}
	}
	return len(errs) > 0
}

// attempt puts the question to one backend.
func (e *engine) attempt(ctx context.Context, j *job, name, model string, q prompt.Question) (answer, Attempt) {
	req := j.request(q)
	req.Schema, req.Model, req.MaxTokens = json.RawMessage(verdictSchema), model, judgeTokens
	req.Logprobs, req.Priority = e.Logprobs, PriorityJudge
	if j.spec.Shadow {
		req.Priority = PriorityAccumulator
	}
	req.Valid = func(text string) error { _, err := parseAnswer(text, q.Fence); return err }
	at := e.put(ctx, name, req)
	if at.Err != nil {
		return answer{}, at
	}
	ans, err := parseAnswer(at.Response.Text, q.Fence)
	at.Err = err
	if e.Logprobs && at.Response.PTrue != nil && err == nil {
		p := *at.Response.PTrue
		if !(p >= 0 && p <= 1) {
			at.Err = fmt.Errorf("%w: the probability of the answer is %v", ErrMalformed, p)
			return answer{}, at
		}
		ans.confidence = p
		if !ans.violation {
			ans.confidence = 1 - p
		}
	}
	return ans, at
}

// request is a question about the job's rule and action.
func (j *job) request(q prompt.Question) Request {
	return Request{
		System: q.System, Prompt: q.Prompt, Temperature: judgeTemperature,
		Timeout: j.spec.Timeout, Rule: j.rule, Action: j.action, Match: j.match,
	}
}

// put asks one backend.
func (e *engine) put(ctx context.Context, name string, req Request) (at Attempt) {
	at.Backend = name
	b := e.Backends[name]
	if b == nil {
		at.Err = fmt.Errorf("%w: there is no backend %q", ErrUnavailable, name)
		return at
	}
	req.Think = e.Think
	if req.Timeout == 0 {
		req.Timeout = e.RuleTimeout
	}
	if e.Explain || e.KeepAsked {
		at.Request = req
	}
	at.Response, at.Err = b.Complete(ctx, req)
	if at.Response.Backend == "" {
		at.Response.Backend = name
	}
	return at
}

// confirm asks a second judge about what would be a block.
func (e *engine) confirm(ctx context.Context, j *job, first string, q prompt.Question, f *Finding) {
	if e.SecondOpinion == "" || e.SecondOpinion == first || e.NoModel || j.spec.Shadow ||
		f.Outcome != OutcomeViolation || j.spec.Severity != SeverityBlock {
		return
	}
	ans, attempt := e.attempt(ctx, j, e.SecondOpinion, "", q)
	f.Attempts = append(f.Attempts, attempt)
	f.Disputed = attempt.Err == nil && !e.counts(j.spec, ans)
}

// counts reports whether an answer is a violation with enough confidence.
func (e *engine) counts(spec *RuleSpec, ans answer) bool {
	threshold := spec.Threshold
	if threshold == 0 {
		threshold = e.Threshold
	}
	return ans.violation && ans.confidence >= threshold
}

// conclude turns an answer into the finding's outcome.
func (e *engine) conclude(f *Finding, ans answer) {
	f.Confidence, f.Reason = ans.confidence, text.Line(ans.reason)
	if !e.counts(f.Rule, ans) {
		f.Outcome = OutcomePass
		return
	}
	f.Outcome = OutcomeViolation
	f.Message = strings.TrimSpace(prompt.Text(f.Rule.Message, f.Action.Var, prompt.Options{ContentMax: e.ContentMax}))
	if strings.IndexFunc(f.Reason, unicode.IsLetter) < 0 { // small models fill the place with a comma
		f.Reason = f.Message
	}
	if f.Reason == "" {
		f.Reason = fmt.Sprintf("rule %s is violated by: %s", f.Rule.ID, text.Line(f.Action.Summary()))
	}
}
