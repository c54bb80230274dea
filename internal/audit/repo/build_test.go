package repo

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// needGit skips where there is no git.
func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: nothing can be cloned")
	}
}

// origin is a repository that a test builds.
type origin struct {
	t    testing.TB
	dir  string
	when int // seconds since the first commit
}

func newOrigin(t testing.TB) *origin {
	t.Helper()
	needGit(t)
	o := &origin{t: t, dir: filepath.Join(t.TempDir(), "origin")}
	require.NoError(t, os.Mkdir(o.dir, 0o755))
	o.git("init", "--quiet", "--initial-branch=main", "--template=")
	return o
}

// git runs git in the repository as somebody else would, and returns what it says.
func (o *origin) git(args ...string) string {
	o.t.Helper()
	return o.gitIn(nil, args...)
}

func (o *origin) gitIn(stdin []byte, args ...string) string {
	o.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = o.dir, bytes.NewReader(stdin)
	date := fmt.Sprintf("%d +0000", 1767225600+o.when) // from 2026-01-01
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + o.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date,
	}
	out, err := cmd.CombinedOutput()
	require.NoError(o.t, err, "git %s: %s", strings.Join(args, " "), out)
	return strings.TrimSpace(string(out))
}

// write puts a file into the working tree.
func (o *origin) write(name, content string) {
	o.t.Helper()
	file := filepath.Join(o.dir, filepath.FromSlash(name))
	require.NoError(o.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(o.t, os.WriteFile(file, []byte(content), 0o644))
}

// commit commits all, a day after the commit before.
func (o *origin) commit(message string) string {
	o.t.Helper()
	o.when += 24 * 60 * 60
	o.git("add", "--all")
	o.gitIn([]byte(message), "commit", "--quiet", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "--file=-")
	return o.git("rev-parse", "HEAD")
}

// patient keeps a machine under load from failing a test.
func (o *CloneOptions) patient() {
	const patience = 10 * time.Minute
	for _, limit := range []*time.Duration{&o.Timeout, &o.LogTimeout, &o.RemoteTimeout} {
		if *limit == 0 {
			*limit = patience
		}
	}
}

// clone clones the repository and closes the clone with the test.
func (o *origin) clone(options *CloneOptions) *Repository {
	o.t.Helper()
	return clone(o.t, o.dir, options)
}

func clone(t testing.TB, target string, options *CloneOptions) *Repository {
	t.Helper()
	if options == nil {
		options = &CloneOptions{}
	}
	options.TempDir = t.TempDir()
	options.patient()
	r, err := Clone(t.Context(), target, options)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, r.Close())
		left, err := os.ReadDir(options.TempDir)
		require.NoError(t, err)
		require.Empty(t, left, "the clone stays")
	})
	return r
}

// parse reads a rubric in which only the probes matter.
func parse(t testing.TB, probes string) *rubric.Rubric {
	t.Helper()
	text := "rubric_metadata: {rubric_name: t, version: 4.0.0}\nprobes:\n" + probes +
		"\ndimensions:\n  - {id: d, name: D, target_artifact: repo, levels: {1: bad, 5: good}}\n"
	rb, problems, err := rubric.Parse("t.yaml", []byte(text))
	require.NoError(t, err, "%v", problems)
	for i := range rb.Probes {
		require.NoError(t, Check(&rb.Probes[i]), rb.Probes[i].ID)
		rb.Dimensions[0].Evidence = append(rb.Dimensions[0].Evidence, rb.Probes[i].ID)
	}
	return rb
}

// whole returns the evidence of a whole probe.
func whole(t testing.TB, all []audit.Evidence, probe string) *audit.Evidence {
	t.Helper()
	for i := range all {
		if all[i].Probe == probe && !all[i].Part {
			return &all[i]
		}
	}
	require.Fail(t, "no evidence of "+probe)
	return nil
}

// parts returns the evidence of a probe's places.
func parts(all []audit.Evidence, probe string) []audit.Evidence {
	var list []audit.Evidence
	for _, e := range all {
		if e.Probe == probe && e.Part {
			list = append(list, e)
		}
	}
	return list
}
