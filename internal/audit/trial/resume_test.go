package trial_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
)

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(text)
}

// counted is a model that counts, and ends the run after so many answers.
type counted struct {
	calls  atomic.Int64
	after  int64 // 0: never
	cancel context.CancelFunc
}

func (c *counted) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	if n := c.calls.Add(1); c.after > 0 && n > c.after {
		c.cancel()
		return sentinel.Response{}, ctx.Err()
	}
	return says(4, req), nil
}

func kept(t *testing.T, folder, kind string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, kind+"-*.json"))
	require.NoError(t, err)
	return files
}

// A run that is stopped goes on where it was: only what is missing is asked.
func TestResume(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "run")
	c := trial.Case{Repo: lines(t, 5).Dir, Rubric: criteria(t, 5)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := &counted{after: 6, cancel: cancel}
	_, err := trial.Run(ctx, c, &trial.Options{Judges: models(first), Folder: folder})
	require.ErrorIs(t, err, context.Canceled)
	heard := len(kept(t, folder, "opinion"))
	require.Equal(t, 6, heard, "each opinion is kept as it comes")
	require.Len(t, kept(t, folder, "repo"), 1)

	second := &counted{}
	record := run(t, c, &trial.Options{Judges: models(second), Folder: folder})
	require.EqualValues(t, 15-heard, second.calls.Load())
	require.Equal(t, audit.Usage{Calls: 15, Cached: heard, PromptTokens: 900, OutputTokens: 90}, record.Usage)
	require.Equal(t, 5, record.Overall.Counted)

	third := &counted{}
	again := run(t, c, &trial.Options{Judges: models(third), Folder: folder})
	require.Zero(t, third.calls.Load(), "nothing is missing")
	again.Started, again.Took, again.Usage = record.Started, record.Took, record.Usage
	require.Equal(t, asJSON(t, record), asJSON(t, again), "what is kept says the same")

	other := &counted{}
	run(t, c, &trial.Options{Judges: models(other), Folder: folder, Seed: 1})
	require.EqualValues(t, 15, other.calls.Load(), "another order of evidence is another question")
}

// What is damaged is asked again, and said.
func TestResumeFromDamagedFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "run")
	c := trial.Case{Repo: lines(t, 2).Dir, Rubric: criteria(t, 2)}
	run(t, c, &trial.Options{Judges: models(steady(4)), Folder: folder})
	opinions := kept(t, folder, "opinion")
	require.Len(t, opinions, 6)
	for i, damage := range []func(text string) string{
		func(text string) string { return text[:len(text)/2] },
		func(text string) string { return strings.Replace(text, `"score":4`, `"score":5`, 1) },
		func(string) string { return "" },
	} {
		text, err := os.ReadFile(opinions[i])
		require.NoError(t, err)
		require.NotEqual(t, string(text), damage(string(text)))
		require.NoError(t, os.WriteFile(opinions[i], []byte(damage(string(text))), 0o600))
	}
	require.NoError(t, os.WriteFile(kept(t, folder, "repo")[0], []byte("{}"), 0o600))

	var mu sync.Mutex
	var warnings []string
	again := &counted{}
	record := run(t, c, &trial.Options{Judges: models(again), Folder: folder, Warn: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		warnings = append(warnings, text)
	}})
	require.EqualValues(t, 3, again.calls.Load())
	require.Len(t, warnings, 4)
	for _, w := range warnings {
		require.Contains(t, w, "is not used, and made again: it is damaged")
	}
	require.Equal(t, []audit.Outcome{audit.True, audit.True}, wholes(record))
	require.Equal(t, 2, record.Overall.Counted)
}

// What a backend knows already costs nothing.
func TestCachedAnswersCostNothing(t *testing.T) {
	t.Parallel()
	b := sentinel.BackendFunc(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
		resp, err := steady(4).Complete(ctx, req)
		resp.Cached = true
		return resp, err
	})
	record := run(t, trial.Case{Repo: lines(t, 1).Dir, Rubric: criteria(t, 1)}, &trial.Options{
		Judges: models(b), Price: func(string) (float64, float64) { return 1, 1 },
	})
	require.Equal(t, audit.Usage{Calls: 3, Cached: 3}, record.Usage)
}

// A folder that nothing can be kept in does no harm.
func TestFolderCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	var warned atomic.Int64
	record := run(t, trial.Case{Repo: lines(t, 1).Dir, Rubric: criteria(t, 1)}, &trial.Options{
		Judges: models(steady(4)), Folder: filepath.Join(file, "run"), Warn: func(string) { warned.Add(1) },
	})
	require.Equal(t, 1, record.Overall.Counted)
	require.Positive(t, warned.Load())
}

// Cancelling ends a run whose model never answers.
func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := sentinel.BackendFunc(func(ctx context.Context, _ sentinel.Request) (sentinel.Response, error) {
		cancel()
		<-ctx.Done()
		return sentinel.Response{}, ctx.Err()
	})
	_, err := trial.Run(ctx, trial.Case{Repo: lines(t, 1).Dir, Rubric: criteria(t, 2)}, &trial.Options{Judges: models(b)})
	require.ErrorIs(t, err, context.Canceled)
}
