package auditcli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/gittest"
)

// A report that cannot be written in the end costs no opinion: the run folder stays,
// and the next run asks no judge.
func TestLostReport(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	m := newModel(t)
	m.configure(t, p.home)
	r := gittest.New(t)
	r.Write("README.md", "# Tool\n")
	r.Commit("Add a page")
	rubric, out, list := filepath.Join(p.dir, "rubric.yaml"), filepath.Join(p.dir, "reports"), filepath.Join(p.dir, "list.txt")
	require.NoError(t, os.WriteFile(rubric, []byte(`rubric_metadata: {rubric_name: file, version: 4.0.0}
probes: [{id: readme, type: file, any: [README.md], expect: {count: {min: 1}}}]
dimensions: [{id: docs, name: Documentation, target_artifact: repo, evidence: [readme], forensic_instruction: Look at it., success_pattern: all is there, failure_pattern: nothing is there, levels: {1: none, 5: all}}]
`), 0o600))
	require.NoError(t, os.WriteFile(list, []byte(r.Dir+"\n"), 0o600))

	for _, what := range [][]string{{r.Dir}, {"-f", list}} {
		require.NoError(t, os.RemoveAll(out))
		var once sync.Once
		m.heard = func() {
			once.Do(func() { // a file in the folder's place
				os.RemoveAll(out)
				os.WriteFile(out, nil, 0o600)
			})
		}
		before := len(m.asked())
		status, stdout, stderr := p.audit(append(what, "--rubric", rubric, "--out", out)...)
		require.Equal(t, 1, status, stdout)
		require.Len(t, m.asked(), before+3)
		named := regexp.MustCompile(`--resume (\S+)`).FindStringSubmatch(stderr)
		require.NotEmpty(t, named, stderr)

		m.heard = nil
		require.NoError(t, os.Remove(out))
		status, _, stderr = p.audit(append(what, "--rubric", rubric, "--out", out, "--resume", named[1])...)
		require.Zero(t, status, stderr)
		require.Len(t, m.asked(), before+3, "nobody is asked again")
	}
}
