package project_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/project"
)

// Paid calls end at the limit of the day, which is small where none is set, and the
// person is told. An action that only such a judge can judge does not pass then as
// judged.
func TestPaidCallsHaveALimit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	standard := config.Default()
	require.EqualValues(t, 100, standard.Budget.PaidCallsPerDay)

	dir := tree{
		"repo/.claude/sentinel/config.yaml":  "backend: claude\nfail_open: false\nbudget: {paid_calls_per_day: 2}\n",
		"repo/.claude/sentinel/rules/a.yaml": "trigger: file_write\nprompt: is it good?\n",
		"bin/claude":                         "#!/bin/sh\necho >>\"$0.asked\"\nexit 1\n",
	}.write(t)
	program := filepath.Join(dir, "bin", "claude")
	require.NoError(t, os.Chmod(program, 0o755))
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	asked := func() int {
		data, _ := os.ReadFile(program + ".asked")
		return strings.Count(string(data), "\n")
	}

	repo := filepath.Join(dir, "repo")
	opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	judge := func(path string) sentinel.Decision { // as each hook process does
		ev := write(repo, path)
		ev.Session = "s"
		d, err := project.Open([]string{repo}, opts).Evaluate(t.Context(), ev)
		require.NoError(t, err)
		require.Equal(t, sentinel.VerdictBlock, d.Verdict, "it could not be judged, and the project is strict")
		return d
	}
	require.ErrorIs(t, judge("a").Findings[0].Err, sentinel.ErrRefused)
	require.Zero(t, asked(), "nobody has trusted it")

	p := project.Open([]string{repo}, opts)
	require.NoError(t, p.Folders[0].Trust(opts.StateDir))
	judge("b")
	judge("c")
	require.Equal(t, 2, asked())
	d := judge("d")
	require.Equal(t, 2, asked())
	require.ErrorIs(t, d.Findings[0].Err, sentinel.ErrRefused)
	require.Contains(t, d.Reason(), "2 of 2 paid calls of today are made")
	n, err := p.Inspect().PaidToday(p.Folders[0])
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
}
