package otel

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
)

// A call is one decision on its way into spans and measurements.
type call struct {
	*Recorder
	event        sentinel.Event
	decision     sentinel.Decision
	findings     []*sentinel.Finding
	texts        texts
	began, ended time.Time
}

// record makes the whole trace, from the decision down.
func (c *call) record(ctx context.Context) {
	name := c.name()
	common := c.common()
	ctx, span := c.tracer.Start(ctx, name, trace.WithTimestamp(c.began), trace.WithAttributes(append(common, c.ofCall()...)...))
	defer span.End(trace.WithTimestamp(c.ended))
	c.fail(span, c.decision.Err)
	if name == SpanDecision {
		attrs := withError(append(common[:len(common):len(common)], KeyVerdict.String(c.decision.Verdict.String())), c.decision.Err)
		count(ctx, c.meters.decisions, attrs)
		measure(ctx, c.meters.decisionTime, c.decision.Took, attrs)
	}
	for _, f := range c.findings {
		c.rule(ctx, f)
	}
}

// name is what the outermost span is about. Nothing is decided after a tool has
// run, nor by shadow rules after the answer: such calls are not decisions.
func (c *call) name() string {
	if c.event.Phase == sentinel.PhasePost {
		return SpanAdvice
	}
	for _, f := range c.findings {
		if !f.Deferred {
			return SpanDecision
		}
	}
	if len(c.findings) > 0 {
		return SpanShadow
	}
	return SpanDecision
}

// common are the attributes that spans and metrics of a call have.
func (c *call) common() []attribute.KeyValue {
	if c.event.Agent == "" {
		return nil
	}
	return []attribute.KeyValue{semconv.GenAIAgentName(c.texts.name(c.event.Agent))}
}

// ofCall are the attributes of the outermost span.
func (c *call) ofCall() []attribute.KeyValue {
	var judged, violated, unavailable int
	for _, f := range c.findings {
		switch f.Outcome {
		case sentinel.OutcomePass:
			judged++
		case sentinel.OutcomeViolation:
			judged++
			violated++
		case sentinel.OutcomeUnavailable, sentinel.OutcomeUnknown:
			unavailable++
		}
	}
	attrs := []attribute.KeyValue{
		KeyPhase.String(c.event.Phase.String()),
		KeyRulesMatched.Int(len(c.findings)), KeyRulesJudged.Int(judged), KeyRulesViolated.Int(violated), KeyRulesUnavailable.Int(unavailable),
	}
	if c.name() == SpanDecision {
		attrs = append(attrs, KeyVerdict.String(c.decision.Verdict.String()))
	}
	for _, named := range []struct {
		key  attribute.Key
		text string
	}{
		{KeyDecisionID, c.decision.ID},
		{semconv.GenAIConversationIDKey, c.event.Session},
		{semconv.GenAIToolNameKey, c.event.Tool.Name},
		{semconv.GenAIToolCallIDKey, c.event.Tool.ID},
	} {
		if named.text != "" {
			attrs = append(attrs, named.key.String(c.texts.name(named.text)))
		}
	}
	return attrs
}

// rule makes the span of one finding. When it began is not known: rules are
// judged at the same time, so it begins with the decision.
func (c *call) rule(ctx context.Context, f *sentinel.Finding) {
	id := c.texts.name(f.Rule.ID)
	attrs := []attribute.KeyValue{
		KeyRuleID.String(id), KeyRuleSeverity.String(f.Rule.Severity.String()), KeyRuleMode.String(mode(f)),
		KeyOutcome.String(f.Outcome.String()),
	}
	if f.Action != nil {
		attrs = append(attrs, KeyTrigger.String(c.texts.name(string(f.Action.Trigger))))
	}
	measured := withError(append(attrs[:len(attrs):len(attrs)], c.common()...), f.Err)
	count(ctx, c.meters.evaluations, measured)
	measure(ctx, c.meters.ruleTime, f.Took, measured)

	ended := c.began.Add(max(f.Took, 0))
	ctx, span := c.tracer.Start(ctx, SpanRule+" "+id, trace.WithTimestamp(c.began), trace.WithAttributes(append(attrs, c.ofFinding(f)...)...))
	defer span.End(trace.WithTimestamp(ended))
	c.fail(span, f.Err)
	at := c.began
	for i := range f.Attempts {
		at = c.chat(ctx, f, i, at, ended)
	}
}

// mode is what part a rule has in the verdict.
func mode(f *sentinel.Finding) string {
	switch {
	case f.Waived && f.Outcome == sentinel.OutcomeSkipped:
		return "paused"
	case f.Waived:
		return "allowed"
	case f.Asked != "":
		return "asked_for"
	case f.Rule.Shadow:
		return "shadow"
	}
	return "enforce"
}

// ofFinding are the attributes of a rule's span that are not a dimension of metrics.
func (c *call) ofFinding(f *sentinel.Finding) []attribute.KeyValue {
	attrs := []attribute.KeyValue{KeyVerdict.String(f.Verdict.String()), KeyCached.Bool(f.Response.Cached)}
	if f.Outcome == sentinel.OutcomePass || f.Outcome == sentinel.OutcomeViolation {
		if x := f.Confidence; !math.IsNaN(x) && !math.IsInf(x, 0) {
			attrs = append(attrs, KeyConfidence.Float64(x))
		}
	}
	if backend := backendOf(f); backend != "" {
		attrs = append(attrs, KeyBackend.String(c.texts.name(backend)))
	}
	for _, flag := range []struct {
		key attribute.Key
		set bool
	}{{KeyNearMiss, nearMiss(f)}, {KeyMuted, f.Muted}, {KeyTainted, f.Tainted}, {KeyDisputed, f.Disputed}, {KeyAskedFor, f.Asked != ""}} {
		if flag.set {
			attrs = append(attrs, flag.key.Bool(true))
		}
	}
	if c.details {
		if f.Action != nil {
			attrs = append(attrs, KeyTarget.String(c.texts.cut(f.Action.Target, maxTarget)))
		}
		attrs = append(attrs, KeyReason.String(c.texts.cut(f.Reason, maxReason)))
		if f.Asked != "" {
			attrs = append(attrs, KeyQuote.String(c.texts.cut(f.Asked, maxReason)))
		}
	}
	return attrs
}

// nearMiss reports whether the judge said violation, and the threshold said pass.
func nearMiss(f *sentinel.Finding) bool {
	var said struct{ Violation bool }
	return f.Outcome == sentinel.OutcomePass && json.Unmarshal([]byte(f.Response.Text), &said) == nil && said.Violation
}

func backendOf(f *sentinel.Finding) string {
	if f.Response.Backend != "" || len(f.Attempts) == 0 {
		return f.Response.Backend
	}
	return f.Attempts[len(f.Attempts)-1].Backend
}

// chat makes the span of one question to a model, the i-th of a finding, which
// was asked at this moment, and returns when the next one was. An answer without
// a model leaves none: an answer of the cache, and the builtin judge.
func (c *call) chat(ctx context.Context, f *sentinel.Finding, i int, at, ended time.Time) time.Time {
	a := &f.Attempts[i]
	if a.Response.Cached || a.Backend == sentinel.Builtin {
		return at
	}
	waited, took := max(a.Response.Waited, 0), max(a.Response.Took, 0)
	began := at.Add(waited)
	if took == 0 && i == len(f.Attempts)-1 { // one that failed need not say how long it took
		took = max(ended.Sub(began), 0)
	}
	attrs, model := c.ofChat(f, i)
	name := SpanChat
	if model != "" {
		name += " " + model
	}
	measured := withError(attrs, a.Err)
	measure(ctx, c.meters.chat, took, measured)
	c.spent(ctx, a.Response, attrs)

	_, span := c.tracer.Start(ctx, name, trace.WithTimestamp(began), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
	defer span.End(trace.WithTimestamp(began.Add(took)))
	span.SetAttributes(
		semconv.GenAIOutputTypeJSON, KeyRuleID.String(c.texts.name(f.Rule.ID)), KeyBackend.String(c.texts.name(a.Backend)), KeyWait.Float64(waited.Seconds()),
	)
	if n := a.Response.PromptTokens; n > 0 {
		span.SetAttributes(semconv.GenAIUsageInputTokens(n))
	}
	if n := a.Response.OutputTokens; n > 0 {
		span.SetAttributes(semconv.GenAIUsageOutputTokens(n))
	}
	c.fail(span, a.Err)
	return began.Add(took)
}

// ofChat are the attributes that span and metrics of a model call have. model is
// the one that was asked for, or else the one that answered.
func (c *call) ofChat(f *sentinel.Finding, i int) (attrs []attribute.KeyValue, model string) {
	a := &f.Attempts[i]
	asked := a.Request.Model
	if asked == "" && i == 0 { // a rule's model goes to its own backend, which is asked first
		asked = f.Rule.Model
	}
	attrs = []attribute.KeyValue{semconv.GenAIOperationNameChat, semconv.GenAIProviderNameKey.String(c.provider(a))}
	answered := c.texts.name(a.Response.Model)
	if model = c.texts.name(asked); model == "" {
		model = answered // without a name the backend's own model is asked
	}
	if model != "" {
		attrs = append(attrs, semconv.GenAIRequestModel(model))
	}
	if answered != "" {
		attrs = append(attrs, semconv.GenAIResponseModel(answered))
	}
	return attrs, model
}

// provider is the value of gen_ai.provider.name: the conventions' own where they
// have one for the backend.
func (c *call) provider(a *sentinel.Attempt) string {
	if name := c.providers[a.Backend]; name != "" {
		return name
	}
	if a.Backend == "" {
		return "_OTHER"
	}
	standard := config.Default()
	if name := standard.About(a.Backend).Provider; name != "" {
		return name
	}
	return c.texts.name(a.Backend)
}

// spent measures the tokens that a backend reported.
func (c *call) spent(ctx context.Context, r sentinel.Response, attrs []attribute.KeyValue) {
	for _, kind := range []struct {
		name attribute.KeyValue
		n    int
	}{{semconv.GenAITokenTypeInput, r.PromptTokens}, {semconv.GenAITokenTypeOutput, r.OutputTokens}} {
		if kind.n > 0 {
			c.meters.tokens.Record(ctx, int64(kind.n), metric.WithAttributes(append(attrs[:len(attrs):len(attrs)], kind.name)...))
		}
	}
}

// withError adds error.type where there is an error.
func withError(attrs []attribute.KeyValue, err error) []attribute.KeyValue {
	if err == nil {
		return attrs
	}
	return append(attrs[:len(attrs):len(attrs)], semconv.ErrorTypeKey.String(errorType(err)))
}

// fail marks a span. The text of an error may name paths and hosts, so it goes
// along only with the details.
func (c *call) fail(span trace.Span, err error) {
	if err == nil {
		return
	}
	text := ""
	if c.details {
		text = c.texts.cut(err.Error(), maxReason)
	}
	span.SetStatus(codes.Error, text)
	span.SetAttributes(semconv.ErrorTypeKey.String(errorType(err)))
}
