package bench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/packs"
)

// TestRead holds what a list may have, and what is said of a bad line.
func TestRead(t *testing.T) {
	t.Parallel()
	cases, err := Read(strings.NewReader("\ufeffls -la\r\n\n  # a note\n" +
		`{"command": "git push --force", "expected": "block", "class": "git", "source": "us", "more": 1}` + "\n{ ls; }\n" + `{"command": "x"}`))
	require.NoError(t, err)
	require.Equal(t, []Case{
		{Line: 1, Command: "ls -la"},
		{Line: 4, Command: "git push --force", Expected: Block, Class: "git", Source: "us"},
		{Line: 5, Command: "{ ls; }"},
		{Line: 6, Command: "x"},
	}, cases)
	for name, c := range map[string]struct{ list, want string }{
		"empty":                 {"", "1: there is no command in it: write one a line"},
		"notes alone":           {"# x\n\n", "1: there is no command in it"},
		"no JSON":               {"ls\n{\"command\": \"ls\"", "2: is not JSON as in {"},
		"a number":              {`{"command": 1}`, "1: is not JSON as in {"},
		"no command":            {"ls\n\n{\"expected\": \"allow\"}", "3: has no command: write it as in {"},
		"an object without key": {"{}", "1: has no command"},
		"a blank command":       {`{"command": " "}`, "1: has no command"},
		"another label":         {`{"command": "ls", "expected": "ask"}`, `1: expects "ask": write "block", "allow", or leave expected out`},
		"not UTF-8":             {"ls\n\xff\n", "2: is not text in UTF-8"},
		"a program":             {"\x7fELF\x00\x01", "1: is not text in UTF-8"},
		"a long line":           {"ls\n" + strings.Repeat("x", maxLine+1), "2: the line has more than 1048576 bytes"},
		"a long list":           {strings.Repeat("ls\n", maxCases+1), "100001: a list has at most 100000 cases: split it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(strings.NewReader(c.list))
			require.Error(t, err)
			require.Contains(t, err.Error(), c.want)
			require.True(t, strings.HasPrefix(err.Error(), c.want), err)
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add("ls\n" + example)
	f.Fuzz(func(t *testing.T, list string) {
		cases, err := Read(strings.NewReader(list))
		require.Equal(t, err == nil, len(cases) > 0)
		for _, c := range cases {
			require.NotEmpty(t, c.Command)
		}
	})
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

// measured judges a list by a set.
func measured(t *testing.T, set, file string) *Report {
	t.Helper()
	needGit(t)
	list, err := os.Open(file)
	require.NoError(t, err)
	defer list.Close()
	cases, err := Read(list)
	require.NoError(t, err)
	site, err := Made(t.Context(), set)
	require.NoError(t, err)
	defer func() { require.NoError(t, site.Close()) }()
	r, err := site.Measure(t.Context(), cases, func() {})
	require.NoError(t, err)
	return r
}

// TestOwnCommands holds that both sets judge every command of a list of our own as
// expected.
func TestOwnCommands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it tries thousands of calls one after the other: not with -short, as under the race detector")
	}
	for _, set := range []string{packs.Recommended, packs.All} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			r := measured(t, set, "testdata/commands.jsonl")
			require.Empty(t, r.Otherwise)
			require.Equal(t, r.Total.Block, r.Total.Reached)
		})
	}
}

// TestMarks holds what is stopped of labelled commands that are not part of the project.
// The marks are what was reached: a change that moves one moves it here.
func TestMarks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it tries thousands of calls one after the other: not with -short, as under the race detector")
	}
	const corpora = "../../../shared/corpora"
	if _, err := os.Stat(corpora); err != nil {
		t.Skip("no labelled commands: there is no ../shared/corpora beside the repository")
	}
	for _, c := range []struct {
		file, set         string
		stopped, disturbs int // at least so many of those to stop, at most so many of those to pass
	}{
		{"tricks.jsonl", packs.Recommended, 248, 0},
		{"tricks.jsonl", packs.All, 250, 0},
		{"everyday.jsonl", packs.Recommended, 0, 11},
		{"everyday.jsonl", packs.All, 0, 13},
		{"commands-core.jsonl", packs.Recommended, 279, 4},
		{"commands-core.jsonl", packs.All, 279, 4},
		{"commands-mentions.jsonl", packs.Recommended, 0, 0},
		{"commands-mentions.jsonl", packs.All, 0, 0},
	} {
		t.Run(c.file+"/"+c.set, func(t *testing.T) {
			t.Parallel()
			r := measured(t, c.set, filepath.Join(corpora, c.file))
			require.GreaterOrEqual(t, r.Total.Stopped, c.stopped, "stopped of %d to stop", r.Total.Block)
			require.LessOrEqual(t, r.Total.Disturbed, c.disturbs, "stopped of %d to pass", r.Total.Allow)
		})
	}
}

// TestMadeLeavesNothing holds that nothing is left where a set does not exist or the
// caller gives up.
func TestMadeLeavesNothing(t *testing.T) {
	needGit(t)
	t.Setenv("TMPDIR", t.TempDir())
	_, err := Made(t.Context(), "gti")
	require.ErrorContains(t, err, `no pack is called "gti"`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Made(ctx, packs.All)
	require.ErrorIs(t, err, context.Canceled)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left)
}
