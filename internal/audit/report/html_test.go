package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/browsertest"
)

func TestPage(t *testing.T) {
	t.Parallel()
	page := written(t, report.HTML, trial())
	require.NotContains(t, page, "<script")
	require.NotRegexp(t, `(?i)\s(on[a-z]+|style|src)\s*=`, strings.Join(regexp.MustCompile(`<[a-z][^>]*>`).FindAllString(page, -1), ""), "no handlers, no inline style, nothing to load")
	require.NotRegexp(t, `(?i)(url\(|@import)`, page)
	_, style, found := strings.Cut(page, "<style>")
	require.True(t, found)
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	require.Contains(t, page, `default-src &#39;none&#39;; style-src &#39;sha256-`+strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;"))
	require.NotContains(t, page, "ZgotmplZ")

	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		require.False(t, ids[m[1]], "id %s stands twice", m[1])
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(` href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		require.True(t, strings.HasPrefix(m[1], "#") && ids[m[1][1:]], "%s leads nowhere", m[1])
	}
	for _, table := range regexp.MustCompile(`(?s)<table[ >].*?</table>`).FindAllString(page, -1) {
		require.Contains(t, table, "<caption")
		require.Contains(t, table, `<th scope="col"`)
		require.Contains(t, table, `<th scope="row"`)
	}
}

// driver reports what a browser makes of the page. It is added to the page, and to
// its policy, for the test alone.
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

// TestInBrowser opens the page in a real browser, with texts in the record that
// would like to be markup or script.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Find(t)
	text := `<img src=x onerror="owned=1"></style></script><script>owned=1</script>` + strings.Repeat("wide", 200)
	page := strings.Replace(written(t, report.HTML, poisoned(text, false)), "<title>", "<script>"+driver+"</script><title>", 1)
	sum := sha256.Sum256([]byte(driver))
	page = strings.Replace(page, "; base-uri", "; script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; base-uri", 1)
	for _, width := range []int{1200, 500} {
		for scheme, dark := range map[int]bool{0: true, 1: false} {
			t.Run(fmt.Sprintf("%d dark %t", width, dark), func(t *testing.T) {
				t.Parallel()
				dom := browsertest.Dump(t, browser, page, "", fmt.Sprintf("--window-size=%d,900", width), fmt.Sprintf("--blink-settings=preferredColorScheme=%d", scheme))
				_, found, ok := strings.Cut(dom, `<pre id="found">`)
				require.True(t, ok, "the driver did not finish")
				found, _, _ = strings.Cut(found, "</pre>")
				require.JSONEq(t, fmt.Sprintf(`{"owned": "undefined", "scripts": 1, "foreign": 0, "wide": 0, "faint": "", "dark": %t}`, dark), found)
			})
		}
	}
}
