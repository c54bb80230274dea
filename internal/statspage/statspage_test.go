package statspage

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/browsertest"
	"github.com/agentsentinel/sentinel/internal/digest"
)

func hostile(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "hostile.json"))
	require.NoError(t, err)
	return data
}

func written(t *testing.T, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, data))
	return out.String()
}

func TestWrite(t *testing.T) {
	t.Parallel()
	html := written(t, hostile(t))
	require.Equal(t, 2, strings.Count(html, "<script"), "the data and the page's own script")
	require.Equal(t, 2, strings.Count(html, "</script"))
	require.NotContains(t, html, "onerror=owned=1>")
	require.NotRegexp(t, `(?i)\son[a-z]+\s*=\s*"`, strings.Split(html, `<script type="application/json"`)[0], "no handlers in the markup")
	require.NotRegexp(t, `(?i)(src|href)\s*=\s*"?(https?:)?//`, html, "nothing is loaded")
	_, data, _ := strings.Cut(html, `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	require.JSONEq(t, string(hostile(t)), data, "the data is complete, with what looks like a placeholder in it")
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", " ", "null", "[]", `{"a":`, `{} {}`} {
		require.ErrorContains(t, Write(&bytes.Buffer{}, []byte(data)), "statspage: the data is no JSON object", data)
	}
	require.ErrorIs(t, Write(brokenWriter{}, []byte("{}")), errBroken)
}

var errBroken = errors.New("disk full")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// found is what the driver in testdata/driver.js reports.
type found struct {
	Errors, Foreign, Handlers          []string
	Ready, Title, Owned, Text          string
	Scripts, Charts, Shown             int
	Wide                               float64
	Focused                            bool
	First, Judged, JudgedAgain, ByName []json.RawMessage
	Filtered, Kinds, Theme             []string
	Contrast, ContrastOther            []string
	Stories                            [][]string
}

// TestInBrowser opens the page in a real browser and uses it, with strings in the
// data that would like to be markup, script or commands of a terminal.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Find(t)
	var data struct {
		Rules []struct {
			ID          string `json:"rule_id"`
			Evaluations int64  `json:"evaluations"`
			Violations  int64  `json:"violations"`
		}
		Findings []json.RawMessage
	}
	require.NoError(t, json.Unmarshal(hostile(t), &data))
	names := func(less func(i, j int) bool) (ids []string) {
		order := make([]int, len(data.Rules))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			switch {
			case less(i, j):
				return -1
			case less(j, i):
				return 1
			}
			return 0
		})
		for _, i := range order {
			ids = append(ids, shown(data.Rules[i].ID))
		}
		return ids
	}
	for _, size := range []string{"1200,900", "500,900"} {
		for _, theme := range []string{"light", "dark"} {
			t.Run(size+" "+theme, func(t *testing.T) {
				f := use(t, browser, withDriver(t, written(t, hostile(t))), size, theme)
				require.Empty(t, f.Errors)
				require.Equal(t, "yes", f.Ready)
				require.Equal(t, "Sentinel statistics", f.Title)
				require.Equal(t, "undefined", f.Owned, "nothing of the data was run")
				require.Equal(t, 3, f.Scripts)
				require.Empty(t, f.Foreign)
				require.Empty(t, f.Handlers)
				require.LessOrEqual(t, f.Wide, 0.0, "the page is not wider than the window")
				require.GreaterOrEqual(t, f.Charts, 4)
				require.Empty(t, f.Contrast)
				require.Empty(t, f.ContrastOther)
				require.NotContains(t, f.Text, "\u202e", "nothing turns the text around")
				require.NotContains(t, f.Text, "\x1b")
				require.Contains(t, f.Text, "</script><script>document.title=\"owned\"", "it is shown as it is")

				requireOrder(t, f.First, "Violations descending", names(func(i, j int) bool { return data.Rules[i].Violations > data.Rules[j].Violations }))
				requireOrder(t, f.Judged, "Judged descending", names(func(i, j int) bool { return data.Rules[i].Evaluations > data.Rules[j].Evaluations }))
				require.JSONEq(t, `"Sorted by judged, largest first"`, string(f.Judged[2]))
				requireOrder(t, f.JudgedAgain, "Judged ascending", names(func(i, j int) bool { return data.Rules[i].Evaluations < data.Rules[j].Evaluations }))
				requireOrder(t, f.ByName, "Rule ascending", names(func(i, j int) bool { return data.Rules[i].ID < data.Rules[j].ID }))
				require.True(t, f.Focused, "the heads of the table are buttons, which the keyboard reaches")
				require.Equal(t, []string{"no-secrets"}, f.Filtered)
				require.Len(t, f.Stories, len(data.Findings))
				require.Contains(t, slices.Concat(f.Stories...), "sentinel stats --explain k3f9.1")
				require.Greater(t, len(f.Kinds), 2)
				require.Positive(t, f.Shown)
				require.Less(t, f.Shown, len(data.Findings))
				want := []string{"Dark", "Light"}
				if theme == "dark" {
					want = []string{"Light", "Dark"}
				}
				require.Equal(t, want, f.Theme)
			})
		}
	}
}

// An empty log gives a page too.
func TestEmptyInBrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.Find(t)
	var data map[string]any
	require.NoError(t, json.Unmarshal(hostile(t), &data))
	for key, v := range data {
		if _, list := v.([]any); list {
			data[key] = []any{}
		}
	}
	data["over_time"] = map[string]any{"bucket_s": 0, "outside": 0, "buckets": []any{}}
	data["first"], data["last"] = "", ""
	empty, err := json.Marshal(data)
	require.NoError(t, err)
	html := written(t, empty)
	dom := browsertest.Dump(t, browser, html, "light", "--window-size=900,900")
	require.Contains(t, dom, `data-ready="yes"`)
	require.Contains(t, dom, "No records")
	require.Contains(t, dom, "No rule was judged in this time.")
}

func requireOrder(t *testing.T, got []json.RawMessage, head string, names []string) {
	t.Helper()
	var heads, rows []string
	require.NoError(t, json.Unmarshal(got[0], &heads))
	require.NoError(t, json.Unmarshal(got[1], &rows))
	require.Equal(t, []string{head}, heads)
	require.Equal(t, names, rows)
}

// shown is a text as the page shows it.
func shown(s string) string {
	return strings.NewReplacer("\u202e", "⟨202E⟩", "\u0007", "⟨0007⟩", "\u001b", "⟨001B⟩", "\u2028", "⟨2028⟩").Replace(s)
}

// withDriver adds the driver to a page, and to its policy.
func withDriver(t *testing.T, html string) string {
	t.Helper()
	driver, err := os.ReadFile(filepath.Join("testdata", "driver.js"))
	require.NoError(t, err)
	html = strings.Replace(html, "script-src '", "script-src '"+digest.CSP(string(driver))+"' '", 1)
	return strings.Replace(html, "<title>", "<script>"+string(driver)+"</script><title>", 1)
}

func use(t *testing.T, browser, html, size, theme string) (f found) {
	t.Helper()
	dom := browsertest.Dump(t, browser, html, theme, "--window-size="+size)
	match := regexp.MustCompile(`<pre id="found">([A-Za-z0-9+/=]*)</pre>`).FindStringSubmatch(dom)
	require.NotNil(t, match, "the driver did not finish")
	result, err := base64.StdEncoding.DecodeString(match[1])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(result, &f), "%s", result)
	return f
}
