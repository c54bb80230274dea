// Package gittest makes git repositories for tests: each commit has the same
// author and a time that the repository counts, so that equal content gives equal
// hashes on every machine.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Repository is a repository with a working tree. It is not safe for concurrent use.
type Repository struct {
	Dir string // absolute

	tb   testing.TB
	time time.Time // of the next commit
	home string    // no settings of the machine are used
}

// New makes an empty repository with the branch main. It skips the test where git
// is not installed.
func New(tb testing.TB) *Repository {
	tb.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		tb.Skip("git is not installed")
	}
	r := &Repository{Dir: tb.TempDir(), tb: tb, time: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), home: tb.TempDir()}
	r.Git("init", "--quiet", "--initial-branch=main")
	return r
}

// Write writes a file, and the folders to it.
func (r *Repository) Write(name, text string) {
	r.tb.Helper()
	path := filepath.Join(r.Dir, filepath.FromSlash(name))
	require.NoError(r.tb, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r.tb, os.WriteFile(path, []byte(text), 0o600))
}

// Now makes the next commit one of this time.
func (r *Repository) Now() { r.time = time.Now() }

// Commit commits everything there is and returns the commit's hash. The next one
// is a day later.
func (r *Repository) Commit(message string) (hash string) {
	r.tb.Helper()
	r.Git("add", "--all")
	r.Git("commit", "--quiet", "--allow-empty", "--message", message)
	r.time = r.time.AddDate(0, 0, 1)
	return strings.TrimSpace(r.Git("rev-parse", "HEAD"))
}

// Git runs git in the repository and returns what it prints.
func (r *Repository) Git(args ...string) string {
	r.tb.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	at := r.time.Format(time.RFC3339)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=A Developer", "GIT_AUTHOR_EMAIL=developer@example.com", "GIT_AUTHOR_DATE=" + at,
		"GIT_COMMITTER_NAME=A Developer", "GIT_COMMITTER_EMAIL=developer@example.com", "GIT_COMMITTER_DATE=" + at,
	}
	out, err := cmd.CombinedOutput()
	require.NoError(r.tb, err, "git %s: %s", strings.Join(args, " "), out)
	return string(out)
}
