package sentinel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

const reminder = `{"context":"Mind the CHANGELOG."}`

func pushed() sentinel.Event {
	ev := push()
	ev.Phase, ev.Session = sentinel.PhasePost, "s1"
	ev.Tool = sentinel.ToolCall{Name: "Bash", Output: "To origin: forced update"}
	return ev
}

func postRule(id string, change ...func(*testRule)) sentinel.Rule {
	return aRule(id, sentinel.SeverityInfo, append([]func(*testRule){func(r *testRule) { r.spec.Post = true }}, change...)...)
}

// always is a backend that says the same to everybody.
func always(text string) sentinel.BackendFunc {
	return func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{Text: text, Model: "m"}, nil
	}
}

func failing(err error) sentinel.BackendFunc {
	return func(context.Context, sentinel.Request) (sentinel.Response, error) { return sentinel.Response{}, err }
}

func TestAdviceAfterTheTool(t *testing.T) {
	t.Parallel()
	long := `{"context":"` + strings.Repeat("word ", 100) + `"}`
	for _, c := range []struct {
		name     string
		backend  sentinel.BackendFunc
		rules    []sentinel.Rule
		failOpen bool
		noModel  bool
		outcomes []string
		context  []string
	}{
		{name: "a text", backend: always(reminder), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a pass"}, context: []string{"Mind the CHANGELOG."}},
		{name: "rules before the tool are silent", backend: always(reminder), rules: []sentinel.Rule{aRule("b", sentinel.SeverityBlock), aRule("i", sentinel.SeverityInfo), postRule("a")},
			outcomes: []string{"a pass"}, context: []string{"Mind the CHANGELOG."}},
		{name: "nothing needs saying", backend: always(`{"context":" \n"}`), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a pass"}},
		{name: "at most 80 words", backend: always(long), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a pass"},
			context: []string{strings.Repeat("word ", 80) + "…"}},
		{name: "nothing invisible", backend: always("{\"context\":\"a\u202eb\\u001b[2J\\nc\"}"), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a pass"}, context: []string{`a\u202eb\u001b[2J c`}},
		{name: "prose", backend: always("Mind the CHANGELOG."), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a unavailable"}},
		{name: "a verdict", backend: always(violated), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a unavailable"}},
		{name: "a key too many", backend: always(`{"context":"x","y":1}`), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a unavailable"}},
		{name: "another case", backend: always(`{"Context":"x"}`), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a unavailable"}},
		{name: "not a text", backend: always(`{"context":["x"]}`), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a unavailable"}},
		{name: "two answers", backend: always(reminder + reminder), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a unavailable"}},
		{name: "cut", backend: always(reminder[:12]), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a unavailable"}},
		{name: "down and strict", backend: failing(sentinel.ErrUnavailable), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a unavailable"}},
		{name: "down and open", backend: failing(sentinel.ErrUnavailable), failOpen: true, rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a unavailable"}},
		{name: "busy", backend: failing(fmt.Errorf("the GPU: %w", sentinel.ErrBusy)), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a skipped"}},
		{name: "over budget", backend: failing(sentinel.ErrOverBudget), rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a skipped"}},
		{name: "no model", backend: always(reminder), noModel: true, rules: []sentinel.Rule{postRule("a")}, outcomes: []string{"a skipped"}},
		{name: "builtin writes no texts", rules: []sentinel.Rule{postRule("a", func(r *testRule) { r.spec.Backend = sentinel.Builtin })}, outcomes: []string{"a skipped"}},
		{name: "its `when` is false", backend: always(reminder), rules: []sentinel.Rule{postRule("a", func(r *testRule) { r.when = func() (bool, error) { return false, nil } })}, outcomes: []string{"a pass"}},
		{name: "a rule that panics", backend: always(reminder), rules: []sentinel.Rule{postRule("a", func(r *testRule) { r.when = func() (bool, error) { panic("oh") } })}, outcomes: []string{"a unavailable"}},
		{name: "a severity that has no advice", backend: always(reminder), rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, func(r *testRule) { r.spec.Post = true })},
			outcomes: []string{"a pass"}, context: []string{"Mind the CHANGELOG."}},
		{name: "broken and strict", backend: always(reminder), rules: []sentinel.Rule{aRule("a", sentinel.SeverityBlock, func(r *testRule) { r.spec.Post, r.spec.Err = true, errors.New("line 3") })},
			outcomes: []string{"a unavailable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := engine(t, &sentinel.Options{Default: "x", FailOpen: c.failOpen, NoModel: c.noModel, Backends: map[string]sentinel.Backend{"x": c.backend}}, c.rules...)
			d, err := e.Evaluate(t.Context(), pushed())
			require.NoError(t, err)
			require.Equal(t, sentinel.VerdictAllow, d.Verdict, "nothing can be stopped any more")
			require.Empty(t, d.Reason())
			require.Equal(t, c.outcomes, outcomes(d))
			var context []string
			for _, text := range c.context {
				context = append(context, "from a.yaml: "+text)
			}
			require.Equal(t, context, d.Context())
		})
	}
}

// An answer that repeats the fence was dictated by what the tool returned. It
// is not advice, and still stops nothing.
func TestAdviceThatWasDictated(t *testing.T) {
	t.Parallel()
	b := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		_, rest, _ := strings.Cut(req.Prompt, "BEGIN DATA ")
		fence, _, _ := strings.Cut(rest, " ")
		return sentinel.Response{Text: `{"context":"` + fence + `"}`}, nil
	})
	d, err := engine(t, &sentinel.Options{Default: "x", Backends: map[string]sentinel.Backend{"x": b}}, postRule("a")).Evaluate(t.Context(), pushed())
	require.NoError(t, err)
	require.Equal(t, []string{"a unavailable"}, outcomes(d))
	require.ErrorIs(t, d.Findings[0].Err, sentinel.ErrMalformed)
	require.Equal(t, sentinel.VerdictAllow, d.Verdict)
	require.Empty(t, d.Context())
}

// Who is asked: the rule's own backend and model, else the default; then the
// fallbacks that ask a model.
func TestWhoGivesAdvice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		spec     sentinel.RuleSpec
		global   string
		fallback []string
		asked    []string
	}{
		{name: "the default", global: "g", asked: []string{"g:"}},
		{name: "the rule's model", spec: sentinel.RuleSpec{Model: "rm"}, global: "g", asked: []string{"g:rm"}},
		{name: "the rule's backend", spec: sentinel.RuleSpec{Backend: "r"}, global: "g", asked: []string{"r:"}},
		{name: "both", spec: sentinel.RuleSpec{Backend: "c", Model: "cm"}, global: "g", asked: []string{"c:cm"}},
		{name: "a fallback", spec: sentinel.RuleSpec{Model: "rm"}, global: "g", fallback: []string{"f", "builtin"}, asked: []string{"g:rm", "f:"}},
		{name: "the rule's fallback", spec: sentinel.RuleSpec{Fallback: []string{"r"}}, global: "g", fallback: []string{"f"}, asked: []string{"g:", "r:"}},
		{name: "a fallback for builtin", spec: sentinel.RuleSpec{Backend: "builtin", Model: "cm", Fallback: []string{"r"}}, asked: []string{"r:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			backends := map[string]sentinel.Backend{}
			for _, name := range []string{"g", "c", "r", "f", "builtin"} {
				backends[name] = sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
					asked = append(asked, name+":"+req.Model)
					require.Equal(t, sentinel.PrioritySynthesizer, req.Priority)
					require.NoError(t, req.Valid(reminder))
					require.ErrorIs(t, req.Valid(violated), sentinel.ErrMalformed)
					require.True(t, json.Valid(req.Schema))
					return sentinel.Response{}, sentinel.ErrUnavailable
				})
			}
			e := engine(t, &sentinel.Options{Default: c.global, Fallback: c.fallback, Backends: backends},
				postRule("a", func(r *testRule) {
					r.spec.Backend, r.spec.Model, r.spec.Fallback = c.spec.Backend, c.spec.Model, c.spec.Fallback
				}))
			_, err := e.Evaluate(t.Context(), pushed())
			require.NoError(t, err)
			require.Equal(t, c.asked, asked)
		})
	}
}

// A rule sees the session's summary, where there is one, and where its prompt does
// not name something else.
func TestSummary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		rules   []sentinel.Rule
		session string
		shown   []string
		missing []string
	}{
		{name: "no rule applies", rules: []sentinel.Rule{postRule("a", func(r *testRule) { r.spec.Trigger = sentinel.MCP })}, session: "Task scope: x"},
		{name: "two rules", rules: []sentinel.Rule{postRule("a"), postRule("b")}, session: "Task scope: invoices",
			shown: []string{"RULE a", "run command: git push --force", "What the tool returned: ", "To origin: forced update", "The session so far: ", "Task scope: invoices"}},
		{name: "nothing is known of it", rules: []sentinel.Rule{postRule("a")},
			shown: []string{"RULE a", "To origin: forced update"}, missing: []string{"The session so far"}},
		{name: "the prompt names the output", rules: []sentinel.Rule{postRule("a", func(r *testRule) { r.spec.Prompt = "RULE a {{tool_output}}" })}, session: "Task scope: invoices",
			shown: []string{"run command: git push --force", "To origin: forced update"}, missing: []string{"invoices", "What the tool returned"}},
		{name: "the prompt names the session", rules: []sentinel.Rule{postRule("a", func(r *testRule) { r.spec.Prompt = "{{command}} in {{session_context}}" })}, session: "Task scope: invoices",
			shown: []string{`"git push --force" in`, "Task scope: invoices"}, missing: []string{"run command", "forced update"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			prompts := make(chan string, 10)
			e := engine(t, &sentinel.Options{
				Default: "x",
				Backends: map[string]sentinel.Backend{"x": sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
					prompts <- req.Prompt
					return sentinel.Response{Text: reminder}, nil
				})},
			}, c.rules...)
			docket, err := e.Match(t.Context(), pushed())
			require.NoError(t, err)
			require.Equal(t, len(c.shown) == 0, docket.Empty())
			docket.Summary = c.session
			_, err = docket.Judge(t.Context())
			require.NoError(t, err)
			if len(c.shown) == 0 {
				require.Empty(t, prompts)
				return
			}
			first := <-prompts
			if strings.Contains(first, "RULE b") {
				first = <-prompts
			}
			for _, text := range c.shown {
				require.Contains(t, first, text)
			}
			for _, text := range c.missing {
				require.NotContains(t, first, text)
			}
		})
	}
}

// Advice keeps the deadline of the event, is not repeated, and a call that it does not
// understand gets none.
func TestAdviceStaysInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hanging := sentinel.BackendFunc(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
			<-ctx.Done()
			return sentinel.Response{}, ctx.Err()
		})
		e := engine(t, &sentinel.Options{Default: "x", Deadline: time.Second, Backends: map[string]sentinel.Backend{"x": hanging}}, postRule("a"))
		start := time.Now()
		d, err := e.Evaluate(t.Context(), pushed())
		require.NoError(t, err)
		require.Equal(t, []string{"a unavailable"}, outcomes(d))
		require.Equal(t, time.Second, time.Since(start))
	})

	e := engine(t, &sentinel.Options{Default: "x", Backends: map[string]sentinel.Backend{"x": always(reminder)}}, postRule("a"))
	d, err := e.Evaluate(t.Context(), pushed())
	require.NoError(t, err)
	require.Len(t, d.Context(), 1)
	d.Mute(func(r *sentinel.RuleSpec, text string) bool { return r.ID == "a" && text == d.Context()[0] })
	require.Empty(t, d.Context())

	mapper := sentinel.MapperFunc(func(context.Context, sentinel.Event) ([]sentinel.Action, error) { return nil, errors.New("nonsense") })
	d, err = engine(t, &sentinel.Options{Mapper: mapper}, postRule("a")).Evaluate(t.Context(), sentinel.Event{Phase: sentinel.PhasePost})
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictAllow, d.Verdict)
	require.ErrorIs(t, d.Err, sentinel.ErrEvent)
}

func FuzzAdvice(f *testing.F) {
	f.Add(reminder)
	f.Add(`{"context":"x"}{"context":"y"}`)
	f.Add(`[{"context":null}]`)
	f.Fuzz(func(t *testing.T, answer string) {
		d, err := engine(t, &sentinel.Options{Default: "x", Backends: map[string]sentinel.Backend{"x": always(answer)}}, postRule("a")).Evaluate(t.Context(), pushed())
		require.NoError(t, err)
		require.Equal(t, sentinel.VerdictAllow, d.Verdict)
		for _, text := range d.Context() {
			require.LessOrEqual(t, len(strings.Fields(text)), 81)
			require.NotContains(t, text, "\n")
			require.NotContains(t, text, "\x1b")
		}
	})
}
