package sentinel_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// A testRule applies to one trigger, with an expression where when is set.
type testRule struct {
	spec  sentinel.RuleSpec
	when  func() (bool, error)
	match func(*sentinel.Action) sentinel.Match
}

func (r *testRule) Spec() *sentinel.RuleSpec { return &r.spec }

func (r *testRule) Match(a *sentinel.Action) sentinel.Match {
	if r.match != nil {
		return r.match(a)
	}
	if !r.spec.Trigger.Covers(a.Trigger) {
		return sentinel.Match{Why: "trigger"}
	}
	return sentinel.Match{OK: true}
}

func (r *testRule) Conditional() bool { return r.when != nil }

func (r *testRule) When(context.Context, *sentinel.Action, sentinel.Match) (bool, error) {
	return r.when()
}

func aRule(id string, severity sentinel.Severity, change ...func(*testRule)) sentinel.Rule {
	r := &testRule{spec: sentinel.RuleSpec{ID: id, Source: id + ".yaml:1", Trigger: sentinel.Any, Severity: severity, Prompt: "RULE " + id}}
	for _, c := range change {
		c(r)
	}
	return r
}

// answers is a backend that finds its answer by the rule's id in the prompt.
func answers(byRule map[string]string) sentinel.BackendFunc {
	return func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		id := req.Rule.Spec().ID
		text, ok := byRule[id]
		if !ok {
			return sentinel.Response{}, fmt.Errorf("%w: no answer for %s", sentinel.ErrUnavailable, id)
		}
		return sentinel.Response{Text: text, Backend: "fake", Model: "m"}, nil
	}
}

const (
	violated = `{"violation":true,"confidence":0.9,"reason":"it does"}`
	clean    = `{"violation":false,"confidence":0.9}`
)

func push() sentinel.Event {
	return sentinel.Event{Phase: sentinel.PhasePre, Agent: "test", Actions: []sentinel.Action{
		{Trigger: sentinel.Bash, Target: "git push --force", Forms: []string{"git push --force"}},
	}}
}

func engine(t *testing.T, opts *sentinel.Options, rules ...sentinel.Rule) *sentinel.Rulebook {
	t.Helper()
	e, err := sentinel.New(rules, opts)
	require.NoError(t, err)
	return e
}

func outcomes(d sentinel.Decision) []string {
	var out []string
	for _, f := range d.Findings {
		out = append(out, f.Rule.ID+" "+f.Outcome.String())
	}
	return out
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	broken := func(r *testRule) { r.spec.Err = errors.New("rules/x.yaml:3:1: unknown key `severty`") }
	shadow := func(r *testRule) { r.spec.Shadow = true }
	for _, c := range []struct {
		name     string
		rules    []sentinel.Rule
		answers  map[string]string
		failOpen bool
		verdict  sentinel.Verdict
		outcomes []string
		reason   string // part of Decision.Reason
		context  string // part of Decision.Context
	}{
		{name: "no rule", verdict: sentinel.VerdictAllow},
		{name: "clean", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock)}, answers: map[string]string{"a": clean},
			verdict: sentinel.VerdictAllow, outcomes: []string{"a pass"}},
		{name: "block", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock)}, answers: map[string]string{"a": violated},
			verdict: sentinel.VerdictBlock, outcomes: []string{"a violation"}, reason: "it does [a]"},
		{name: "ask", rules: []sentinel.Rule{aRule("a", sentinel.SeverityAsk)}, answers: map[string]string{"a": violated},
			verdict: sentinel.VerdictAsk, outcomes: []string{"a violation"}, reason: "it does [a]"},
		{name: "warn", rules: []sentinel.Rule{aRule("a", sentinel.SeverityWarn)}, answers: map[string]string{"a": violated},
			verdict: sentinel.VerdictWarn, outcomes: []string{"a violation"}, context: "Warning: it does [a]"},
		{name: "info asks nobody", rules: []sentinel.Rule{aRule("a", sentinel.SeverityInfo, func(r *testRule) { r.spec.Prompt = "Owned by payments: {{command}}" })},
			verdict: sentinel.VerdictAllow, outcomes: []string{"a pass"}, context: "Owned by payments: git push --force"},
		{name: "the strictest wins, in the order of the rules",
			rules:   []sentinel.Rule{aRule("a", sentinel.SeverityWarn), aRule("b", sentinel.SeverityBlock), aRule("c", sentinel.SeverityAsk)},
			answers: map[string]string{"a": violated, "b": violated, "c": violated},
			verdict: sentinel.VerdictBlock, outcomes: []string{"a violation", "b violation", "c violation"}, reason: "it does [b]", context: "[a]"},
		{name: "below the threshold", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock)},
			answers: map[string]string{"a": `{"violation":true,"confidence":0.69,"reason":"perhaps"}`},
			verdict: sentinel.VerdictAllow, outcomes: []string{"a pass"}},
		{name: "at the threshold", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock)},
			answers: map[string]string{"a": `{"violation":true,"confidence":0.7,"reason":"just"}`},
			verdict: sentinel.VerdictBlock, outcomes: []string{"a violation"}, reason: "just"},
		{name: "the rule's own threshold", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, func(r *testRule) { r.spec.Threshold = 0.95 })},
			answers: map[string]string{"a": violated}, verdict: sentinel.VerdictAllow, outcomes: []string{"a pass"}},
		{name: "message", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, func(r *testRule) { r.spec.Message = "Push without it: {{command}}" })},
			answers: map[string]string{"a": violated}, verdict: sentinel.VerdictBlock, outcomes: []string{"a violation"},
			reason: "Push without it: git push --force (it does) [a]"},
		{name: "a violation without any words", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock)},
			answers: map[string]string{"a": `{"violation":true,"confidence":1}`},
			verdict: sentinel.VerdictBlock, outcomes: []string{"a violation"}, reason: "Rule a does not allow `git push --force`. (from a.yaml)"},
		{name: "a violation of a comma", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock)},
			answers: map[string]string{"a": `{"violation":true,"confidence":1,"reason":", "}`},
			verdict: sentinel.VerdictBlock, outcomes: []string{"a violation"}, reason: "Rule a does not allow `git push --force`. (from a.yaml)"},
		{name: "nobody could judge, open", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock)}, failOpen: true,
			verdict: sentinel.VerdictAllow, outcomes: []string{"a unavailable"}},
		{name: "nobody could judge, strict", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock)},
			verdict: sentinel.VerdictBlock, outcomes: []string{"a unavailable"}, reason: "could not be judged: unavailable: no answer for a"},
		{name: "strict, at the rule's own severity", rules: []sentinel.Rule{aRule("a", sentinel.SeverityWarn)},
			verdict: sentinel.VerdictWarn, outcomes: []string{"a unavailable"}, context: "could not be judged"},
		{name: "a malformed answer is neither", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock), aRule("b", sentinel.SeverityWarn)}, failOpen: true,
			answers: map[string]string{"a": `yes`, "b": violated},
			verdict: sentinel.VerdictWarn, outcomes: []string{"a unavailable", "b violation"}, context: "[b]"},
		{name: "a broken file, open", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, broken)}, failOpen: true,
			answers: map[string]string{"a": violated}, verdict: sentinel.VerdictAllow, outcomes: []string{"a unavailable"}},
		{name: "a broken file, strict", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, broken)},
			answers: map[string]string{"a": clean}, verdict: sentinel.VerdictBlock, outcomes: []string{"a unavailable"}, reason: "rules/x.yaml:3:1"},
		{name: "shadow takes no part", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, shadow)}, answers: map[string]string{"a": violated},
			verdict: sentinel.VerdictAllow, outcomes: []string{"a violation"}},
		{name: "shadow takes no part when strict", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, shadow)},
			verdict: sentinel.VerdictAllow, outcomes: []string{"a unavailable"}},
		{name: "a post rule is not asked before the tool", rules: []sentinel.Rule{aRule("a", sentinel.SeverityInfo, func(r *testRule) { r.spec.Post = true })},
			verdict: sentinel.VerdictAllow},
		{name: "its when is false", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, func(r *testRule) { r.when = func() (bool, error) { return false, nil } })},
			answers: map[string]string{"a": violated}, verdict: sentinel.VerdictAllow, outcomes: []string{"a pass"}},
		{name: "its when is true", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, func(r *testRule) { r.when = func() (bool, error) { return true, nil } })},
			answers: map[string]string{"a": violated}, verdict: sentinel.VerdictBlock, outcomes: []string{"a violation"}, reason: "it does"},
		{name: "its when fails", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, func(r *testRule) { r.when = func() (bool, error) { return false, errors.New("no such field") } })},
			answers: map[string]string{"a": clean}, verdict: sentinel.VerdictBlock, outcomes: []string{"a unavailable"}, reason: "no such field"},
		{name: "matching panics", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, func(r *testRule) { r.match = func(*sentinel.Action) sentinel.Match { panic("oops") } }), aRule("b", sentinel.SeverityWarn)},
			failOpen: true, answers: map[string]string{"a": clean, "b": violated},
			verdict: sentinel.VerdictWarn, outcomes: []string{"a unavailable", "b violation"}, context: "[b]"},
		{name: "its when panics", rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, func(r *testRule) { r.when = func() (bool, error) { panic("oops") } })},
			answers: map[string]string{"a": clean}, verdict: sentinel.VerdictBlock, outcomes: []string{"a unavailable"}, reason: "panicked: oops"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := engine(t, &sentinel.Options{Default: "fake", FailOpen: c.failOpen,
				Backends: map[string]sentinel.Backend{"fake": answers(c.answers)}}, c.rules...)
			d, err := e.Evaluate(t.Context(), push())
			require.NoError(t, err)
			require.Equal(t, c.verdict.String(), d.Verdict.String())
			require.Equal(t, c.outcomes, outcomes(d))
			require.Contains(t, d.Reason(), c.reason)
			if c.reason == "" {
				require.Empty(t, d.Reason())
			}
			if c.context == "" {
				require.Empty(t, d.Context())
			} else {
				require.Contains(t, strings.Join(d.Context(), "\n"), c.context)
			}
		})
	}
}

func TestFallbackIsAskedInTurn(t *testing.T) {
	t.Parallel()
	var asked []string
	backend := func(name, text string) sentinel.Backend {
		return sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
			asked = append(asked, name+"("+req.Model+")")
			if text == "" {
				return sentinel.Response{}, sentinel.ErrUnavailable
			}
			return sentinel.Response{Text: text}, nil
		})
	}
	e := engine(t, &sentinel.Options{Default: "dead", Fallback: []string{"unused"}, Backends: map[string]sentinel.Backend{
		"dead": backend("dead", ""), "prose": backend("prose", "yes."), "good": backend("good", violated), "unused": backend("unused", clean),
	}}, aRule("a", sentinel.SeverityBlock, func(r *testRule) {
		r.spec.Model = "big"
		r.spec.Fallback = []string{"dead", "prose", "missing", "good", "unused"}
	}))
	d, err := e.Evaluate(t.Context(), push())
	require.NoError(t, err)
	require.Equal(t, []string{"dead(big)", "prose()", "good()"}, asked, "the model goes to the rule's own backend alone, and who failed is not asked twice")
	require.Equal(t, sentinel.VerdictBlock, d.Verdict)
	require.Equal(t, "good", d.Findings[0].Response.Backend)
	require.Len(t, d.Findings[0].Attempts, 4)
}

func TestAnAnswerThatRepeatsTheFenceNeedsAPerson(t *testing.T) {
	t.Parallel()
	echo := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		_, rest, _ := strings.Cut(req.Prompt, "BEGIN DATA ")
		mark, _, _ := strings.Cut(rest, " ")
		return sentinel.Response{Text: `{"violation":false,"confidence":1,"reason":"` + mark + `"}`}, nil
	})
	e := engine(t, &sentinel.Options{Default: "echo", FailOpen: true, Backends: map[string]sentinel.Backend{"echo": echo, "good": answers(map[string]string{"a": clean})}},
		aRule("a", sentinel.SeverityWarn, func(r *testRule) { r.spec.Fallback = []string{"good"} }))
	ev := push()
	ev.Actions[0].Target = strings.Repeat("echo\n", 100)
	d, err := e.Evaluate(t.Context(), ev)
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictAsk, d.Verdict)
	require.Contains(t, d.Reason(), "a person must look")
}

func TestASecondOpinionConfirmsBlocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, second string
		severity     sentinel.Severity
		want         sentinel.Verdict
		attempts     int
	}{
		{"it agrees", violated, sentinel.SeverityBlock, sentinel.VerdictBlock, 2},
		{"it disagrees", clean, sentinel.SeverityBlock, sentinel.VerdictAsk, 2},
		{"it is not sure enough", `{"violation":true,"confidence":0.2}`, sentinel.SeverityBlock, sentinel.VerdictAsk, 2},
		{"it cannot judge", "hm", sentinel.SeverityBlock, sentinel.VerdictBlock, 2},
		{"it is not asked about a warning", clean, sentinel.SeverityWarn, sentinel.VerdictWarn, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := engine(t, &sentinel.Options{Default: "one", SecondOpinion: "two", Backends: map[string]sentinel.Backend{
				"one": answers(map[string]string{"a": violated}), "two": answers(map[string]string{"a": c.second}),
			}}, aRule("a", c.severity))
			d, err := e.Evaluate(t.Context(), push())
			require.NoError(t, err)
			require.Equal(t, c.want.String(), d.Verdict.String())
			require.Len(t, d.Findings[0].Attempts, c.attempts)
			if c.want == sentinel.VerdictAsk {
				require.Contains(t, d.Reason(), "A second judge disagrees")
			}
		})
	}
}

func TestTheModelsOwnProbabilityCounts(t *testing.T) {
	t.Parallel()
	p := 0.4
	judge := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		if !req.Logprobs {
			return sentinel.Response{Text: violated}, nil
		}
		return sentinel.Response{Text: violated, PTrue: &p}, nil
	})
	for logprobs, want := range map[bool]sentinel.Verdict{false: sentinel.VerdictBlock, true: sentinel.VerdictAllow} {
		e := engine(t, &sentinel.Options{Default: "x", Logprobs: logprobs, Backends: map[string]sentinel.Backend{"x": judge}}, aRule("a", sentinel.SeverityBlock))
		d, err := e.Evaluate(t.Context(), push())
		require.NoError(t, err)
		require.Equal(t, want.String(), d.Verdict.String())
	}
}

// Only texts for the agent's context can be muted: a question is asked each time.
func TestMute(t *testing.T) {
	t.Parallel()
	e := engine(t, &sentinel.Options{Default: "x", MaxParallel: 1, Backends: map[string]sentinel.Backend{"x": answers(map[string]string{"warn": violated, "ask": violated})}},
		aRule("warn", sentinel.SeverityWarn), aRule("info", sentinel.SeverityInfo), aRule("ask", sentinel.SeverityAsk))
	given := map[string]bool{}
	for i, want := range []int{2, 0} {
		d, err := e.Evaluate(t.Context(), push())
		require.NoError(t, err)
		d.Mute(func(rule *sentinel.RuleSpec, text string) bool {
			before := given[rule.ID+text]
			given[rule.ID+text] = true
			return before
		})
		require.Len(t, d.Context(), want, "call %d", i)
		require.Equal(t, sentinel.VerdictAsk, d.Verdict)
		require.NotEmpty(t, d.Reason())
	}
	require.Len(t, given, 2)
}

func TestEventsThatCannotBeJudged(t *testing.T) {
	t.Parallel()
	mapper := func(err error) sentinel.ToolMapper {
		return sentinel.MapperFunc(func(context.Context, sentinel.Event) ([]sentinel.Action, error) { return nil, err })
	}
	pre := sentinel.Event{Phase: sentinel.PhasePre}
	for _, c := range []struct {
		name    string
		mapper  sentinel.ToolMapper
		event   sentinel.Event
		verdict sentinel.Verdict
		unknown bool
		err     error
	}{
		{"nothing to judge", mapper(nil), pre, sentinel.VerdictAllow, false, nil},
		{"a tool nobody knows", mapper(fmt.Errorf("%w: Frobnicate", sentinel.ErrUnknownTool)), pre, sentinel.VerdictBlock, true, nil},
		{"no mapper", nil, pre, sentinel.VerdictBlock, true, nil},
		{"no phase", mapper(nil), sentinel.Event{}, sentinel.VerdictUndecided, false, sentinel.ErrEvent},
		{"a relative folder", nil, sentinel.Event{Phase: sentinel.PhasePre, Dir: "repo", Actions: []sentinel.Action{{Trigger: sentinel.FileWrite, Path: "a.ts"}}}, sentinel.VerdictUndecided, false, sentinel.ErrEvent},
		{"a relative root", nil, sentinel.Event{Phase: sentinel.PhasePre, Dir: "/repo", Root: ".", Actions: []sentinel.Action{{Trigger: sentinel.FileWrite, Path: "a.ts"}}}, sentinel.VerdictUndecided, false, sentinel.ErrEvent},
		{"an absolute path without a folder", nil, sentinel.Event{Phase: sentinel.PhasePre, Actions: []sentinel.Action{{Trigger: sentinel.FileWrite, Path: "/repo/a.ts"}}}, sentinel.VerdictUndecided, false, sentinel.ErrEvent},
		{"arguments that make no sense", mapper(errors.New("`command` is missing")), pre, sentinel.VerdictUndecided, false, sentinel.ErrEvent},
		{"an action without trigger", nil, sentinel.Event{Phase: sentinel.PhasePre, Actions: []sentinel.Action{{Target: "x"}}}, sentinel.VerdictUndecided, false, sentinel.ErrEvent},
		{"after the tool", mapper(errors.New("never asked")), sentinel.Event{Phase: sentinel.PhasePost}, sentinel.VerdictAllow, false, nil},
		{"another phase", mapper(errors.New("never asked")), sentinel.Event{Phase: sentinel.PhaseStop}, sentinel.VerdictAllow, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := engine(t, &sentinel.Options{Mapper: c.mapper}, aRule("a", sentinel.SeverityBlock)).Evaluate(t.Context(), c.event)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.verdict.String(), d.Verdict.String())
			require.Equal(t, c.unknown, d.Unknown)
			if err != nil {
				require.Contains(t, d.Reason(), "could not be judged")
			}
		})
	}
}

func TestNilOptionsAreStrict(t *testing.T) {
	t.Parallel()
	d, err := engine(t, nil, aRule("a", sentinel.SeverityBlock)).Evaluate(t.Context(), push())
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictBlock, d.Verdict)
	require.Contains(t, d.Reason(), "could not be judged")
}

// TestNewRefusesThresholds: a threshold that no confidence reaches, such as a percentage,
// would let every violation pass.
func TestNewRefusesThresholds(t *testing.T) {
	for threshold, refused := range map[float64]bool{-1: false, 0: false, 1: false, 1.01: true, 70: true, math.Inf(1): true, math.NaN(): true} {
		spec := sentinel.RuleSpec{ID: "a", Source: "a.yaml:1", Threshold: threshold}
		_, ofRule := sentinel.New([]plainRule{{spec}}, nil)
		_, ofAll := sentinel.New([]plainRule{}, &sentinel.Options{Threshold: threshold})
		if !refused {
			require.NoError(t, errors.Join(ofRule, ofAll))
			continue
		}
		require.ErrorContains(t, ofRule, fmt.Sprintf(`rule "a" (a.yaml:1): no confidence reaches a threshold of %v`, threshold))
		require.ErrorContains(t, ofAll, fmt.Sprintf("no confidence reaches Options.Threshold, which is %v", threshold))
		spec.Err = errors.New("broken") // it is noticed anyway
		_, err := sentinel.New([]plainRule{{spec}}, nil)
		require.NoError(t, err)
	}
}

func TestNewJoinsTheErrorsOfAllRules(t *testing.T) {
	t.Parallel()
	_, err := sentinel.New([]sentinel.Rule{nil, aRule("", sentinel.SeverityBlock), aRule("a", sentinel.SeverityBlock), aRule("a", sentinel.SeverityWarn)}, nil)
	require.ErrorContains(t, err, "rule 0 is nil")
	require.ErrorContains(t, err, "rule 1 (.yaml:1) has no id")
	require.ErrorContains(t, err, `rule id "a" is used twice: rule 2 (a.yaml:1) and rule 3 (a.yaml:1)`)
}

// The clock of these tests is synctest's: they take no time, and a deadline that
// is missed by a millisecond fails them.

func hang(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
	<-ctx.Done()
	return sentinel.Response{}, context.Cause(ctx)
}

func TestTheDeadlineHolds(t *testing.T) {
	t.Parallel()
	for name, deaf := range map[string]bool{"a backend that obeys": false, "a backend that ignores its context": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				backend := sentinel.BackendFunc(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
					if req.Rule.Spec().ID == "b" {
						return sentinel.Response{Text: violated}, nil
					}
					if deaf {
						<-release
						return sentinel.Response{Text: clean}, nil
					}
					return hang(ctx, req)
				})
				e := engine(t, &sentinel.Options{Default: "x", Deadline: 10 * time.Second, Backends: map[string]sentinel.Backend{"x": backend}},
					aRule("a", sentinel.SeverityBlock), aRule("b", sentinel.SeverityWarn))
				start := time.Now()
				d, err := e.Evaluate(t.Context(), push())
				require.NoError(t, err)
				require.GreaterOrEqual(t, time.Since(start), 10*time.Second)
				require.LessOrEqual(t, time.Since(start), 10*time.Second+100*time.Millisecond)
				require.Equal(t, []string{"a unavailable", "b violation"}, outcomes(d))
				require.Equal(t, sentinel.VerdictBlock, d.Verdict)
				require.ErrorContains(t, d.Findings[0].Err, "deadline")
				close(release)
			})
		})
	}
}

func TestRulesThatNeverGotTheirTurnAreUnavailable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var rules []sentinel.Rule
		for i := range 8 {
			rules = append(rules, aRule(fmt.Sprint(i), sentinel.SeverityBlock))
		}
		e := engine(t, &sentinel.Options{Default: "x", FailOpen: true, MaxParallel: 2, Deadline: time.Second,
			Backends: map[string]sentinel.Backend{"x": sentinel.BackendFunc(hang)}}, rules...)
		d, err := e.Evaluate(t.Context(), push())
		require.NoError(t, err)
		require.Len(t, d.Findings, 8)
		for _, f := range d.Findings {
			require.Equal(t, sentinel.OutcomeUnavailable, f.Outcome)
		}
	})
}

func TestACertainBlockEndsWhatCannotChangeIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		collectAll bool
		took       time.Duration
		outcomes   []string
	}{
		{"usually", false, 250 * time.Millisecond, []string{"slow skipped", "block violation"}},
		{"collect_all", true, time.Minute, []string{"slow unavailable", "block violation"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := engine(t, &sentinel.Options{Default: "x", Deadline: time.Minute, CollectAll: c.collectAll,
					Backends: map[string]sentinel.Backend{"x": sentinel.BackendFunc(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
						if req.Rule.Spec().ID == "block" {
							return sentinel.Response{Text: violated}, nil
						}
						return hang(ctx, req)
					})}}, aRule("slow", sentinel.SeverityWarn), aRule("block", sentinel.SeverityBlock))
				start := time.Now()
				d, err := e.Evaluate(t.Context(), push())
				require.NoError(t, err)
				require.Equal(t, c.took, time.Since(start))
				require.Equal(t, c.outcomes, outcomes(d))
				require.Equal(t, sentinel.VerdictBlock, d.Verdict)
			})
		})
	}
}

func TestMaxParallelHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		var rules []sentinel.Rule
		for i := range 12 {
			rules = append(rules, aRule(fmt.Sprint(i), sentinel.SeverityWarn))
		}
		e := engine(t, &sentinel.Options{Default: "x", MaxParallel: 3, Backends: map[string]sentinel.Backend{"x": sentinel.BackendFunc(
			func(context.Context, sentinel.Request) (sentinel.Response, error) {
				most.Store(max(most.Load(), now.Add(1)))
				time.Sleep(time.Second)
				now.Add(-1)
				return sentinel.Response{Text: clean}, nil
			})}}, rules...)
		start := time.Now()
		_, err := e.Evaluate(t.Context(), push())
		require.NoError(t, err)
		require.EqualValues(t, 3, most.Load())
		require.Equal(t, 4*time.Second, time.Since(start))
	})
}

func TestCancellationIsAnError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	e := engine(t, &sentinel.Options{Default: "x", FailOpen: true, Backends: map[string]sentinel.Backend{"x": sentinel.BackendFunc(
		func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
			cancel()
			return hang(ctx, req)
		})}},
		aRule("a", sentinel.SeverityBlock))
	d, err := e.Evaluate(ctx, push())
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, sentinel.VerdictUndecided, d.Verdict)
}

func TestExplainNamesTheRulesThatDoNotApply(t *testing.T) {
	t.Parallel()
	e := engine(t, &sentinel.Options{Default: "x", Explain: true, Backends: map[string]sentinel.Backend{"x": answers(map[string]string{"a": clean})}},
		aRule("files", sentinel.SeverityBlock, func(r *testRule) { r.spec.Trigger = sentinel.FileWrite }), aRule("a", sentinel.SeverityBlock))
	d, err := e.Evaluate(t.Context(), push())
	require.NoError(t, err)
	require.Equal(t, []string{"a pass", "files skipped"}, outcomes(d))
	require.Equal(t, "does not apply: trigger", d.Findings[1].Reason)
	require.Contains(t, d.Findings[0].Attempts[0].Request.Prompt, "RULE a")
}

func TestJoinTakesTheStrictest(t *testing.T) {
	t.Parallel()
	v := func(v sentinel.Verdict) sentinel.Decision { return sentinel.Decision{Verdict: v} }
	for _, c := range []struct {
		in   []sentinel.Decision
		want sentinel.Verdict
	}{
		{nil, sentinel.VerdictUndecided},
		{[]sentinel.Decision{v(sentinel.VerdictWarn)}, sentinel.VerdictWarn},
		{[]sentinel.Decision{v(sentinel.VerdictAllow), v(sentinel.VerdictAsk), v(sentinel.VerdictWarn)}, sentinel.VerdictAsk},
		{[]sentinel.Decision{v(sentinel.VerdictAllow), v(sentinel.VerdictUndecided)}, sentinel.VerdictUndecided},
		{[]sentinel.Decision{v(sentinel.VerdictUndecided), v(sentinel.VerdictBlock)}, sentinel.VerdictBlock},
	} {
		require.Equal(t, c.want, sentinel.Join(c.in...).Verdict)
	}
}

func TestAsFindsThroughWrappers(t *testing.T) {
	t.Parallel()
	p, ok := sentinel.As[sentinel.Pinger](wrapper{wrapper{pinger{}}})
	require.True(t, ok)
	require.NoError(t, p.Ping(t.Context(), ""))
	_, ok = sentinel.As[sentinel.Warmer](wrapper{pinger{}})
	require.False(t, ok)
}

type wrapper struct{ sentinel.Backend }

func (w wrapper) Unwrap() sentinel.Backend { return w.Backend }

type pinger struct{ sentinel.BackendFunc }

func (pinger) Ping(context.Context, string) error { return nil }
