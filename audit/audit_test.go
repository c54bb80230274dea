package audit_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/audit"
)

// repository is a repository with one commit.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README.md"), []byte("# A project\n\nIt is small.\n"), 0o600))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-qm", "A first commit with a message"}} {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@example.invalid", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return dir
}

const readmeRubric = `
rubric_metadata: {rubric_name: Readme, version: 4.0.0}
probes: [{id: readme, type: file, any: [./README.md], expect: {count: {min: 1}}}]
dimensions: [{id: docs, name: Docs, forensic_instruction: i, success_pattern: s, failure_pattern: f, evidence: [readme]}]
`

func TestFactsAlone(t *testing.T) {
	t.Parallel()
	r, err := audit.Run(t.Context(), audit.Options{Repository: repository(t), RubricText: []byte(readmeRubric), Version: "v1"})
	require.NoError(t, err)
	require.Equal(t, "v1", r.Program)
	require.Empty(t, r.Results)
	require.Equal(t, audit.True, r.Evidence[0].Outcome)
	for _, format := range []string{audit.Markdown, audit.JSON, audit.SARIF, audit.HTML} {
		var b bytes.Buffer
		require.NoError(t, audit.Write(&b, format, r))
		require.Contains(t, b.String(), "Readme", format)
		again, err := audit.Read(&b)
		if format == audit.JSON {
			require.NoError(t, err)
			require.Equal(t, r.Evidence, again.Evidence)
		} else {
			require.Error(t, err)
		}
	}
	require.ErrorContains(t, audit.Write(&bytes.Buffer{}, "pdf", r), `unknown format "pdf"`)
	require.Error(t, audit.Write(&bytes.Buffer{}, audit.JSON, nil))
}

// A second run with the same folder asks nothing.
func TestFolder(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	model := audit.Model{Name: "scripted", Model: "m", Backend: sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		calls.Add(1)
		return sentinel.Response{Text: `{"argument": "There is a file with that name.", "cited_evidence": ["repo#0"], "score": 5}`}, nil
	})}
	o := audit.Options{Repository: repository(t), RubricText: []byte(readmeRubric), Judges: audit.OneModel(model), Folder: filepath.Join(t.TempDir(), "a", "b")}
	for range 2 {
		r, err := audit.Run(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, audit.Pass, r.Overall.Verdict)
	}
	require.EqualValues(t, 3, calls.Load())
}

func TestOptions(t *testing.T) {
	t.Parallel()
	_, err := audit.Run(t.Context(), audit.Options{})
	require.ErrorIs(t, err, audit.ErrOptions)

	_, err = audit.Run(t.Context(), audit.Options{Repository: ".", Rubric: "gos"})
	require.ErrorContains(t, err, "there are "+strings.Join(audit.Rubrics(), ", "))

	var invalid *audit.RubricError
	for _, text := range []string{"", "{", strings.Replace(readmeRubric, "./README.md", "a[", 1), strings.Replace(readmeRubric, "type: file, any: [./README.md]", "type: ast, lang: go, query: '(no_such_node) @hit'", 1)} {
		_, err = audit.Run(t.Context(), audit.Options{Repository: ".", Rubric: "mine", RubricText: []byte(text)})
		require.ErrorAs(t, err, &invalid, text)
		require.Equal(t, "mine", invalid.Name)
		require.NotEmpty(t, invalid.Problems)
	}

	var warned []string
	o := audit.Options{Documents: []string{"none.md"}, Warn: func(text string) { warned = append(warned, text) }}
	o.RubricText = []byte(strings.Replace(readmeRubric, "forensic_instruction: i, success_pattern: s, failure_pattern: f, ", "", 1))
	r, err := audit.Run(t.Context(), o)
	require.NoError(t, err)
	require.NotEmpty(t, warned)
	require.NotEmpty(t, r.Failures, "the document is not there")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = audit.Run(ctx, audit.Options{Documents: []string{"none.md"}})
	require.ErrorIs(t, err, context.Canceled)
}
