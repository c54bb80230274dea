package sentinel_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Match asks nothing, and says which rules are about which actions; Waive takes
// rules out before they are judged.
func TestMatchThenJudge(t *testing.T) {
	t.Parallel()
	only := func(trigger sentinel.Trigger) func(*testRule) {
		return func(r *testRule) { r.spec.Trigger = trigger }
	}
	for _, c := range []struct {
		name     string
		waived   map[string]string
		asked    int64
		verdict  sentinel.Verdict
		outcomes []string
	}{
		{"nothing waived", nil, 2, sentinel.VerdictBlock, []string{"a violation", "b violation"}},
		{"one waived", map[string]string{"a": "paused"}, 1, sentinel.VerdictBlock, []string{"a skipped", "b violation"}},
		{"all waived", map[string]string{"a": "paused", "b": "paused"}, 0, sentinel.VerdictAllow, []string{"a skipped", "b skipped"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			e := engine(t, &sentinel.Options{Default: "judge", CollectAll: true, Backends: map[string]sentinel.Backend{
				"judge": sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
					asked.Add(1)
					return sentinel.Response{Text: violated}, nil
				}),
			}}, aRule("a", sentinel.SeverityBlock), aRule("elsewhere", sentinel.SeverityBlock, only(sentinel.MCP)), aRule("b", sentinel.SeverityBlock))
			docket, err := e.Match(t.Context(), push())
			require.NoError(t, err)
			require.False(t, docket.Empty())
			require.Zero(t, asked.Load(), "matching asks no judge")
			var ids []string
			for rule, action := range docket.Matches() {
				ids = append(ids, rule.Spec().ID)
				require.Equal(t, sentinel.Bash, action.Trigger)
			}
			require.Equal(t, []string{"a", "b"}, ids)
			for rule := range docket.Matches() { // a loop may end early
				require.Equal(t, "a", rule.Spec().ID)
				break
			}
			docket.Waive(func(r *sentinel.RuleSpec) string { return c.waived[r.ID] })
			d, err := docket.Judge(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.verdict, d.Verdict)
			require.Equal(t, c.outcomes, outcomes(d))
			require.Equal(t, c.asked, asked.Load())
			for _, f := range d.Findings {
				require.Equal(t, f.Outcome == sentinel.OutcomeSkipped, f.Waived)
				require.Equal(t, f.Waived, f.Reason == "paused")
			}
		})
	}
}

func TestUnknownTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		option   sentinel.UnknownTool
		failOpen bool
		verdict  sentinel.Verdict
	}{
		{sentinel.UnknownByFailOpen, true, sentinel.VerdictAllow},
		{sentinel.UnknownByFailOpen, false, sentinel.VerdictBlock},
		{sentinel.UnknownAllow, false, sentinel.VerdictAllow},
		{sentinel.UnknownDeny, true, sentinel.VerdictBlock},
		{99, true, sentinel.VerdictBlock},
	} {
		e := engine(t, &sentinel.Options{UnknownTool: c.option, FailOpen: c.failOpen})
		docket, err := e.Match(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Tool: sentinel.ToolCall{Name: "Frobnicate"}})
		require.NoError(t, err)
		require.Equal(t, c.verdict == sentinel.VerdictAllow, docket.Empty())
		d, err := docket.Judge(t.Context())
		require.NoError(t, err)
		require.True(t, d.Unknown)
		require.Equal(t, c.verdict, d.Verdict)
		if c.verdict == sentinel.VerdictBlock {
			require.ErrorIs(t, d.Err, sentinel.ErrUnknownTool)
			require.Contains(t, d.Reason(), "Frobnicate")
		}
	}
}

// An action says as much as its caller knows; the engine makes the rest from that,
// and an action that says too little is an error and never "no rule is about it".
func TestActionsAreCompleted(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "src"), 0o700))
	linked := os.Symlink("src", filepath.Join(root, "alias")) == nil || runtime.GOOS != "windows"
	base := func(forms ...string) []string { return forms }
	for _, c := range []struct {
		name   string
		given  sentinel.Action
		target string
		forms  []string
		err    string
	}{
		{"a path", sentinel.Action{Trigger: sentinel.FileWrite, Path: "src/a.ts"}, "src/a.ts", base("src/a.ts"), ""},
		{"a target", sentinel.Action{Trigger: sentinel.FileRead, Target: "src/a.ts"}, "src/a.ts", base("src/a.ts"), ""},
		{"an absolute path", sentinel.Action{Trigger: sentinel.FileWrite, Path: filepath.Join(root, "src", "a.ts")}, "src/a.ts", base("src/a.ts"), ""},
		{"a way round", sentinel.Action{Trigger: sentinel.FileWrite, Path: "docs/../src/a.ts"}, "src/a.ts", base("src/a.ts"), ""},
		{"a link", sentinel.Action{Trigger: sentinel.FileWrite, Path: "alias/a.ts"}, "alias/a.ts", base("alias/a.ts", "src/a.ts"), ""},
		{"a command", sentinel.Action{Trigger: sentinel.Bash, Target: "git push"}, "git push", base("git push"), ""},
		{"a form of a command", sentinel.Action{Trigger: sentinel.Bash, Forms: base("git push")}, "git push", base("git push"), ""},
		{"an MCP call", sentinel.Action{Trigger: sentinel.MCP, Server: "pg", MCPTool: "query"}, "pg:query", base("pg:query", "query", "pg"), ""},
		{"an MCP target", sentinel.Action{Trigger: sentinel.MCP, Target: "pg:query"}, "pg:query", base("pg:query", "query", "pg"), ""},
		{"a trigger of one's own", sentinel.Action{Trigger: "mail", Target: "to@example.org"}, "to@example.org", nil, ""},
		{"no path", sentinel.Action{Trigger: sentinel.FileWrite, Content: "x"}, "", nil, "has no path"},
		{"no command", sentinel.Action{Trigger: sentinel.Bash, Target: "  "}, "", nil, "has no command"},
		{"no server", sentinel.Action{Trigger: sentinel.MCP, Target: "query"}, "", nil, "has no MCP server and tool"},
		{"no trigger", sentinel.Action{Target: "x"}, "", nil, "has no trigger"},
		{"no target", sentinel.Action{Trigger: "mail"}, "", nil, "has no target"},
		{"a slip", sentinel.Action{Trigger: "file_wirte", Target: "src/a.ts"}, "", nil,
			`action 0 of tool "tool" has the trigger "file_wirte": an action has file_write, file_read, bash or mcp, or a trigger that a rule of this engine has`},
		{"a slip that is whole", sentinel.Action{Trigger: "file_wirte", Target: "src/a.ts", Forms: base("src/a.ts")}, "", nil, `the trigger "file_wirte"`},
		{"a trigger of rules", sentinel.Action{Trigger: sentinel.Any, Target: "src/a.ts"}, "", nil, `the trigger "any"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.name == "a link" && !linked {
				t.Skip("Windows lets this user make no symbolic links")
			}
			given := []sentinel.Action{c.given}
			e := engine(t, nil, aRule("a", sentinel.SeverityBlock), aRule("b", sentinel.SeverityBlock, func(r *testRule) { r.spec.Trigger = "mail" }))
			docket, err := e.Match(t.Context(), sentinel.Event{
				Phase: sentinel.PhasePre, Agent: "ours", Dir: root, Tool: sentinel.ToolCall{Name: "tool"}, Actions: given,
			})
			require.Equal(t, []sentinel.Action{c.given}, given, "the caller's actions stay as they are")
			if c.err != "" {
				require.ErrorIs(t, err, sentinel.ErrEvent)
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			a := docket.Actions[0]
			require.Equal(t, c.target, a.Target)
			require.Equal(t, c.forms, a.Forms)
			require.Equal(t, []string{"ours", "tool", root, root, fmt.Sprint(true)}, []string{a.Agent, a.Tool, a.Dir, a.Root, fmt.Sprint(a.Certain)})
			require.Equal(t, a.Trigger == sentinel.Bash, a.Command != nil)
		})
	}
}

// A rule of its own type that names no trigger may be about any: only its Match knows.
func TestARuleWithoutATriggerMayBeAboutAny(t *testing.T) {
	t.Parallel()
	e := engine(t, nil, aRule("a", sentinel.SeverityBlock, func(r *testRule) {
		r.spec.Trigger = ""
		r.match = func(a *sentinel.Action) sentinel.Match {
			return sentinel.Match{OK: a.Trigger == "mail", Why: "trigger"}
		}
	}))
	d, err := e.Evaluate(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Actions: []sentinel.Action{{Trigger: "mail", Target: "to@example.org"}}})
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictBlock, d.Verdict)
}

// A rule of its own type that says nothing is not about the action, also where findings say
// of each rule why it is not.
func TestARuleThatSaysNothingDoesNotApply(t *testing.T) {
	t.Parallel()
	silent := aRule("silent", sentinel.SeverityBlock, func(r *testRule) {
		r.match = func(*sentinel.Action) sentinel.Match { return sentinel.Match{} }
	})
	for _, explain := range []bool{false, true} {
		d, err := engine(t, &sentinel.Options{Explain: explain}, silent).Evaluate(t.Context(), push())
		require.NoError(t, err)
		require.Equal(t, sentinel.VerdictAllow, d.Verdict)
		require.True(t, d.Quiet())
		require.Empty(t, d.Concluded())
		require.Empty(t, telemetry.Records(time.Now(), push(), d, nil, 0))
		require.Equal(t, explain, len(d.Findings) == 1)
		for i := range d.Findings {
			require.False(t, d.Findings[i].Applies())
			require.Equal(t, "does not apply: the rule does not say why", d.Findings[i].Reason)
		}
	}
}

// An event of a phase that there is not is as one without a phase: nothing is judged.
func TestPhasesThatThereAreNot(t *testing.T) {
	t.Parallel()
	for _, rules := range [][]sentinel.Rule{nil, {aRule("a", sentinel.SeverityBlock)}} {
		e := engine(t, nil, rules...)
		for phase := range sentinel.Phase(255) {
			ev := push()
			ev.Phase = phase
			d, err := e.Evaluate(t.Context(), ev)
			if phase >= sentinel.PhaseStart && phase <= sentinel.PhasePermission {
				require.NoError(t, err, phase)
				require.NotEqual(t, sentinel.VerdictUndecided, d.Verdict, phase)
				continue
			}
			require.ErrorIs(t, err, sentinel.ErrEvent, phase)
			require.ErrorContains(t, err, "set Event.Phase")
			require.Equal(t, sentinel.VerdictUndecided, d.Verdict, phase)
		}
	}
}

// Rules of any one type go into New as they are.
func TestNewTakesRulesOfAnyType(t *testing.T) {
	t.Parallel()
	e, err := sentinel.New([]*testRule{{spec: sentinel.RuleSpec{ID: "a", Trigger: sentinel.Any}}}, nil)
	require.NoError(t, err)
	docket, err := e.Match(t.Context(), push())
	require.NoError(t, err)
	require.False(t, docket.Empty())

	_, err = sentinel.New([]*testRule{nil, {}}, nil)
	require.ErrorContains(t, err, "rule 0")
	require.ErrorContains(t, err, "rule 1 has no id")
	_, err = sentinel.New([]sentinel.Rule{nil}, nil)
	require.ErrorContains(t, err, "rule 0 is nil")
}

// A pastRule notes what its methods see of the session.
type pastRule struct {
	testRule
	saw map[string]sentinel.Past // by method
}

func (r *pastRule) Match(a *sentinel.Action) sentinel.Match {
	r.saw["Match"] = a.Past
	return r.testRule.Match(a)
}

func (r *pastRule) When(_ context.Context, a *sentinel.Action, _ sentinel.Match) (bool, error) {
	r.saw["When"] = a.Past
	return r.when()
}

func (r *pastRule) Doubtful(_ context.Context, a *sentinel.Action, _ sentinel.Match) (bool, error) {
	r.saw["Doubtful"] = a.Past
	return false, nil
}

func (r *pastRule) Tell(_ context.Context, a *sentinel.Action, _ sentinel.Match) (string, map[string]string) {
	r.saw["Tell"] = a.Past
	return "", nil
}

func (r *pastRule) Asked(_ context.Context, a *sentinel.Action, _ sentinel.Match) string {
	r.saw["Asked"] = a.Past
	return ""
}

// A began is when a session began, and all that is known of it.
type began time.Time

func (b *began) Started() time.Time       { return time.Time(*b) }
func (*began) Made(string) (at time.Time) { return at }

// Only rules and judges see what a session did. The decision does not contain it, and the
// event stays as it was.
func TestRulesSeeThePast(t *testing.T) {
	t.Parallel()
	past := new(began)
	for _, c := range []struct {
		name     string
		when     bool
		exact    bool
		requests []string
		saw      []string
	}{
		{"exact", true, true, nil, []string{"Match", "When", "Doubtful", "Tell"}},
		{"by a model", true, false, nil, []string{"Match", "When", "judge"}},
		{"with what a person asked for", false, false, []string{"Push it."}, []string{"Match", "When", "Asked"}},
	} {
		for _, known := range []sentinel.Past{nil, past} {
			r := &pastRule{saw: map[string]sentinel.Past{}}
			r.spec = sentinel.RuleSpec{ID: "a", Trigger: sentinel.Any, Severity: sentinel.SeverityAsk, Prompt: "P", Exact: c.exact, Doubts: c.exact, Requests: true}
			r.when = func() (bool, error) { return c.when, nil }
			opts := &sentinel.Options{Default: "x", Requests: func(sentinel.Event) []string { return c.requests }, Backends: map[string]sentinel.Backend{
				"x": sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
					r.saw["judge"] = req.Action.Past
					require.Equal(t, c.requests, req.Action.Requests)
					return sentinel.Response{Text: violated}, nil
				}),
			}}
			ev := push()
			ev.Past = known
			d, err := engine(t, opts, r).Evaluate(t.Context(), ev)
			require.NoError(t, err, c.name)
			want := map[string]sentinel.Past{}
			for _, method := range c.saw {
				want[method] = known
			}
			want["Match"] = nil // it is about the call alone
			require.Equal(t, want, r.saw, c.name)
			require.Equal(t, []any{nil, nil, nil}, []any{ev.Actions[0].Past, d.Actions[0].Past, d.Findings[0].Action.Past}, c.name)
		}
	}
}
