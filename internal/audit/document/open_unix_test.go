//go:build unix

package document_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
)

// A pipe without a writer is not waited for; a link is as good as its file.
func TestPipeAndLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe.md"), filepath.Join(dir, "link.md")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := document.Open(t.Context(), pipe, nil)
	var u *document.Unreadable
	require.ErrorAs(t, err, &u)
	require.Equal(t, audit.Error, u.Outcome)
	require.ErrorContains(t, u, "no regular file")

	require.NoError(t, os.Symlink(write(t, "a.md", []byte("text")), link))
	d, err := document.Open(t.Context(), link, nil)
	require.NoError(t, err)
	require.Equal(t, filepath.ToSlash(link), d.Name)
}

// The folder of a reading process is gone while the process still runs, so that
// nothing is left of it even when this program is killed.
func TestNoFolderIsLeft(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	p := newPDF()
	p.page("", "")
	path := write(t, "a.pdf", p.bytes())
	_, err := document.Open(t.Context(), path, &document.Options{Reader: append(role(t, "__folders"), dir)})
	require.ErrorContains(t, err, "0 folders")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
