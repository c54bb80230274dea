package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
)

// TestPythonFolders takes repositories of the Python Sentinel over that have any one of
// its files, all but one, and each half of them. Keys that are there count, and missing
// ones are not an error. python-folder.txtar says what becomes of all of them together.
func TestPythonFolders(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/script/python-folder.txtar")
	require.NoError(t, err)
	var files []txtar.File
	var call string
	for _, f := range archive.Files {
		switch {
		case f.Name == "call.json":
			call = string(f.Data)
		case f.Name[0] == '.':
			files = append(files, f)
		}
	}
	shapes := map[string][]txtar.File{"nothing": nil, "all": files, "first half": files[:len(files)/2], "second half": files[len(files)/2:]}
	for i, f := range files {
		shapes["only "+f.Name] = files[i : i+1]
		shapes["without "+f.Name] = slices.Concat(files[:i], files[i+1:])
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			takeOver(t, shape, call)
		})
	}
}

// takeOver sets Sentinel up in a repository with files, and looks at what it makes of
// them.
func takeOver(t *testing.T, files []txtar.File, call string) {
	repo, home := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(repo, ".git"), 0o755))
	has := map[string]bool{}
	for _, f := range files {
		path := filepath.Join(repo, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, f.Data, 0o600))
		has[filepath.Base(f.Name)] = true
	}
	run := func(want int, stdin string, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		status := cli.Run(&command.Env{
			Args: args, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &out, Dir: repo, Now: time.Now,
			Getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
		})
		require.Equal(t, want, status, "%q: %s", args, out.String())
		return out.String()
	}
	run(exit.OK, "", "init", "--pack", "none", "--replace-python")
	for _, hooks := range []string{".claude/settings.json", ".github/hooks/sentinel.json"} {
		data, err := os.ReadFile(filepath.Join(repo, filepath.FromSlash(hooks)))
		if os.IsNotExist(err) && !has[filepath.Base(hooks)] {
			continue
		}
		require.NoError(t, err)
		require.Contains(t, string(data), "sentinel hook")
		require.NotContains(t, string(data), "sentinel.py")
	}
	run(exit.OK, "", "rules", "lint")
	run(exit.OK, "", "rules", "list")
	stops := exit.OK
	if has["sudo-guard.yaml"] {
		stops = exit.Block
	}
	run(stops, call, "hook")
	require.Equal(t, has["no-direct-db.draft.yaml"], strings.Contains(run(exit.OK, "", "drafts"), "never query the database"))
	if has["config.yml"] { // it names the log
		said := run(exit.OK, "", "stats", "--since", "2026-01-01", "--json")
		require.Equal(t, has["sentinel.log"], strings.Contains(said, `"unavailable":1`), said)
		require.Equal(t, has["dismissed.jsonl"], strings.Contains(said, `"dismissals":1`), said)
		require.Contains(t, said, `"foreign":0`)
	}
}
