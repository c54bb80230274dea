package secret_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/secret"
)

// A testCase is one line of testdata/cases.txt.
type testCase struct {
	kind, text string
	want       []string // the secrets in text
	line       int
}

// readCases reads testdata/cases.txt, whose head explains its form.
func readCases(t testing.TB) []testCase {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "cases.txt"))
	require.NoError(t, err)
	defer f.Close()
	var cases []testCase
	for sc, n := bufio.NewScanner(f), 1; sc.Scan(); n++ {
		line := sc.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		sign, rest, _ := strings.Cut(line, " ")
		kind, text, ok := strings.Cut(rest, " ")
		require.True(t, ok && (sign == "+" || sign == "-"), "line %d: %q", n, line)
		c := testCase{kind: kind, line: n}
		text = strings.NewReplacer("⏎", "\n", "¦", "").Replace(text)
		for {
			before, after, marked := strings.Cut(text, "«")
			c.text += before
			if !marked {
				break
			}
			var value string
			value, text, ok = strings.Cut(after, "»")
			require.True(t, ok, "line %d: « without »", n)
			c.want = append(c.want, value)
			c.text += value
		}
		require.Equal(t, sign == "+", len(c.want) > 0, "line %d: a + case marks a secret, a - case none", n)
		cases = append(cases, c)
	}
	require.NotEmpty(t, cases)
	return cases
}

func TestFindCases(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t) {
		var got []string
		for _, f := range secret.Find(c.text) {
			got = append(got, c.text[f.Start:f.End])
			if len(c.want) > 0 {
				assert.Equal(t, c.kind, f.Kind, "line %d: %s", c.line, c.text)
			}
		}
		assert.Equal(t, c.want, got, "line %d: %s: %s", c.line, c.kind, c.text)
	}
}

// The text around a secret in files and in JSON does not hide it.
func TestFindInSurroundings(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t) {
		for _, around := range []string{"%s", "first\n%s\n\nlast\n", "\r\n%s\r\n", "// %s", "\xff\xfe %s \xff", `{"content":"a\n` + "%s"} {
			text := strings.Replace(around, "%s", c.text, 1)
			found := secret.Find(text)
			require.Len(t, found, len(c.want), "line %d: %q", c.line, text)
			for i, f := range found {
				require.Equal(t, c.want[i], text[f.Start:f.End], "line %d", c.line)
			}
		}
	}
}

func TestEveryKindHasCases(t *testing.T) {
	t.Parallel()
	positive, negative := map[string]bool{}, map[string]bool{}
	for _, c := range readCases(t) {
		if len(c.want) > 0 {
			positive[c.kind] = true
		} else {
			negative[c.kind] = true
		}
	}
	kinds := secret.Kinds()
	require.True(t, slices.IsSorted(kinds))
	require.GreaterOrEqual(t, len(kinds), 40)
	for _, k := range kinds {
		assert.True(t, positive[k], "no + case for %s", k)
		assert.True(t, negative[k], "no - case for %s", k)
	}
	for k := range positive {
		assert.Contains(t, kinds, k)
	}
}

func TestFindOrder(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	var want []string
	for _, c := range readCases(t) {
		text.WriteString(c.text + "\n\n")
		want = append(want, c.want...)
	}
	s := text.String()
	var got []string
	end := 0
	for _, f := range secret.Find(s) {
		require.LessOrEqual(t, end, f.Start)
		require.Less(t, f.Start, f.End)
		end = f.End
		got = append(got, s[f.Start:f.End])
	}
	require.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"))
}

// A value that is known by its format and by its name is one secret, named by
// its format, and whole.
func TestFindJoinsWhatOverlaps(t *testing.T) {
	t.Parallel()
	token := "ghp" + "_" + "k3JxT8vQz1LmN0pRs5WyB7cDf2GhA9uE4iOo"
	text := `secret_token = "` + token + `"`
	require.Equal(t, []secret.Found{{Kind: "github-token", Start: 16, End: 16 + len(token)}}, secret.Find(text))

	text = `api_key = "prefix9a1b2c:` + token + `:8d7e6f"`
	found := secret.Find(text)
	require.Len(t, found, 1)
	require.Equal(t, "github-token", found[0].Kind)
	require.Equal(t, "prefix9a1b2c:"+token+":8d7e6f", text[found[0].Start:found[0].End])
}

func TestFindNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "ke", "key", "key=", "password:", "://", "://:@", "://a:b@", "token=\"", "-----BEGIN ", "eyJ", " -u", " --user", "authorization", "bearer ", `"auth"`, "sshpass -p", "AKIA", "\x00\x00\x00"} {
		require.Nil(t, secret.Find(text), "%q", text)
		require.Equal(t, text, secret.Mask(text))
	}
}

func TestFindConcurrently(t *testing.T) {
	t.Parallel()
	cases := readCases(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, c := range cases {
				assert.Len(t, secret.Find(c.text), len(c.want))
			}
		})
	}
	wg.Wait()
}

func TestKindsIsTheCallers(t *testing.T) {
	t.Parallel()
	clear(secret.Kinds())
	require.NotContains(t, secret.Kinds(), "")
}
