// Package browsertest opens pages in a real browser, for tests of what they look
// like and do.
package browsertest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Find returns Chromium, and skips the test without one.
func Find(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds; -short")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed: the page is not tried in a browser")
	return ""
}

// Dump opens a page at #fragment, without a network, and returns what has become
// of it. A browser that does not come up on this machine says nothing about the
// page: the test is skipped.
func Dump(t *testing.T, browser, page, fragment string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	require.NoError(t, os.WriteFile(path, []byte(page), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--dump-dom", "file://" + filepath.ToSlash(path) + "#" + fragment}, flags...)...)
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && !strings.Contains(stdout.String(), "</html>") {
		t.Skipf("%s does not run here: %v\n%s", browser, err, stderr.String())
	}
	return stdout.String()
}
