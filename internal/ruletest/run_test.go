package ruletest_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/rule"
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

// TestFilesOfTheTree: what a case comes to does not depend on the file that lies where it writes.
func TestFilesOfTheTree(t *testing.T) {
	t.Parallel()
	const adds = `trigger: file_write
backend: builtin
when: addsMatch("any")
tests:
  - {write: src/a.ts, content: any, expect: violation}
  - {write: src/a.ts, old: any, content: any, expect: pass}
  - {bash: "echo any > src/a.ts", expect: violation}
`
	opts := options()
	opts.Root = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(opts.Root, "src"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(opts.Root, "src", "a.ts"), []byte("any\n"), 0o600))
	r, err := ruletest.Run(t.Context(), []ruletest.Suite{ruletest.NewSuite("/p/adds.yaml", []byte(adds))}, opts)
	require.NoError(t, err)
	require.True(t, r.OK(), "%+v", r.Results)
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
	require.NoError(t, ruletest.TrialsPage("<title>", time.Time{}, trials).Write(&page))
	require.Contains(t, page.String(), "&lt;title&gt;")
	require.NotContains(t, page.String(), "{{")
}

// Advice after the tool is asked for where the rule matches and its expression
// is true, as in a session.
func TestPostHeedsWhen(t *testing.T) {
	t.Parallel()
	s := ruletest.NewSuite("r.yaml", []byte(`trigger: file_write
severity: info
post: true
scope: ["db/**"]
when: content contains "ALTER"
prompt: p
tests:
  - {write: db/a.sql, content: ALTER TABLE a, expect: violation}
  - {write: db/a.sql, content: SELECT 1, expect: pass}
  - {write: src/a.sql, content: ALTER TABLE a, expect: pass}
`))
	r, err := ruletest.Run(t.Context(), []ruletest.Suite{s}, options())
	require.NoError(t, err)
	require.Equal(t, 3, r.Count(ruletest.Passed), "%+v", r.Results)
	require.Contains(t, r.Results[1].Why, "`when` is false")
}

// A recorded answer is a model's: it counts where no model judges, too.
func TestAnswersWithoutModel(t *testing.T) {
	t.Parallel()
	opts := options()
	opts.Engine.Default, opts.Build.Backend = sentinel.Builtin, sentinel.Builtin
	s := ruletest.NewSuite("r.yaml", []byte(`trigger: bash
when: command contains "x"
prompt: p
tests:
  - {bash: x1, expect: pass, answer: {violation: false, confidence: 0.9}}
  - {bash: x2, expect: violation}
`))
	r, err := ruletest.Run(t.Context(), []ruletest.Suite{s}, opts)
	require.NoError(t, err)
	require.Equal(t, 2, r.Count(ruletest.Passed), "%+v", r.Results)
	require.True(t, r.Results[0].Model)
	require.False(t, r.Results[1].Model)
}

func TestRunNamesFaults(t *testing.T) {
	t.Parallel()
	const text = "id: same\ntrigger: bash\nbackend: builtin\nwhen: \"true\"\n"
	const cases = "tests:\n  - {bash: x, expect: violation}\n"
	r, err := ruletest.Run(t.Context(), []ruletest.Suite{
		ruletest.NewSuite("a.yaml", []byte(text+cases)),
		ruletest.NewSuite("b.yaml", []byte("when: 1 +\n"+cases)),
		ruletest.NewSuite("c.yaml", []byte("trigger: bash\nbackend: builtin\nwhen: \"true\"\n")),
	}, options())
	require.NoError(t, err)
	require.Len(t, r.Problems, 1)
	require.Equal(t, "b.yaml", r.Problems[0].File)
	require.Equal(t, []ruletest.State{ruletest.Passed, ruletest.Broken}, []ruletest.State{r.Results[0].State, r.Results[1].State})
	require.Equal(t, "b.yaml", r.Results[1].File)
	require.Equal(t, []string{"c"}, r.Untested)
	require.False(t, r.OK())
}

// Answers from before the user stops it are kept.
func TestStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	opts := options()
	opts.Engine.MaxParallel = 1
	opts.Engine.Backends["model"] = sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		if strings.Contains(req.Prompt, "deploy b") {
			cancel()
			return sentinel.Response{}, context.Canceled
		}
		return sentinel.Response{Text: `{"violation":false,"confidence":1}`}, nil
	})
	recordings, err := ruletest.Record(ctx, []ruletest.Suite{ruletest.NewSuite("judged.yaml", []byte(judged))}, opts)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, recordings, 1)
	require.Equal(t, "deploy a", recordings[0].Case.Bash)
}

// A server that is gone fails every case, and is reported a few times.
func TestRecordTellsSome(t *testing.T) {
	t.Parallel()
	opts := options()
	opts.Engine.Backends["model"] = sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{}, sentinel.ErrUnavailable
	})
	text := "trigger: bash\nprompt: p\ntests:\n" + strings.Repeat("  - {bash: x, expect: pass}\n", 50)
	_, err := ruletest.Record(t.Context(), []ruletest.Suite{ruletest.NewSuite("r.yaml", []byte(text))}, opts)
	require.ErrorContains(t, err, "45 more cases")
	require.Less(t, strings.Count(err.Error(), "\n"), 8)
}

// A page holds what models say as data: nothing in it closes the element that it
// is in.
func TestPageHostile(t *testing.T) {
	t.Parallel()
	c := ruletest.Case{Case: rule.Case{Bash: "</script><script>alert(1)</script><!--", Expect: "pass"}}
	var out strings.Builder
	require.NoError(t, ruletest.TrialsPage("", time.Time{}, []ruletest.Trial{{
		Rule: "r", Model: "<img src=x onerror=alert(2)>",
		Answers: []ruletest.Answer{{Case: &c, Violation: true, Confidence: 1, Text: "</script><svg onload=alert(3)> {{title}} \u2028"}},
		Metrics: ruletest.Metrics{Precision: math.NaN(), Recall: math.NaN(), BestF1: math.NaN()},
	}}).Write(&out))
	require.Equal(t, 2, strings.Count(out.String(), "</script>"), "the page's own")
	require.NotContains(t, out.String(), "<img")
	require.NotContains(t, out.String(), "<svg onload")
	require.NotContains(t, out.String(), "<!--")
	require.Contains(t, out.String(), "{{title}}", "what a model says is no template")
}

func TestWrite(t *testing.T) {
	t.Parallel()
	c := ruletest.Case{Case: rule.Case{Bash: "a"}, File: "x.json", Index: 1}
	rec := []ruletest.Recording{{Case: &c, Answer: json.RawMessage(`{"violation":true}`)}}
	got, n, err := ruletest.Write("x.json", []byte("{\n  \"tests\": [{\"bash\": \"z\"}, {\"bash\": \"a\"}]\n}\n"), rec)
	require.NoError(t, err)
	require.Equal(t, "{\n  \"tests\": [{\"bash\": \"z\"}, {\"bash\": \"a\",\"answer\":{\"violation\":true}}]\n}\n", string(got))
	require.Equal(t, 1, n)
	got, _, err = ruletest.Write("x.json", []byte(`[{"bash": "z"}, {"bash": "a"}]`), rec)
	require.NoError(t, err)
	require.Equal(t, `[{"bash": "z"}, {"bash": "a","answer":{"violation":true}}]`, string(got))
	got, _, err = ruletest.Write("other.json", []byte(`[]`), rec)
	require.NoError(t, err)
	require.Equal(t, `[]`, string(got))
	c.File = "x.yaml"
	_, n, err = ruletest.Write("x.yaml", []byte("tests: []\n"), rec)
	require.ErrorContains(t, err, "case 2")
	require.Zero(t, n)

	// Line ends stay; a case that cannot be changed safely does not cost the others.
	c.Index = 0
	got, n, err = ruletest.Write("x.yaml", []byte("tests:\r\n  - {bash: a, expect: pass}\r\n"), rec)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, "tests:\r\n  - {bash: a, expect: pass, answer: {violation: true}}\r\n", string(got))
	other := ruletest.Case{File: "x.yaml", Index: 7}
	rec = append([]ruletest.Recording{{Case: &other, Answer: json.RawMessage(`{"violation":false}`)}}, rec...)
	got, n, err = ruletest.Write("x.yaml", []byte("tests:\n  - {bash: a, expect: pass}\n"), rec)
	require.ErrorContains(t, err, `the answer is {"violation":false}`)
	require.Equal(t, 1, n)
	require.Contains(t, string(got), "violation: true")
	got, n, err = ruletest.Write("x.yaml", []byte("tests:\n  - &a {bash: a, expect: pass}\n  - *a\n"), rec)
	require.ErrorContains(t, err, "by hand")
	require.Zero(t, n)
	require.Equal(t, "tests:\n  - &a {bash: a, expect: pass}\n  - *a\n", string(got))
}

// TestRead: a file is known that was read or written in the session, whatever is in its name.
func TestRead(t *testing.T) {
	t.Parallel()
	const itself = "trigger: file_write\nbackend: builtin\nwhen: not read(path)\nmessage: m\ntests:\n"
	const another = "trigger: bash\nscope: [\"git push*\"]\nbackend: builtin\nwhen: not read(\"docs/*.md\")\nmessage: m\ntests:\n"
	const tool = "trigger: file_write\nrequires: {ran: [\"*:fetch-docs\"]}\nscope: [\"**\"]\nmessage: m\ntests:\n"
	for _, c := range []string{
		itself + "  - {write: a.go, expect: violation}",
		itself + "  - {write: a.go, before: [{read: a.go}], expect: pass}",
		itself + "  - {write: a.go, before: [{write: a.go}], expect: pass}",
		itself + "  - {write: a.go, before: [{read: b.go}, {write: b.go}], expect: violation}",
		itself + "  - {write: \"*.go\", before: [{read: b.go}], expect: violation}",
		itself + "  - {write: a.go, before: [{bash: cat a.go}], expect: pass}",
		itself + "  - {write: a.go, before: [{read: a.go, failed: true}], expect: violation}",
		another + "  - {bash: git push, expect: violation}",
		another + "  - {bash: git push, before: [{read: docs/a.md}], expect: pass}",
		another + "  - {bash: git push, before: [{write: docs/a.md}], expect: violation}",
		tool + "  - {write: a.go, expect: violation}",
		tool + "  - {write: a.go, before: [{mcp: \"x:fetch-docs\"}], expect: pass}",
		tool + "  - {write: a.go, before: [{mcp: \"x:fetch\"}], expect: violation}",
	} {
		r, err := ruletest.Run(t.Context(), []ruletest.Suite{ruletest.NewSuite("/p/read.yaml", []byte(c+"\n"))}, options())
		require.NoError(t, err)
		require.Empty(t, r.Problems, c)
		require.Equal(t, 1, r.Count(ruletest.Passed), "%s %v", c, r.Results)
	}
}
