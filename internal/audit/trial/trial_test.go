package trial_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/audit/judges"
	"github.com/agentsentinel/sentinel/internal/audit/repo"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
	"github.com/agentsentinel/sentinel/internal/gittest"
)

// TestMain is also the process that reads a PDF.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "__pdf" {
		os.Exit(document.ChildMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// criteria is a rubric of so many criteria, each with a probe of its own.
func criteria(t *testing.T, n int, more ...string) *rubric.Rubric {
	t.Helper()
	var probes, dimensions strings.Builder
	for i := range n {
		fmt.Fprintf(&probes, "  - {id: p%d, type: text, file: README.md, regex: 'line %d\\b', expect: {count: {min: 1}}}\n", i, i)
		fmt.Fprintf(&dimensions, `  - {id: c%d, name: Line %d, target_artifact: repo, evidence: [p%d], forensic_instruction: Look for line %d., success_pattern: it is there, failure_pattern: it is missing, levels: {1: none, 3: some, 5: all}}
`, i, i, i, i)
	}
	return parsed(t, "rubric_metadata: {rubric_name: lines, version: 4.0.0}\nprobes:\n"+probes.String()+"dimensions:\n"+dimensions.String()+strings.Join(more, "\n"))
}

func parsed(t *testing.T, text string) *rubric.Rubric {
	t.Helper()
	rb, problems, err := rubric.Parse("rubric.yaml", []byte(text))
	require.NoError(t, err, "%v\n%s", problems, text)
	return rb
}

// lines is a repository whose README has lines 0 to n-1.
func lines(t *testing.T, n int) *gittest.Repository {
	t.Helper()
	r := gittest.New(t)
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	r.Write("README.md", text.String())
	r.Commit("Add the lines")
	return r
}

var evidenceID = regexp.MustCompile(`(?m)^\W*((?:repo|docs|vision)#\d+)\b`)

// says is an answer of a judge that cites the first evidence it was shown.
func says(score int, req sentinel.Request) sentinel.Response {
	id := "repo#0"
	if m := evidenceID.FindStringSubmatch(req.Prompt); m != nil {
		id = m[1]
	}
	return sentinel.Response{
		Text:  fmt.Sprintf(`{"argument":"It rests on %s.","cited_evidence":[%q],"score":%d}`, id, id, score),
		Model: "scripted-1", PromptTokens: 100, OutputTokens: 10,
	}
}

// steady gives every criterion the same score.
func steady(score int) sentinel.Backend {
	return sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		return says(score, req), nil
	})
}

// failing answers nothing that can be used.
func failing() sentinel.Backend {
	return sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{}, fmt.Errorf("%w: words, words", sentinel.ErrMalformed)
	})
}

// seated has all judges speak by one backend.
func models(b sentinel.Backend) map[audit.Judge]judges.Model {
	who := map[audit.Judge]judges.Model{}
	for _, j := range audit.Judges() {
		who[j] = judges.Model{Name: "scripted", Backend: b, Model: "scripted"}
	}
	return who
}

// run judges a case without faults.
func run(t *testing.T, c trial.Case, o *trial.Options) *audit.Record {
	t.Helper()
	record, err := trial.Run(t.Context(), c, o)
	require.NoError(t, err)
	return record
}

func TestCase(t *testing.T) {
	t.Parallel()
	_, err := trial.Run(t.Context(), trial.Case{}, nil)
	require.ErrorIs(t, err, trial.ErrCase)
}

// Facts, opinions, rules, record: the whole way of a repository.
func TestRepository(t *testing.T) {
	t.Parallel()
	r := lines(t, 2)
	var mu sync.Mutex
	stages := map[string]bool{}
	record := run(t, trial.Case{Repo: r.Dir, Rubric: criteria(t, 3)}, &trial.Options{
		Program: "test", Judges: models(steady(4)), Samples: 2, Seed: 7,
		Price: func(model string) (float64, float64) {
			require.Equal(t, "scripted-1", model)
			return 10, 100
		},
		Progress: func(p trial.Progress) {
			mu.Lock()
			defer mu.Unlock()
			stages[p.Stage] = true
			if p.Stage == trial.StageBench {
				require.Equal(t, 18, p.Total)
				require.NotEmpty(t, p.Criterion)
				require.NotEmpty(t, p.Judge)
			}
		},
	})
	require.Empty(t, record.Failures)
	require.Equal(t, strings.TrimSpace(r.Git("rev-parse", "HEAD")), record.Subject.Commit)
	require.Equal(t, []audit.Outcome{audit.True, audit.True, audit.False}, wholes(record))
	require.Len(t, record.Results, 3)
	for _, result := range record.Results {
		require.Len(t, result.Opinions, 6)
		require.NotZero(t, result.Score)
	}
	require.Equal(t, audit.Pass, record.Results[0].Verdict)
	require.Equal(t, audit.Usage{Calls: 18, PromptTokens: 1800, OutputTokens: 180, CostUSD: 0.036}, record.Usage)
	require.Equal(t, []audit.Seat{{Judge: audit.Prosecutor, Backend: "scripted", Model: "scripted-1"},
		{Judge: audit.Defense, Backend: "scripted", Model: "scripted-1"}, {Judge: audit.TechLead, Backend: "scripted", Model: "scripted-1"}}, record.Seats)
	require.Equal(t, 2, record.Samples)
	require.EqualValues(t, 7, record.Seed)
	require.Equal(t, "test", record.Program)
	require.NotEmpty(t, record.Narrative)
	require.Equal(t, 3, record.Overall.Counted)
	for _, stage := range []string{trial.StageClone, trial.StageRepo, trial.StageBench, trial.StageJustice} {
		require.True(t, stages[stage], "no progress of %s: %v", stage, stages)
	}
}

// wholes are the outcomes of the rubric's probes, in order.
func wholes(r *audit.Record) (all []audit.Outcome) {
	for _, e := range r.Evidence {
		if !e.Part && !strings.HasPrefix(e.Probe, "integrity.") {
			all = append(all, e.Outcome)
		}
	}
	return all
}

func TestFactsOnly(t *testing.T) {
	t.Parallel()
	asked := false
	record := run(t, trial.Case{Repo: lines(t, 1).Dir, Rubric: criteria(t, 2)}, &trial.Options{
		FactsOnly: true,
		Judges: models(sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
			asked = true
			return sentinel.Response{}, errors.ErrUnsupported
		})),
	})
	require.False(t, asked)
	require.Equal(t, []audit.Outcome{audit.True, audit.False}, wholes(record))
	require.Empty(t, record.Results)
	require.Empty(t, record.Seats)
	require.Equal(t, "undecided", record.Gate.State(), "this rubric demands nothing")
	require.Zero(t, record.Usage)
	for i, e := range record.Evidence {
		require.Equal(t, fmt.Sprintf("repo#%d", i), e.ID)
	}
}

// A backend that says itself that it is not there is not asked, and is
// reported once.
type absent struct {
	sentinel.Backend
	pings, calls atomic.Int64
}

func (a *absent) Ping(context.Context, string) error {
	a.pings.Add(1)
	return &sentinel.BackendError{Backend: "scripted", Op: "ping", Err: fmt.Errorf("%w: nobody listens", sentinel.ErrUnavailable)}
}

func (a *absent) Complete(context.Context, sentinel.Request) (sentinel.Response, error) {
	a.calls.Add(1)
	return sentinel.Response{}, sentinel.ErrUnavailable
}

func TestNoModel(t *testing.T) {
	t.Parallel()
	b := &absent{}
	record := run(t, trial.Case{Repo: lines(t, 1).Dir, Rubric: criteria(t, 2)}, &trial.Options{Judges: models(b)})
	require.Zero(t, b.calls.Load())
	require.EqualValues(t, 1, b.pings.Load(), "one model is looked for once")
	require.Len(t, record.Failures, 1)
	require.Equal(t, trial.StageBench, record.Failures[0].Stage)
	require.Contains(t, record.Failures[0].Err, "nobody listens")
	require.Equal(t, []audit.Outcome{audit.True, audit.False}, wholes(record), "the facts stand")
	require.Len(t, record.Results, 2)
	for _, result := range record.Results {
		require.Equal(t, audit.NoVerdict, result.Verdict)
		require.Len(t, result.Opinions, 3)
		for _, o := range result.Opinions {
			require.Equal(t, "not asked: no model can be asked by scripted", o.Err)
		}
	}
	require.Zero(t, record.Overall.Counted)
	require.Equal(t, "undecided", record.Gate.State(), "%v", record.Gate)
}

// One judge whose backend is not there leaves the others.
func TestOneModelIsAbsent(t *testing.T) {
	t.Parallel()
	who := models(steady(4))
	who[audit.Defense] = judges.Model{Name: "absent", Backend: &absent{}}
	record := run(t, trial.Case{Repo: lines(t, 1).Dir, Rubric: criteria(t, 2)}, &trial.Options{Judges: who, Samples: 2})
	require.Len(t, record.Failures, 1)
	require.Contains(t, record.Failures[0].Err, "absent does not answer: ")
	for _, result := range record.Results {
		require.Len(t, result.Opinions, 6)
		require.NotZero(t, result.Score)
		for _, o := range result.Opinions {
			require.Equal(t, o.Judge != audit.Defense, o.Valid(nil))
			if o.Judge == audit.Defense {
				require.Equal(t, "not asked: no model can be asked by absent", o.Err)
			}
		}
	}
}

func TestJudgesFail(t *testing.T) {
	t.Parallel()
	repo := lines(t, 2).Dir
	for name, tc := range map[string]struct {
		speak   []audit.Judge
		verdict audit.Verdict
		told    int
	}{
		"none":  {audit.Judges(), audit.Pass, 0},
		"one":   {[]audit.Judge{audit.Prosecutor, audit.TechLead}, audit.Pass, 1},
		"two":   {[]audit.Judge{audit.Defense}, audit.NoVerdict, 1},
		"three": {nil, audit.NoVerdict, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who := map[audit.Judge]judges.Model{}
			for _, j := range audit.Judges() {
				who[j] = judges.Model{Name: "mute", Backend: failing()}
			}
			for _, j := range tc.speak {
				who[j] = judges.Model{Name: "scripted", Backend: steady(5)}
			}
			record := run(t, trial.Case{Repo: repo, Rubric: criteria(t, 2)}, &trial.Options{Judges: who})
			require.Len(t, record.Failures, tc.told)
			for _, f := range record.Failures {
				require.Contains(t, f.Err, "mute gave no opinion on anything")
			}
			require.Len(t, record.Results, 2, "no criterion goes missing")
			for _, result := range record.Results {
				require.Equal(t, tc.verdict, result.Verdict)
				require.Len(t, result.Opinions, 3)
			}
		})
	}
}

// A judge without a seat, and a backend that panics, leave the others alone.
func TestPanickingBackend(t *testing.T) {
	t.Parallel()
	who := models(steady(4))
	who[audit.Defense] = judges.Model{Name: "wild", Backend: sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		panic("no")
	})}
	record := run(t, trial.Case{Repo: lines(t, 1).Dir, Rubric: criteria(t, 1)}, &trial.Options{Judges: who})
	require.Equal(t, audit.Pass, record.Results[0].Verdict)
	require.Len(t, record.Failures, 1)
	require.Contains(t, record.Failures[0].Err, "panicked: no")
}

// A stage that panics is a failure of its own: here the one that reports the clone. The
// document is examined all the same; without one there is nothing to say.
func TestPanickingStage(t *testing.T) {
	t.Parallel()
	doc := filepath.Join(t.TempDir(), "report.md")
	require.NoError(t, os.WriteFile(doc, []byte("# Report\n"), 0o600))
	o := &trial.Options{
		Judges: models(steady(5)),
		Progress: func(p trial.Progress) {
			if p.Stage == trial.StageClone {
				panic("the display is gone")
			}
		},
	}
	record := run(t, trial.Case{Repo: lines(t, 1).Dir, Documents: []string{doc}, Rubric: criteria(t, 2)}, o)
	require.Equal(t, []audit.Failure{{Stage: trial.StageClone, Err: "internal error: the display is gone"}}, record.Failures)
	require.Equal(t, []audit.Outcome{audit.Error, audit.Error}, wholes(record)[:2])
	for _, result := range record.Results {
		require.Equal(t, audit.NoVerdict, result.Verdict, "nobody judges that nobody could look")
		require.Contains(t, result.Opinions[0].Err, "nothing of it could be examined")
	}
	require.Zero(t, record.Usage.Calls)
	_, err := trial.Run(t.Context(), trial.Case{Repo: lines(t, 1).Dir, Rubric: criteria(t, 2)}, o)
	require.EqualError(t, err, "internal error: the display is gone")
}

// TestCloneFails: what cannot be cloned is an error, and no report of nothing.
func TestCloneFails(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"ext::sh -c true", "file:///tmp", "-x", filepath.Join(t.TempDir(), "none"), "https://user:secret@example.com/x"} {
		record, err := trial.Run(t.Context(), trial.Case{Repo: target, Rubric: criteria(t, 1)}, &trial.Options{Judges: models(steady(5))})
		require.Nil(t, record)
		var failed *repo.CloneError
		require.ErrorAs(t, err, &failed, target)
		require.NotContains(t, err.Error(), "secret")
		require.NotContains(t, err.Error(), "\n")
	}
}

// What depends on the repository makes no sense without one, and the reverse.
func TestDocumentAlone(t *testing.T) {
	t.Parallel()
	doc := filepath.Join(t.TempDir(), "report.md")
	require.NoError(t, os.WriteFile(doc, []byte("# Report\n\nThe idempotency key is stored before the call, so that a repeated call does nothing. It is implemented in the client.\n"), 0o600))
	rb := mixed(t)
	record := run(t, trial.Case{Documents: []string{doc}, Rubric: rb}, &trial.Options{Judges: models(steady(4))})
	require.Empty(t, record.Failures)
	byProbe := map[string]audit.Outcome{}
	for _, e := range record.Evidence {
		if !e.Part {
			byProbe[e.Probe] = e.Outcome
		}
	}
	require.Equal(t, audit.NotApplicable, byProbe["readme"])
	require.Equal(t, audit.True, byProbe["terms"])
	require.Equal(t, audit.NotAvailable, byProbe["paths"], "there is no tree to compare with")
	require.Equal(t, []audit.Verdict{audit.NotConsidered, audit.Pass, audit.NoVerdict}, verdicts(record))

	record = run(t, trial.Case{Repo: lines(t, 1).Dir, Rubric: rb}, &trial.Options{Judges: models(steady(4))})
	require.Empty(t, record.Failures)
	require.Equal(t, []audit.Verdict{audit.Pass, audit.NotConsidered, audit.NotConsidered}, verdicts(record))
}

// mixed is a rubric about a repository and documents.
func mixed(t *testing.T) *rubric.Rubric {
	return parsed(t, `
rubric_metadata: {rubric_name: mixed, version: 4.0.0}
probes:
  - {id: readme, type: text, file: README.md, regex: 'line 0', expect: {count: {min: 1}}}
  - {id: terms, type: doc_terms, terms: [idempotency], expect: {mentioned: {min: 1}}}
  - {id: paths, type: doc_paths, expect: {not_in_repo: {max: 0}}}
dimensions:
  - {id: lines, name: Lines, target_artifact: repo, evidence: [readme], levels: {1: none, 5: all}}
  - {id: depth, name: Depth, target_artifact: doc, evidence: [terms], levels: {1: none, 5: all}}
  - {id: truth, name: Truth, target_artifact: doc, evidence: [paths], levels: {1: none, 5: all}}
`)
}

func verdicts(r *audit.Record) (all []audit.Verdict) {
	for _, result := range r.Results {
		all = append(all, result.Verdict)
	}
	return all
}

// Which paths exist is known only after both detectives are done.
func TestPathsAreJoined(t *testing.T) {
	t.Parallel()
	doc := filepath.Join(t.TempDir(), "report.md")
	require.NoError(t, os.WriteFile(doc, []byte("# Report\n\nThe client is implemented in `src/client.py`. The server lives in `src/server.py`.\n"), 0o600))
	r := gittest.New(t)
	r.Write("src/client.py", "x = 1\n")
	r.Commit("Add the client")
	record := run(t, trial.Case{Repo: r.Dir, Documents: []string{doc}, Rubric: mixed(t)}, &trial.Options{FactsOnly: true})
	for _, e := range record.Evidence {
		if e.Probe == "paths" && !e.Part {
			require.Equal(t, audit.False, e.Outcome)
			require.EqualValues(t, 1, e.Values["in_repo"])
			require.EqualValues(t, 1, e.Values["not_in_repo"])
			return
		}
	}
	t.Fatalf("no evidence of paths: %+v", record.Evidence)
}

func TestDocumentIsMissing(t *testing.T) {
	t.Parallel()
	record := run(t, trial.Case{Documents: []string{filepath.Join(t.TempDir(), "none.pdf")}, Rubric: mixed(t)}, &trial.Options{Judges: models(steady(5))})
	require.Len(t, record.Failures, 1)
	require.Equal(t, trial.StageDocument, record.Failures[0].Stage)
	require.Equal(t, []audit.Verdict{audit.NotConsidered, audit.NoVerdict, audit.NoVerdict}, verdicts(record))
	for _, e := range record.Evidence {
		require.False(t, e.Outcome.Fact(), "a document that nobody read is no fact: %+v", e)
	}
}
