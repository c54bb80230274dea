package sentinel_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/schemagen"
	"github.com/agentsentinel/sentinel/shell"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden is a decision with everything that one can have.
func golden() sentinel.Decision {
	p := 0.93
	actions := []sentinel.Action{
		{Trigger: sentinel.Bash, Agent: "claude", Tool: "Bash", Target: "cd src && git push --force", Forms: []string{"cd src && git push --force"}, Root: "/repo", Dir: "/repo", Certain: true,
			Command: shell.Parse("cd src && git push --force", nil)},
		{Trigger: sentinel.FileWrite, Op: sentinel.OpEdit, Target: "src/a.ts", Path: "src/a.ts", Forms: []string{"src/a.ts"}, Content: "let a = 1 < 2", Old: "a", DerivedFrom: "sed", Requests: []string{"Rename <a>."}},
		{Trigger: sentinel.MCP, Target: "pg:query", Server: "pg", MCPTool: "query", Args: json.RawMessage(`{"sql": "select <1>"}`)},
	}
	rule := &sentinel.RuleSpec{ID: "no-force", Source: ".claude/sentinel/rules/no-force.yaml:1", Trigger: sentinel.Any, Severity: sentinel.SeverityBlock, Requests: true,
		Backend: "ollama", Model: "m", Fallback: []string{"builtin"}, Timeout: 5 * time.Second, Threshold: 0.5}
	return sentinel.Decision{
		ID: "k3v9aa72bc", Verdict: sentinel.VerdictBlock, Actions: actions, Took: 1200 * time.Microsecond, Notice: "the judge is back", Code: "K7QX", Program: "oursentinel",
		Findings: []sentinel.Finding{
			{Rule: rule, Action: &actions[0], Match: sentinel.Match{OK: true, Pattern: "git push*", Form: "git push --force", Command: &actions[0].Command.Commands[1], Spans: []shell.Span{{Start: 10, End: 26}}, Within: []string{"sudo"}},
				Outcome: sentinel.OutcomeViolation, Verdict: sentinel.VerdictBlock, Confidence: 0.9, Reason: "it overwrites history", Message: "No force.", Subject: "git push --force", Took: 41 * time.Millisecond, Tainted: true, Disputed: true,
				Response: sentinel.Response{Text: `{"violation":true}`, Backend: "ollama", Model: "m", PromptTokens: 200, OutputTokens: 20, Waited: time.Millisecond, Took: 40 * time.Millisecond, PTrue: &p},
				Attempts: []sentinel.Attempt{{Backend: "ollama", Request: sentinel.Request{System: "s", Prompt: "p <b>", Model: "m"}, Response: sentinel.Response{Text: `{"violation":true}`, Backend: "ollama", Model: "m"}}}},
			{Rule: &sentinel.RuleSpec{ID: "later", Trigger: sentinel.FileWrite, Severity: sentinel.SeverityWarn, Shadow: true}, Action: &actions[1], Match: sentinel.Match{OK: true},
				Outcome: sentinel.OutcomeSkipped, Verdict: sentinel.VerdictAllow, Reason: "is judged after the answer", Deferred: true},
			{Rule: &sentinel.RuleSpec{ID: "note", Trigger: sentinel.MCP, Severity: sentinel.SeverityInfo, Post: true}, Action: &actions[2], Match: sentinel.Match{OK: true},
				Outcome: sentinel.OutcomePass, Verdict: sentinel.VerdictAllow, Confidence: 1, Advice: "Mind the costs.", Muted: true},
			{Rule: &sentinel.RuleSpec{ID: "down", Trigger: sentinel.Bash, Severity: sentinel.SeverityAsk}, Action: &actions[0], Match: sentinel.Match{OK: true},
				Outcome: sentinel.OutcomeUnavailable, Verdict: sentinel.VerdictAllow, Waived: true, Reason: "could not be judged: busy", Err: fmt.Errorf("ollama: %w", sentinel.ErrBusy)},
		},
	}
}

// The JSON form is fixed: scripts, logs and caches of other versions read it.
func TestDecisionJSON(t *testing.T) {
	t.Parallel()
	got, err := json.MarshalIndent(golden(), "", "  ")
	require.NoError(t, err)
	const file = "testdata/decision.json"
	if *update {
		require.NoError(t, os.WriteFile(file, append(got, '\n'), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got)+"\n")
	var d sentinel.Decision
	require.NoError(t, json.Unmarshal(want, &d))
	requireSame(t, golden(), d)
	require.Same(t, &d.Actions[0].Command.Commands[1], d.Findings[0].Match.Command)
}

// requireSame compares two decisions, errors by text and kind.
func requireSame(t *testing.T, want, got sentinel.Decision) {
	t.Helper()
	errs := func(d *sentinel.Decision) (all []string) {
		take := func(err *error) {
			all = append(all, fmt.Sprint(*err, errors.Is(*err, sentinel.ErrBusy), errors.Is(*err, sentinel.ErrEvent), errors.Is(*err, context.Canceled), errors.Is(*err, sentinel.ErrRefused)))
			*err = nil
		}
		take(&d.Err)
		for i := range d.Findings {
			take(&d.Findings[i].Err)
			for k := range d.Findings[i].Attempts {
				take(&d.Findings[i].Attempts[k].Err)
			}
		}
		return all
	}
	require.Equal(t, errs(&want), errs(&got))
	for i := range want.Actions {
		want.Actions[i].Command = written(want.Actions[i].Command)
	}
	require.Equal(t, want, got)
}

// written is a line as far as it is written: what proves that its commands succeeded is not.
func written(l *shell.Line) *shell.Line {
	if l == nil {
		return nil
	}
	out := &shell.Line{Text: l.Text, Commands: l.Commands, Effects: l.Effects, Unparsed: l.Unparsed, Bounded: l.Bounded, Carried: l.Carried}
	for i := range out.Carried {
		out.Carried[i] = written(out.Carried[i])
	}
	return out
}

// No field of a decision is lost on the way through JSON.
func TestDecisionJSONIsLossless(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := anyDecision(r)
		data, err := json.Marshal(d)
		require.NoError(t, err)
		var got sentinel.Decision
		require.NoError(t, json.Unmarshal(data, &got), "%s", data)
		again, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, string(data), string(again))
		requireSame(t, d, got)
	}
}

// anyDecision fills each field of a decision by chance. Fields that JSON leaves
// out by contract stay empty.
func anyDecision(r *rand.Rand) sentinel.Decision {
	var d sentinel.Decision
	fillAny(r, reflect.ValueOf(&d).Elem())
	d.Took = d.Took.Truncate(time.Microsecond)
	for i := range d.Actions {
		a := &d.Actions[i]
		a.Command, a.Turn, a.Effects = nil, nil, nil
		a.Args = json.RawMessage(`{"a": "< b"}`)
	}
	if len(d.Actions) == 0 {
		d.Findings = nil
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		f.Action = &d.Actions[r.IntN(len(d.Actions))]
		if f.Rule == nil {
			f.Rule = &sentinel.RuleSpec{}
		}
		f.Rule.Prompt, f.Rule.Message, f.Rule.Err, f.Match.Command = "", "", nil, nil
		for k := range f.Attempts {
			req := &f.Attempts[k].Request
			*req = sentinel.Request{System: req.System, Prompt: req.Prompt, Model: req.Model}
		}
	}
	return d
}

func fillAny(r *rand.Rand, v reflect.Value) {
	if r.IntN(4) == 0 {
		return // the zero value
	}
	switch v.Interface().(type) {
	case sentinel.Severity, sentinel.Outcome, sentinel.Verdict:
		v.SetUint(uint64(r.IntN(5)))
		return
	case sentinel.Op, sentinel.Phase, sentinel.Result:
		v.SetUint(uint64(r.IntN(4)))
		return
	case time.Duration:
		v.SetInt(int64(time.Duration(r.IntN(1e9)) * time.Microsecond))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fillAny(r, v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(2), 2))
		for i := range v.Len() {
			fillAny(r, v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAny(r, v.Elem())
	case reflect.String:
		v.SetString([]string{"a", "b <c> & \u2028", "größer", "\x00\n"}[r.IntN(4)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int:
		v.SetInt(int64(r.IntN(1000)))
	case reflect.Float64:
		v.SetFloat(r.Float64())
	case reflect.Uint8:
		v.SetUint(uint64('x'))
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[error]() {
			errs := []error{errors.New("x"), fmt.Errorf("a: %w", sentinel.ErrBusy), sentinel.ErrOverBudget, context.Canceled}
			v.Set(reflect.ValueOf(errs[r.IntN(len(errs))]))
		}
	}
}

func TestDecisionJSONIsChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want error
		text string
	}{
		"newer":              {`{"version":2}`, sentinel.ErrJSONVersion, "version 2, and this program reads 1"},
		"older":              {`{"decision":"allow"}`, nil, ""},
		"unknown verdict":    {`{"version":1,"decision":"maybe"}`, nil, `unknown verdict "maybe"`},
		"unknown outcome":    {`{"version":1,"decision":"allow","findings":[{"severity":"block","verdict":"allow","outcome":"perhaps"}]}`, nil, `unknown outcome "perhaps"`},
		"unknown severity":   {`{"version":1,"decision":"allow","findings":[{"severity":"fatal","verdict":"allow","outcome":"pass"}]}`, nil, `unknown severity "fatal"`},
		"unknown operation":  {`{"version":1,"decision":"allow","actions":[{"operation":"burn"}]}`, nil, `unknown operation "burn"`},
		"no such action":     {`{"version":1,"decision":"allow","findings":[{"severity":"block","verdict":"allow","outcome":"pass","action":0}]}`, nil, "there is no action 0"},
		"no such command":    {`{"version":1,"decision":"allow","actions":[{}],"findings":[{"severity":"block","verdict":"allow","outcome":"pass","action":0,"match":{"command":3}}]}`, nil, "there is no command 3"},
		"not an object":      {`[]`, nil, "cannot unmarshal"},
		"a negative command": {`{"version":1,"decision":"allow","actions":[{"command":{}}],"findings":[{"severity":"block","verdict":"allow","outcome":"pass","action":0,"match":{"command":-1}}]}`, nil, "there is no command -1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d sentinel.Decision
			err := json.Unmarshal([]byte(c.in), &d)
			if c.text == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.text)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
			}
			require.Empty(t, d, "a decision that cannot be read is none")
		})
	}
}

func FuzzDecisionJSON(f *testing.F) {
	data, err := json.Marshal(golden())
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d sentinel.Decision
		if json.Unmarshal(data, &d) != nil {
			return
		}
		first, err := json.Marshal(d)
		require.NoError(t, err)
		var again sentinel.Decision
		require.NoError(t, json.Unmarshal(first, &again))
		second, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(first), string(second))
	})
}

// TestDecisionSchema holds the schema of a decision against its type, and a decision
// against the schema. -update writes it.
func TestDecisionSchema(t *testing.T) {
	t.Parallel()
	s, err := schemagen.Output(schemagen.OutputID("decision.json"), "A decision of Sentinel", nil, sentinel.DecisionJSON)
	require.NoError(t, err)
	data, err := schemagen.Marshal(s)
	require.NoError(t, err)
	schemagen.Golden(t, filepath.Join("docs", "reference", "json", fmt.Sprintf("v%d", schemagen.OutputVersion), "decision.json"), data, *update)
	printed, err := json.Marshal(golden())
	require.NoError(t, err)
	require.NoError(t, schemagen.Validate(s, printed))
	require.Error(t, schemagen.Validate(s, append(printed[:len(printed)-1], `,"more":1}`...)))
}
