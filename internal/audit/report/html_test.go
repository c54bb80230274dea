package report_test

import (
	"crypto/sha256"
	"encoding/base64"
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

// TestInBrowser opens the page in a real browser, with texts in the record that
// would like to be markup or script.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Find(t)
	text := `<img src=x onerror="owned=1"></style></script><script>owned=1</script>` + strings.Repeat("wide", 200)
	browsertest.Look(t, browser, written(t, report.HTML, poisoned(text, false)))
}
