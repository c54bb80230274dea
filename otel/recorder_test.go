package otel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/otel"
)

// A recording is what a recorder has made, in memory.
type recording struct {
	*otel.Recorder
	tracers *sdktrace.TracerProvider
	spans   *tracetest.SpanRecorder
	reader  *sdkmetric.ManualReader
}

func record(t testing.TB, opts otel.Options) *recording {
	t.Helper()
	r := &recording{spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader()}
	r.tracers = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.spans))
	opts.TracerProvider = r.tracers
	opts.MeterProvider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(r.reader))
	var err error
	r.Recorder, err = otel.NewRecorder(&opts)
	require.NoError(t, err)
	return r
}

// span is the only span of this name.
func (r *recording) span(t testing.TB, name string) sdktrace.ReadOnlySpan {
	t.Helper()
	var found sdktrace.ReadOnlySpan
	for _, s := range r.spans.Ended() {
		if s.Name() == name {
			require.Nil(t, found, "two spans named %s", name)
			found = s
		}
	}
	require.NotNil(t, found, "no span named %s in %v", name, r.names())
	return found
}

func (r *recording) names() []string {
	var names []string
	for _, s := range r.spans.Ended() {
		names = append(names, s.Name())
	}
	return names
}

func (r *recording) metrics(t testing.TB) map[string]metricdata.Metrics {
	t.Helper()
	var got metricdata.ResourceMetrics
	require.NoError(t, r.reader.Collect(t.Context(), &got))
	named := map[string]metricdata.Metrics{}
	for _, scope := range got.ScopeMetrics {
		require.Equal(t, otel.ScopeName, scope.Scope.Name)
		for _, m := range scope.Metrics {
			named[m.Name] = m
		}
	}
	return named
}

func values(attrs []attribute.KeyValue) map[string]any {
	m := map[string]any{}
	for _, a := range attrs {
		m[string(a.Key)] = a.Value.AsInterface()
	}
	return m
}

var now = time.Date(2026, 11, 20, 21, 11, 57, 0, time.UTC)

// A blocked is a call that one rule stopped after a fallback, another passed from
// the cache, and one could not judge.
func blocked() (sentinel.Event, sentinel.Decision) {
	timeout := &sentinel.BackendError{Backend: "ollama", Op: "complete", Err: fmt.Errorf("%w: %w", sentinel.ErrUnavailable, context.DeadlineExceeded)}
	ev := sentinel.Event{
		Phase: sentinel.PhasePre, Agent: "claude", Session: "s-1", Dir: "/DIR", Transcript: "/TRANSCRIPT",
		Tool: sentinel.ToolCall{ID: "toolu_1", Name: "Bash", Args: json.RawMessage(`{"command":"ARGS"}`), Output: "OUTPUT"},
	}
	d := sentinel.Decision{
		ID: "k3j5", Verdict: sentinel.VerdictBlock, Took: 2 * time.Second, Notice: "NOTICE", Code: "CODE",
		Actions: []sentinel.Action{{Trigger: sentinel.Bash, Target: "git push --force COMMAND AKIAQYLPMN5HHHFPZAM2", Content: "CONTENT", Old: "OLD"}},
	}
	rule := func(id string, s sentinel.Severity) *sentinel.RuleSpec {
		return &sentinel.RuleSpec{ID: id, Severity: s, Prompt: "PROMPT", Message: "MESSAGE", Source: "SOURCE"}
	}
	force := rule("no-force", sentinel.SeverityBlock)
	force.Model = "gemma3:4b"
	d.Findings = []sentinel.Finding{
		{
			Rule: force, Action: &d.Actions[0], Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeViolation, Verdict: sentinel.VerdictBlock,
			Confidence: 0.9, Reason: "REASON with AKIAQYLPMN5HHHFPZAM2", Message: "MESSAGE", Took: 1500 * time.Millisecond, Tainted: true, Disputed: true, Muted: true,
			Response: sentinel.Response{Text: "ANSWER", Backend: "openai", Model: "gpt-5-mini-2026", PromptTokens: 200, OutputTokens: 30},
			Attempts: []sentinel.Attempt{
				{Backend: "ollama", Response: sentinel.Response{Backend: "ollama", Waited: 100 * time.Millisecond, Took: 400 * time.Millisecond}, Err: timeout},
				{Backend: "openai", Request: sentinel.Request{Model: "gpt-5-mini", Prompt: "PROMPT", System: "SYSTEM"},
					Response: sentinel.Response{Text: "ANSWER", Backend: "openai", Model: "gpt-5-mini-2026", PromptTokens: 200, OutputTokens: 30, Took: time.Second}},
			},
		},
		{
			Rule: rule("cached", sentinel.SeverityWarn), Action: &d.Actions[0], Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomePass, Verdict: sentinel.VerdictAllow,
			Confidence: 0.4, Took: time.Millisecond, Response: sentinel.Response{Text: `{"violation":true,"confidence":0.4}`, Backend: "ollama", Model: "gemma3:4b", Cached: true, PromptTokens: 99},
			Attempts: []sentinel.Attempt{{Backend: "ollama", Response: sentinel.Response{Backend: "ollama", Model: "gemma3:4b", Cached: true, PromptTokens: 99}}},
		},
		{
			Rule: rule("down", sentinel.SeverityAsk), Action: &d.Actions[0], Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeUnavailable, Verdict: sentinel.VerdictAllow,
			Took: time.Second, Err: errors.New("ERROR at http://HOST"),
			Attempts: []sentinel.Attempt{{Backend: "ours", Err: errors.New("ERROR at http://HOST")}},
		},
		{
			Rule: rule("by-when", sentinel.SeverityAsk), Action: &d.Actions[0], Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeViolation, Verdict: sentinel.VerdictAsk, Confidence: 1,
			Response: sentinel.Response{Backend: sentinel.Builtin}, Attempts: []sentinel.Attempt{{Backend: sentinel.Builtin}}, Waived: true,
		},
		{Rule: rule("not-matched", sentinel.SeverityBlock), Match: sentinel.Match{Why: "no pattern matches"}},
		{Rule: rule("later", sentinel.SeverityBlock), Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeSkipped, Deferred: true},
	}
	return ev, d
}

func TestSpans(t *testing.T) {
	t.Parallel()
	r := record(t, otel.Options{Providers: map[string]string{"ours": "example.ours"}})
	ev, d := blocked()
	r.Record(t.Context(), now, ev, d)
	require.ElementsMatch(t, []string{
		"sentinel.decision", "sentinel.rule no-force", "chat gemma3:4b", "chat gpt-5-mini", "sentinel.rule cached", "sentinel.rule down", "chat", "sentinel.rule by-when",
	}, r.names())

	top := r.span(t, "sentinel.decision")
	require.False(t, top.Parent().IsValid())
	require.Equal(t, trace.SpanKindInternal, top.SpanKind())
	require.Equal(t, now.Add(-2*time.Second), top.StartTime())
	require.Equal(t, now, top.EndTime())
	require.Equal(t, codes.Unset, top.Status().Code)
	require.Equal(t, map[string]any{
		"gen_ai.agent.name": "claude", "gen_ai.conversation.id": "s-1", "gen_ai.tool.name": "Bash", "gen_ai.tool.call.id": "toolu_1",
		"sentinel.decision.id": "k3j5", "sentinel.phase": "pre", "sentinel.verdict": "block",
		"sentinel.rules.matched": int64(4), "sentinel.rules.judged": int64(3), "sentinel.rules.violated": int64(2), "sentinel.rules.unavailable": int64(1),
	}, values(top.Attributes()))

	force := r.span(t, "sentinel.rule no-force")
	require.Equal(t, top.SpanContext().SpanID(), force.Parent().SpanID())
	require.Equal(t, 1500*time.Millisecond, force.EndTime().Sub(force.StartTime()))
	require.Equal(t, map[string]any{
		"sentinel.rule.id": "no-force", "sentinel.rule.severity": "block", "sentinel.rule.mode": "enforce", "sentinel.trigger": "bash",
		"sentinel.outcome": "violation", "sentinel.verdict": "block", "sentinel.confidence": 0.9, "sentinel.cached": false, "sentinel.backend": "openai",
		"sentinel.tainted": true, "sentinel.disputed": true, "sentinel.muted": true,
	}, values(force.Attributes()))

	first := r.span(t, "chat gemma3:4b")
	require.Equal(t, force.SpanContext().SpanID(), first.Parent().SpanID())
	require.Equal(t, trace.SpanKindClient, first.SpanKind())
	require.Equal(t, force.StartTime().Add(100*time.Millisecond), first.StartTime(), "behind the waiting")
	require.Equal(t, 400*time.Millisecond, first.EndTime().Sub(first.StartTime()))
	require.Equal(t, sdktrace.Status{Code: codes.Error}, first.Status())
	require.Equal(t, map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "ollama", "gen_ai.request.model": "gemma3:4b", "gen_ai.output.type": "json",
		"sentinel.rule.id": "no-force", "sentinel.backend": "ollama", "sentinel.wait.duration": 0.1, "error.type": "timeout",
	}, values(first.Attributes()))

	second := r.span(t, "chat gpt-5-mini")
	require.Equal(t, first.EndTime(), second.StartTime(), "a fallback is asked next")
	require.Equal(t, map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5-mini", "gen_ai.response.model": "gpt-5-mini-2026", "gen_ai.output.type": "json",
		"gen_ai.usage.input_tokens": int64(200), "gen_ai.usage.output_tokens": int64(30),
		"sentinel.rule.id": "no-force", "sentinel.backend": "openai", "sentinel.wait.duration": 0.0,
	}, values(second.Attributes()))

	cached := values(r.span(t, "sentinel.rule cached").Attributes())
	require.Equal(t, true, cached["sentinel.cached"])
	require.Equal(t, true, cached["sentinel.near_miss"])
	require.Equal(t, "allowed", values(r.span(t, "sentinel.rule by-when").Attributes())["sentinel.rule.mode"])
	down := r.span(t, "chat")
	require.Equal(t, time.Second, down.EndTime().Sub(down.StartTime()), "one that does not say how long it took had the rule's time")
	require.Equal(t, "example.ours", values(down.Attributes())["gen_ai.provider.name"])
	require.Equal(t, "_OTHER", values(down.Attributes())["error.type"])
	require.NotContains(t, values(r.span(t, "sentinel.rule down").Attributes()), "sentinel.confidence")
}

// No content of the agent's work is sent unless it is asked for, and then no
// contents, prompts and answers, and no secrets.
func TestNothingLeaves(t *testing.T) {
	t.Parallel()
	all := []string{"COMMAND", "REASON", "ERROR", "HOST", "AKIA", "ARGS", "CONTENT", "OLD", "PROMPT", "SYSTEM", "MESSAGE", "ANSWER", "SOURCE", "OUTPUT", "NOTICE", "CODE", "DIR", "TRANSCRIPT"}
	for _, c := range []struct {
		details bool
		sent    []string
	}{
		{false, nil},
		{true, []string{"COMMAND", "REASON", "ERROR", "HOST", "AKIA"}},
	} {
		t.Run(fmt.Sprint("details ", c.details), func(t *testing.T) {
			t.Parallel()
			r := record(t, otel.Options{Details: c.details})
			ev, d := blocked()
			r.Record(t.Context(), now, ev, d)
			var text strings.Builder
			for _, s := range r.spans.Ended() {
				fmt.Fprintln(&text, s.Name(), values(s.Attributes()), s.Status(), s.Events(), s.Resource())
			}
			fmt.Fprintln(&text, r.metrics(t))
			for _, marker := range all {
				if contains(c.sent, marker) {
					require.Contains(t, text.String(), marker)
				} else {
					require.NotContains(t, text.String(), marker)
				}
			}
			require.NotContains(t, text.String(), "QYLPMN5HHHFPZAM2")
		})
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	r := record(t, otel.Options{})
	ev, d := blocked()
	r.Record(t.Context(), now, ev, d)
	r.Record(t.Context(), now, ev, d)
	got := r.metrics(t)

	decisions := got["sentinel.decisions"].Data.(metricdata.Sum[int64])
	require.True(t, decisions.IsMonotonic)
	require.Len(t, decisions.DataPoints, 1)
	require.EqualValues(t, 2, decisions.DataPoints[0].Value)
	require.Equal(t, map[string]any{"gen_ai.agent.name": "claude", "sentinel.verdict": "block"}, values(decisions.DataPoints[0].Attributes.ToSlice()))
	took := got["sentinel.decision.duration"].Data.(metricdata.Histogram[float64])
	require.Equal(t, 4.0, took.DataPoints[0].Sum)
	require.Equal(t, "s", got["sentinel.decision.duration"].Unit)

	evaluations := got["sentinel.rule.evaluations"].Data.(metricdata.Sum[int64])
	require.Len(t, evaluations.DataPoints, 4)
	for _, p := range evaluations.DataPoints {
		require.EqualValues(t, 2, p.Value)
	}
	require.Len(t, got["sentinel.rule.duration"].Data.(metricdata.Histogram[float64]).DataPoints, 4)

	chats := got["gen_ai.client.operation.duration"].Data.(metricdata.Histogram[float64])
	require.Equal(t, []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}, chats.DataPoints[0].Bounds)
	require.Len(t, chats.DataPoints, 3)
	require.Equal(t, "s", got["gen_ai.client.operation.duration"].Unit)

	tokens := got["gen_ai.client.token.usage"].Data.(metricdata.Histogram[int64])
	require.Equal(t, "{token}", got["gen_ai.client.token.usage"].Unit)
	require.Equal(t, []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}, tokens.DataPoints[0].Bounds)
	spent := map[string]int64{}
	for _, p := range tokens.DataPoints {
		kind, ok := p.Attributes.Value("gen_ai.token.type")
		require.True(t, ok)
		spent[kind.AsString()] += p.Sum
	}
	require.Equal(t, map[string]int64{"input": 400, "output": 60}, spent, "an answer of the cache spends none")
}

func TestWhatLeavesNothing(t *testing.T) {
	t.Parallel()
	ev, full := blocked()
	for name, d := range map[string]sentinel.Decision{
		"no rule":           {Verdict: sentinel.VerdictAllow},
		"none that match":   {Verdict: sentinel.VerdictAllow, Findings: full.Findings[4:5]},
		"relayed":           {Verdict: sentinel.VerdictBlock, Findings: full.Findings, Relayed: true},
		"only judged later": {Verdict: sentinel.VerdictAllow, Findings: full.Findings[5:6]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := record(t, otel.Options{})
			r.Record(t.Context(), now, ev, d)
			require.Empty(t, r.names())
			require.Empty(t, r.metrics(t))
		})
	}
}

// After a tool, and by shadow rules after the answer, nothing is decided.
func TestWhatIsNoDecision(t *testing.T) {
	t.Parallel()
	_, full := blocked()
	post, pre := sentinel.Event{Phase: sentinel.PhasePost}, sentinel.Event{Phase: sentinel.PhasePre}
	shadow := full.Findings[0]
	shadow.Deferred = true
	for _, c := range []struct {
		want string
		ev   sentinel.Event
		f    sentinel.Finding
	}{{"sentinel.advice", post, full.Findings[0]}, {"sentinel.shadow", pre, shadow}} {
		r := record(t, otel.Options{})
		r.Record(t.Context(), now, c.ev, sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{c.f}})
		require.NotContains(t, values(r.span(t, c.want).Attributes()), "sentinel.verdict")
		require.NotContains(t, r.metrics(t), "sentinel.decisions")
		require.Contains(t, r.metrics(t), "sentinel.rule.evaluations")
	}
}

// A call that could not be judged is seen, with the class of its error.
func TestErrors(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"timeout":     fmt.Errorf("%w: %w", sentinel.ErrUnavailable, context.DeadlineExceeded),
		"canceled":    context.Canceled,
		"over_budget": sentinel.ErrOverBudget,
		"refused":     sentinel.ErrRefused,
		"malformed":   sentinel.ErrMalformed,
		"busy":        sentinel.ErrBusy,
		"preempted":   sentinel.ErrPreempted,
		"bad_event":   sentinel.ErrEvent,
		"unsupported": errors.ErrUnsupported,
		"unavailable": sentinel.ErrUnavailable,
		"_OTHER":      errors.New("odd"),
	} {
		r := record(t, otel.Options{})
		r.Record(t.Context(), now, sentinel.Event{Phase: sentinel.PhasePre}, sentinel.Decision{Err: err})
		s := r.span(t, "sentinel.decision")
		require.Equal(t, want, values(s.Attributes())["error.type"])
		require.Equal(t, "undecided", values(s.Attributes())["sentinel.verdict"])
		require.Equal(t, sdktrace.Status{Code: codes.Error}, s.Status())
		point := r.metrics(t)["sentinel.decisions"].Data.(metricdata.Sum[int64]).DataPoints[0]
		require.Equal(t, want, values(point.Attributes.ToSlice())["error.type"])
	}
}

// Whatever a rule file, an agent or a model has put into a name, what is sent is
// short, UTF-8, and moves no cursor.
func TestHostileStrings(t *testing.T) {
	t.Parallel()
	bad := "\x1b[31m\x00\xff\u202e\u2028\n" + strings.Repeat("ž", 100_000)
	r := record(t, otel.Options{Details: true})
	rule := &sentinel.RuleSpec{ID: bad, Model: bad, Severity: 99}
	action := sentinel.Action{Trigger: sentinel.Trigger(bad), Target: bad}
	r.Record(t.Context(), now, sentinel.Event{Phase: 99, Agent: bad, Session: bad, Tool: sentinel.ToolCall{ID: bad, Name: bad}}, sentinel.Decision{
		ID: bad, Verdict: 99, Took: math.MinInt64, Err: errors.New(bad),
		Findings: []sentinel.Finding{
			{Rule: nil, Match: sentinel.Match{OK: true}},
			{Rule: rule, Match: sentinel.Match{OK: true}, Outcome: 99, Verdict: 99, Took: -1},
			{Rule: rule, Action: &action, Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomePass, Confidence: math.Inf(1), Reason: bad, Took: 1,
				Attempts: []sentinel.Attempt{{Backend: bad, Err: errors.New(bad), Response: sentinel.Response{Model: bad, PromptTokens: -1, Waited: -1, Took: -1}}, {}}},
		},
	})
	var seen int
	check := func(key, s string) {
		seen++
		require.True(t, len([]rune(s)) <= 1001+len("sentinel.rule "), "%s is %d long", key, len(s))
		require.NotContains(t, s, "\x1b", key)
		for _, r := range s {
			require.False(t, r < ' ' || r == '\u202e' || r == '\u2028', "%s holds %q", key, r)
		}
		require.True(t, strings.ToValidUTF8(s, "") == s, key)
	}
	for _, s := range r.spans.Ended() {
		check("name", s.Name())
		check("status", s.Status().Description)
		for _, a := range s.Attributes() {
			check(string(a.Key), a.Value.String())
		}
		require.False(t, s.EndTime().Before(s.StartTime()))
	}
	require.NotZero(t, seen)
	require.NotEmpty(t, r.metrics(t))
}

type fixed struct {
	d   sentinel.Decision
	err error
}

func (f fixed) Evaluate(context.Context, sentinel.Event) (sentinel.Decision, error) {
	return f.d, f.err
}

// A wrapped engine decides as before; its trace is part of the caller's, also
// when the caller has gone.
func TestEngine(t *testing.T) {
	t.Parallel()
	r := record(t, otel.Options{})
	ev, d := blocked()
	ctx, span := r.tracers.Tracer("test").Start(t.Context(), "harness")
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	got, err := r.Engine(fixed{d, nil}).Evaluate(ctx, ev)
	span.End()
	require.NoError(t, err)
	require.Equal(t, d, got)
	require.Equal(t, r.span(t, "harness").SpanContext().SpanID(), r.span(t, "sentinel.decision").Parent().SpanID())

	r = record(t, otel.Options{})
	_, err = r.Engine(fixed{sentinel.Decision{}, sentinel.ErrEvent}).Evaluate(t.Context(), ev)
	require.ErrorIs(t, err, sentinel.ErrEvent)
	require.Equal(t, "bad_event", values(r.span(t, "sentinel.decision").Attributes())["error.type"])
}

// Without providers the global ones are used, which do nothing until somebody sets
// them.
func TestGlobalProviders(t *testing.T) {
	t.Parallel()
	r, err := otel.NewRecorder(nil)
	require.NoError(t, err)
	ev, d := blocked()
	r.Record(t.Context(), now, ev, d)
}
