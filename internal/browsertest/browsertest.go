// Package browsertest opens pages in a real browser, for tests of what they look
// like and do.
package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/digest"
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
	cmd := exec.CommandContext(ctx, browser, append(options(dir, "--dump-dom", "file://"+filepath.ToSlash(path)+"#"+fragment), flags...)...)
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && !strings.Contains(stdout.String(), "</html>") {
		t.Skipf("%s does not run here: %v\n%s", browser, err, stderr.String())
	}
	return stdout.String()
}

// options are the flags of a browser without a window that has its profile in dir, and more.
func options(dir string, more ...string) []string {
	return append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--user-data-dir=" + filepath.Join(dir, "profile")}, more...)
}

// driver reports what a browser makes of a page without a script. It is added to the page,
// and to its policy, for the test alone.
const driver = `addEventListener("load", () => {
  const luminance = c => { const [r, g, b] = c.match(/[0-9.]+/g).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (c !== "rgba(0, 0, 0, 0)") return c; } return "rgb(255, 255, 255)"; };
  const faint = new Set();
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const a = luminance(getComputedStyle(e).color), b = luminance(behind(e));
    if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5) faint.add(e.tagName + "." + e.className);
  }
  const found = { owned: String(window.owned), scripts: document.scripts.length, foreign: performance.getEntriesByType("resource").length,
    wide: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth), faint: [...faint].join(" "), dark: matchMedia("(prefers-color-scheme: dark)").matches };
  document.body.textContent = "";
  document.body.append(Object.assign(document.createElement("pre"), { id: "found", textContent: JSON.stringify(found) }));
});`

// Look opens a page without a script in light and dark, wide and narrow. No part of it may
// run or be loaded, it is no wider than the window, and its text is easy to read by the
// contrast of WCAG 2.
func Look(t *testing.T, browser, page string) {
	t.Helper()
	page = strings.Replace(page, "<title>", "<script>"+driver+"</script><title>", 1)
	page = strings.Replace(page, "; base-uri", "; script-src '"+digest.CSP(driver)+"'; base-uri", 1)
	for _, width := range []int{1200, 500} {
		for scheme, dark := range map[int]bool{0: true, 1: false} {
			t.Run(fmt.Sprintf("%d dark %t", width, dark), func(t *testing.T) {
				t.Parallel()
				dom := Dump(t, browser, page, "", fmt.Sprintf("--window-size=%d,900", width), fmt.Sprintf("--blink-settings=preferredColorScheme=%d", scheme))
				_, found, ok := strings.Cut(dom, `<pre id="found">`)
				require.True(t, ok, "the driver did not finish")
				found, _, _ = strings.Cut(found, "</pre>")
				require.JSONEq(t, fmt.Sprintf(`{"owned": "undefined", "scripts": 1, "foreign": 0, "wide": 0, "faint": "", "dark": %t}`, dark), found)
			})
		}
	}
}
