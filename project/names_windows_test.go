package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/agentsentinel/sentinel/project"
)

// Whatever a file of Windows is called, it is the guarded one: in the project, and for an
// agent that was started elsewhere.
func TestNamesOfAGuardedFile(t *testing.T) {
	t.Parallel()
	dir := tree{"repo/.claude/sentinel/rules/guard file.yaml": guard(".claude/sentinel/rules/**"), "empty/x": ""}.write(t)
	dir, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	repo, empty := filepath.Join(dir, "repo"), filepath.Join(dir, "empty")
	file := filepath.Join(repo, `.claude\sentinel\rules\guard file.yaml`)
	share := `\\localhost\` + strings.Replace(file, ":", "$", 1)
	short := shortName(t, file)
	for _, name := range []string{
		file, filepath.ToSlash(file), strings.ToUpper(file), strings.ToLower(file),
		`\\?\` + file, `\\.\` + file, `\??\` + file, `//?/` + filepath.ToSlash(file),
		share, `\\127.0.0.1\` + share[len(`\\localhost\`):], `\\?\UNC\` + share[2:],
		file + "::$DATA", file + ":evil", file + ":evil:$DATA", filepath.Dir(file) + `.\guard file.yaml`, file + ".", file + ". .",
		"/" + strings.ToLower(file[:1]) + filepath.ToSlash(file[2:]), // of Git Bash
		file[2:], short, filepath.Join(shortName(t, filepath.Dir(file)), "new.yaml"),
	} {
		require.Equal(t, "block", verdict(t, project.Open([]string{repo}, nil), write(repo, name)), name)
		d, err := project.Open([]string{empty}, nil).Evaluate(t.Context(), write(empty, name))
		require.NoError(t, err)
		require.Equal(t, "block", d.Verdict.String(), "from elsewhere: %s: %v", name, d.Findings)
	}
	for _, name := range []string{`.claude\sentinel\RULES\x.yaml`, `.claude\sentinel\rules\x.yaml::$DATA`, `.claude\sentinel \rules.\x.yaml`, file[:2] + `.claude\sentinel\rules\x`} {
		require.Equal(t, "block", verdict(t, project.Open([]string{repo}, nil), write(repo, name)), name)
	}
	require.Equal(t, "allow", verdict(t, project.Open([]string{repo}, nil), write(repo, `src\rules.yaml`)))
}

// shortName is a path with the short names that the system has given, if it has.
func shortName(t *testing.T, path string) string {
	t.Helper()
	long, err := windows.UTF16PtrFromString(path)
	require.NoError(t, err)
	short := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetShortPathName(long, &short[0], uint32(len(short)))
	require.NoError(t, err)
	name := windows.UTF16ToString(short[:n])
	_, err = os.Stat(name)
	require.NoError(t, err)
	t.Log(name)
	return name
}
