package ruletest_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/ruletest"
	"github.com/agentsentinel/sentinel/trigger"
)

const judged = `trigger: bash
scope: ["deploy *"]
prompt: "{{command}}"
tests:
  - {bash: deploy a, expect: violation, answer: {violation: true, confidence: 0.9, reason: "<b>\x1b[31m"}}
  - {bash: deploy b, expect: violation, answer: {violation: false, confidence: 0.9}}
  - {bash: deploy c, expect: pass, answer: "prose"}
  - {bash: deploy d, expect: pass}
  - {bash: ls, expect: violation}
`

func options() *ruletest.Options {
	return &ruletest.Options{Root: "/p", Engine: sentinel.Options{
		Mapper:   trigger.New(nil),
		Default:  "model",
		Backends: map[string]sentinel.Backend{sentinel.Builtin: builtin.New()},
	}}
}

func TestRun(t *testing.T) {
	t.Parallel()
	steps := 0
	opts := options()
	opts.Progress = func() { steps++ }
	r, err := ruletest.Run(t.Context(), []ruletest.Suite{ruletest.NewSuite("/p/judged.yaml", []byte(judged))}, opts)
	require.NoError(t, err)
	var states []ruletest.State
	for _, res := range r.Results {
		states = append(states, res.State)
	}
	require.Equal(t, []ruletest.State{ruletest.Passed, ruletest.Failed, ruletest.Broken, ruletest.Unanswered, ruletest.Failed}, states)
	require.Contains(t, r.Results[4].Why, "does not apply")
	require.True(t, r.Results[0].Model)
	require.False(t, r.Results[4].Model)
	require.False(t, r.OK())
	require.Equal(t, 5, steps)

	var out strings.Builder
	require.NoError(t, r.WriteJUnit(&out))
	var parsed struct {
		Suites []struct {
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(out.String()), &parsed))
	require.Equal(t, 2, parsed.Suites[0].Failures)
	require.Equal(t, 1, parsed.Suites[0].Errors)
	require.Equal(t, 1, parsed.Suites[0].Skipped)
	require.NotContains(t, out.String(), "\x1b")
}

func TestRunEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ruletest.Run(ctx, []ruletest.Suite{ruletest.NewSuite("judged.yaml", []byte(judged))}, options())
	require.ErrorIs(t, err, context.Canceled)
}

// A model rule that names builtin as its fallback is judged by its expression
// where no answer is recorded.
func TestBuiltinStandsIn(t *testing.T) {
	t.Parallel()
	s := ruletest.NewSuite("r.yaml", []byte("trigger: bash\nwhen: command contains \"x\"\nfallback: [builtin]\nprompt: p\ntests:\n  - {bash: x, expect: violation}\n  - {bash: y, expect: pass}\n"))
	r, err := ruletest.Run(t.Context(), []ruletest.Suite{s}, options())
	require.NoError(t, err)
	require.Equal(t, 2, r.Count(ruletest.Passed), "%+v", r.Results)
}

func TestLive(t *testing.T) {
	t.Parallel()
	opts := options()
	opts.Engine.Backends["model"] = sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		if req.Priority != sentinel.PriorityScribe {
			return sentinel.Response{}, sentinel.ErrUnavailable
		}
		text := `{"violation":false,"confidence":1}`
		if strings.Contains(req.Prompt, "deploy a") {
			text = `{"violation":true,"confidence":0.2,"reason":"r"}`
		}
		return sentinel.Response{Text: text, Model: req.Model, Took: time.Second}, nil
	})
	suites := []ruletest.Suite{ruletest.NewSuite("judged.yaml", []byte(judged))}
	trials, err := ruletest.Live(t.Context(), suites, opts, &ruletest.LiveOptions{Models: []string{"m1", "m2"}, Repeat: 3})
	require.NoError(t, err)
	require.Len(t, trials, 2)
	require.Equal(t, "m2", trials[1].Model)
	require.Equal(t, 12, trials[0].Metrics.Asked)
	require.Equal(t, 6, trials[0].Metrics.FalseNegatives)
	require.InDelta(t, 0.2, trials[0].Metrics.Best, 1e-9)
	require.Equal(t, time.Second, trials[0].Metrics.Median)

	var page strings.Builder
	require.NoError(t, ruletest.Page{Title: "<title>", Trials: trials}.Write(&page))
	require.Contains(t, page.String(), "&lt;title&gt;")
	require.NotContains(t, page.String(), "{{")
}

func TestWrite(t *testing.T) {
	t.Parallel()
	c := ruletest.Case{Case: rule.Case{Bash: "a"}, File: "x.json", Index: 1}
	rec := []ruletest.Recording{{Case: &c, Answer: json.RawMessage(`{"violation":true}`)}}
	got, err := ruletest.Write("x.json", []byte("{\n  \"tests\": [{\"bash\": \"z\"}, {\"bash\": \"a\"}]\n}\n"), rec)
	require.NoError(t, err)
	require.Equal(t, "{\n  \"tests\": [{\"bash\": \"z\"}, {\"bash\": \"a\",\"answer\":{\"violation\":true}}]\n}\n", string(got))
	got, err = ruletest.Write("x.json", []byte(`[{"bash": "z"}, {"bash": "a"}]`), rec)
	require.NoError(t, err)
	require.Equal(t, `[{"bash": "z"}, {"bash": "a","answer":{"violation":true}}]`, string(got))
	got, err = ruletest.Write("other.json", []byte(`[]`), rec)
	require.NoError(t, err)
	require.Equal(t, `[]`, string(got))
	c.File = "x.yaml"
	_, err = ruletest.Write("x.yaml", []byte("tests: []\n"), rec)
	require.ErrorContains(t, err, "case 2")
}
