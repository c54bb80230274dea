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
// a clean answer is short and still whole.
const verdictSchema = `{"anyOf":[` +
	`{"type":"object","properties":{"violation":{"const":false},"confidence":{"type":"number","minimum":0,"maximum":1}},"required":["violation","confidence"],"additionalProperties":false},` +
	`{"type":"object","properties":{"violation":{"const":true},"confidence":{"type":"number","minimum":0,"maximum":1},"reason":{"type":"string","maxLength":300}},"required":["violation","confidence","reason"],"additionalProperties":false}` +
	`]}`

// Limits and settings of a judgement's model call.
const (
	judgeTokens      = 300 // the longest reason of the schema fits twice
	judgeTemperature = 0.1 // as the reference has it: nearly greedy, since one right answer is wanted
)

// judge asks for one rule on one action. It does not panic, whatever the rule
// or a backend does.
func (d *Docket) judge(ctx context.Context, j *job) (f Finding) {
	start := time.Now()
	defer func() {
		if p := recover(); p != nil {
			f = j.unavailable(fmt.Errorf("panicked: %v", p))
			d.panicked(j, p)
		}
		f.Took = time.Since(start)
	}()
	f = d.judgeRule(ctx, j)
	j.blame(ctx, &f)
	d.intended(ctx, j, &f)
	return f
}

// judgeRule is judge without regard to what the person has asked for.
func (d *Docket) judgeRule(ctx context.Context, j *job) (f Finding) {
	o := &d.book.opts
	if j.waived != "" {
		f = j.skip(j.waived)
		f.Waived = true
		return f
	}
	if err := errors.Join(j.err, j.spec.Err); err != nil {
		return j.unavailable(err)
	}
	applies, err := o.when(ctx, j)
	if err != nil {
		return j.unavailable(err)
	}
	if !applies {
		f = j.finding()
		f.Outcome, f.Confidence, f.Reason = OutcomePass, 1, "its `when` is false"
		return f
	}
	if j.spec.decides() && !doubts(ctx, j) {
		return o.violatedExactly(ctx, j)
	}
	if d.Shadow != ShadowInline && o.deferrable(j.spec) {
		if d.Shadow == ShadowLater {
			return j.putOff()
		}
		defer func() { f.Deferred = true }()
	}
	switch {
	case d.Event.Phase == PhasePost:
		return d.advise(ctx, j)
	case j.spec.Severity == SeverityInfo:
		return o.render(j)
	}
	return d.ask(ctx, j)
}

// panicked writes a panic of a rule or backend to the program's own log.
func (d *Docket) panicked(j *job, cause any) {
	d.book.opts.Logger.Error("sentinel: a rule or backend panicked", "rule", j.spec.ID, "panic", cause)
}

// when evaluates the rule's expression, if it is a filter before another judge. The
// builtin judge evaluates it itself: asking here too would do it twice.
func (o *Options) when(ctx context.Context, j *job) (applies bool, err error) {
	cond, ok := j.rule.(Conditional)
	if !ok || !cond.Conditional() || !j.spec.decides() && j.spec.Severity != SeverityInfo && o.chain(j.spec)[0] == Builtin {
		return true, nil
	}
	return cond.When(ctx, j.seen(), j.match)
}

// Asks reports whether a backend is ever asked about the rule: not where its own
// expression decides without a doubt.
func (s *RuleSpec) Asks() bool { return !s.decides() || s.Doubts }

// decides reports whether the rule's own expression is the verdict.
func (s *RuleSpec) decides() bool { return s.Exact && s.Severity != SeverityInfo && !s.Post }

// doubts reports whether the expression is not sure. It is sure where it fails to say.
func doubts(ctx context.Context, j *job) bool {
	d, ok := j.rule.(doubter)
	if !ok || !j.spec.Doubts {
		return false
	}
	doubtful, err := d.Doubtful(ctx, j.seen(), j.match)
	return err == nil && doubtful
}

// violatedExactly is the finding of an expression that is the verdict, and true. It is
// that of the builtin judge, with no wrapper of a backend in between.
func (o *Options) violatedExactly(ctx context.Context, j *job) Finding {
	f := j.finding()
	f.Response = Response{Backend: Builtin, Model: Builtin, Text: `{"violation":true,"confidence":1,"reason":""}`}
	f.Attempts = []Attempt{{Backend: Builtin, Response: f.Response}}
	ans := answer{violation: true, confidence: 1}
	if t, ok := j.rule.(teller); ok {
		ans.reason, ans.vars = t.Tell(ctx, j.seen(), j.match)
	}
	o.conclude(&f, ans)
	return f
}

// render renders an info rule's text. No model is asked.
func (o *Options) render(j *job) Finding {
	f := j.finding()
	f.Outcome, f.Confidence = OutcomePass, 1
	text := j.spec.Message
	if text == "" {
		text = j.spec.Prompt
	}
	f.Advice = bounded(prompt.Text(text, j.action.Var, prompt.Options{ContentMax: o.ContentMax}))
	return f
}

// ask puts the question to the rule's backend and then to each fallback, until
// one of them answers.
func (d *Docket) ask(ctx context.Context, j *job) Finding {
	o := &d.book.opts
	chain := o.chain(j.spec)
	if j.spec.decides() && !slices.Contains(chain, Builtin) {
		chain = append(chain, Builtin) // what is doubtful is still what the expression says
	}
	primary := chain[0]
	if o.NoModel {
		if !slices.Contains(chain, Builtin) {
			return j.skip("needs a model")
		}
		chain = []string{Builtin}
	}
	return d.askInWindows(ctx, j, chain, primary)
}

// unanswered is the finding of a job that no backend judged. A question that may not be
// asked for reasons of cost is skipped, and so is one that only observes and met a busy
// GPU.
func (j *job) unanswered(errs []error) Finding {
	last := errs[len(errs)-1]
	why, err := "", last
	switch {
	case overBudget(errs):
		why, err = "needs a model, and ", errs[0]
	case j.spec.Shadow && errors.Is(last, ErrBusy):
		why = "not asked: "
	default:
		return j.unavailable(errors.Join(errs...))
	}
	f := j.skip(why + line(err.Error()))
	f.Err = err
	return f
}

// overBudget reports whether a rule was not judged because models may cost no
// more. The user who set that limit wanted such rules left out, as with NoModel,
// and not counted as violated. One judge that failed for another reason is enough
// for the rule to count as unavailable.
func overBudget(errs []error) bool {
	for _, err := range errs {
		if !errors.Is(err, ErrOverBudget) {
			return false
		}
	}
	return len(errs) > 0
}

// attempt puts the question to one backend.
func (d *Docket) attempt(ctx context.Context, j *job, name, model string, q prompt.Question) (answer, Attempt) {
	req := j.request(q)
	req.Criterion, req.Material = q.Criterion, q.Material
	req.Schema, req.Model, req.MaxTokens = json.RawMessage(verdictSchema), model, judgeTokens
	req.Logprobs, req.Priority = d.book.opts.Logprobs, PriorityJudge
	if j.spec.Shadow {
		req.Priority = PriorityAccumulator
	}
	req.Valid = func(text string) error { _, err := parseAnswer(text, q.Fence); return err }
	at := d.put(ctx, name, req)
	if at.Err != nil {
		return answer{}, at
	}
	ans, err := parseAnswer(at.Response.Text, q.Fence)
	if at.Err = err; err != nil {
		return answer{}, at
	}
	if d.book.opts.Logprobs && at.Response.PTrue != nil {
		at.Err = ans.weigh(*at.Response.PTrue)
	}
	return ans, at
}

// request is a question about the job's rule and action.
func (j *job) request(q prompt.Question) Request {
	return Request{
		System: q.System, Prompt: q.Prompt, Fence: q.Fence, Temperature: judgeTemperature,
		Timeout: j.spec.Timeout, Rule: j.rule, Action: j.seen(), Match: j.match,
	}
}

// put asks one backend.
func (d *Docket) put(ctx context.Context, name string, req Request) (at Attempt) {
	at.Backend = name
	o := &d.book.opts
	b := o.Backends[name]
	if b == nil {
		at.Err = fmt.Errorf("%w: there is no backend %q", ErrUnavailable, name)
		return at
	}
	req.Think = o.Think
	if req.Timeout == 0 {
		req.Timeout = o.RuleTimeout
	}
	if o.Explain || d.KeepRequests {
		at.Request = req
	}
	at.Response, at.Err = b.Complete(ctx, req)
	if at.Response.Backend == "" {
		at.Response.Backend = name
	}
	return at
}

// confirm asks a second judge about what would be a block.
func (d *Docket) confirm(ctx context.Context, j *job, first string, q prompt.Question, f *Finding) {
	o := &d.book.opts
	if o.SecondOpinion == "" || o.SecondOpinion == first || o.NoModel || !f.blocks() {
		return
	}
	ans, attempt := d.attempt(ctx, j, o.SecondOpinion, "", q)
	f.Attempts = append(f.Attempts, attempt)
	f.Disputed = attempt.Err == nil && !o.counts(j.spec, ans)
}

// counts reports whether an answer is a violation with enough confidence.
func (o *Options) counts(spec *RuleSpec, ans answer) bool {
	threshold := spec.Threshold
	if threshold == 0 {
		threshold = o.Threshold
	}
	return ans.violation && ans.confidence >= threshold
}

// conclude turns an answer into the finding's outcome.
func (o *Options) conclude(f *Finding, ans answer) {
	f.Confidence, f.Reason = ans.confidence, line(ans.reason)
	if !o.counts(f.Rule, ans) {
		f.Outcome = OutcomePass
		return
	}
	f.Outcome = OutcomeViolation
	spoken := func(name string) (string, bool) {
		if value, ok := ans.vars[name]; ok {
			return value, true
		}
		return f.spoken(name)
	}
	f.Message = bounded(prompt.Text(f.Rule.Message, spoken, prompt.Options{ContentMax: o.ContentMax}))
	if f.guessed() && f.Message != "" {
		f.Message = bounded(f.Action.carried() + ". " + f.Message)
	}
	if strings.IndexFunc(f.Reason, unicode.IsLetter) < 0 { // small models fill the place with a comma
		f.Reason = f.Message
	}
	if f.Reason == "" {
		f.Reason = f.unexplained()
	}
}

// line makes one bounded line of a text that a model or a caller wrote.
func line(s string) string { return text.Line(s) }
