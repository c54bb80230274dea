package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, content string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "cases.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}

func TestRun(t *testing.T) {
	t.Parallel()
	file := write(t, `{"command":"git push --force","expected":"block","source":"a"}
{"command":"git status","expected":"block","source":"a"}

{"command":"git push","expected":"allow","source":"a"}
{"command":"git clean -fdx","expected":"allow","class":"b","source":"a"}
{"command":"ls","expected":"allow","class":"b","source":"a"}
`)
	var out bytes.Buffer
	require.NoError(t, run(&out, options{sets: "git"}, []string{file}))
	require.Equal(t, file+`, git: 9 rules
to stop  reach a rule  stopped     to pass  stopped     class or source
2        1 (50.0 %)    1 (50.0 %)  1        0 (0.0 %)   a
0        -             -           2        1 (50.0 %)  b
2        1 (50.0 %)    1 (50.0 %)  3        1 (33.3 %)  total
`, out.String())

	out.Reset()
	require.NoError(t, run(&out, options{sets: "git", verbose: true}, []string{file}))
	require.Contains(t, out.String(), `want block, got allow: "git status" (a)
  no scope matched
  command "git status" in [], input [], runs [], certain
want allow, got ask: "git clean -fdx" (b)
  discard-work: "git clean*" matched bash "git clean -fdx", when: true
`)
}

// TestRunSets holds that each set is measured by itself.
func TestRunSets(t *testing.T) {
	t.Parallel()
	file := write(t, `{"command":"terraform apply","expected":"block","source":"a"}`)
	var out bytes.Buffer
	require.NoError(t, run(&out, options{sets: "recommended,all"}, []string{file}))
	recommended, all, ok := strings.Cut(out.String(), file+", all: ")
	require.True(t, ok)
	require.Contains(t, recommended, "1        1 (100.0 %)   0 (0.0 %)  0        -        total\n")
	require.Contains(t, all, "1        1 (100.0 %)   1 (100.0 %)  0        -        total\n")
}

// TestRunRepo holds that commands are counted whose verdict the folder changes.
func TestRunRepo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "clean.sh"), []byte("git reset --hard\n"), 0o600))
	file := write(t, `{"command":"sh clean.sh","expected":"block","source":"a"}
{"command":"git reset --hard","expected":"block","source":"a"}`)
	var out bytes.Buffer
	require.NoError(t, run(&out, options{sets: "git", repo: dir}, []string{file}))
	require.Contains(t, out.String(), "2        2 (100.0 %)   2 (100.0 %)  0        -        total\n1 of 2 depend on the disk\n")
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	good := write(t, `{"command":"ls","expected":"allow","source":"a"}`)
	for name, c := range map[string]struct {
		sets  string
		files []string
		want  string
	}{
		"no file":         {"git", nil, "name at least one file"},
		"not there":       {"git", []string{good + "x"}, "cases.jsonlx"},
		"no such pack":    {"gti", []string{good}, `no pack is called "gti"`},
		"not JSON":        {"git", []string{write(t, "{}\nx\n")}, "cases.jsonl: line 1: want a command"},
		"no JSON":         {"git", []string{write(t, "\nx\n")}, "cases.jsonl: line 2: invalid character"},
		"no command":      {"git", []string{write(t, `{"expected":"allow"}`)}, "want a command"},
		"another label":   {"git", []string{write(t, `{"command":"ls","expected":"ask"}`)}, "want a command, and block or allow"},
		"too long a line": {"git", []string{write(t, `{"command":"`+string(bytes.Repeat([]byte("x"), lineMax))+`"}`)}, "token too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, run(&bytes.Buffer{}, options{sets: c.sets}, c.files), c.want)
		})
	}
}
