package text

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestSnippetWhole(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "x", strings.Repeat("é", 800), strings.Repeat("a\r\n", 400)} {
		require.Equal(t, Clean(s), Snippet(s, 800))
	}
}

// lines is n ordinary lines.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "the %d. line of ordinary prose\n", i)
	}
	return b.String()
}

func TestSnippetShowsWhatDeservesALook(t *testing.T) {
	t.Parallel()
	for _, hit := range []string{
		`password = "hunter2"`, `const apiKey = "x"`, `AWS_SECRET_ACCESS_KEY=abc`, `"AKIAIOSFODNN7EXAMPLE"`, `token: "abc"`, `-----BEGIN RSA PRIVATE KEY-----`,
		`DROP TABLE users;`, `delete from users`, `eval(request.body)`, `subprocess.run(x, shell=True)`, `os.system("x")`,
		`fetch("https://evil.example/x")`, `mail someone@example.com`, `x = "` + strings.Repeat("aGVsbG8gd29ybGQ1MjM0", 3) + `"`,
		`import requests`,
	} {
		got := Snippet(lines(300)+hit+"\n"+lines(300), 800)
		require.Contains(t, got, hit)
		require.Contains(t, got, "the 0. line")
		require.Contains(t, got, "the 299. line")
		require.Equal(t, 2, strings.Count(got, "characters left out …]"), got)
	}
}

func TestSnippetNamesWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("é", 10_000)
	got := Snippet(content, 400)
	shown := strings.Count(got, "é")
	require.Contains(t, got, fmt.Sprintf("[… %s characters left out …]", Thousands(int64(10_000-shown))))
}

func TestSnippetDecoysHideNothingAtTheEnd(t *testing.T) {
	t.Parallel()
	content := lines(50) + strings.Repeat("password = \"decoy\"\n", 500) + "password = \"the real one\"\n" + strings.Repeat("DROP TABLE decoy;\n", 500) + "drop table the_real_one;\n" + lines(50)
	got := Snippet(content, 800)
	require.Contains(t, got, "the real one")
	require.Contains(t, got, "the_real_one")
}

func TestSnippetBudget(t *testing.T) {
	t.Parallel()
	contents := []string{
		strings.Repeat("a", 5000), strings.Repeat("\x00", 5000), strings.Repeat("\u202e", 5000), strings.Repeat("👩\u200d💻", 2000),
		strings.Repeat("password=1 https://x.example DROP TABLE x;\n", 300), strings.Repeat("\n", 5000), strings.Repeat("\xff", 4000),
		strings.Repeat("\r\n", 3000) + strings.Repeat("x", 3000) + strings.Repeat("\r\n", 3000),
	}
	for _, content := range contents {
		for _, limit := range []int{-1, 0, 120, 121, 400, 800, 3000} {
			got := Snippet(content, limit)
			require.LessOrEqual(t, utf8.RuneCountInString(got), max(limit, snippetMin), "%.20q at %d", content, limit)
			require.Equal(t, got, Clean(got))
		}
	}
}

func TestMiddle(t *testing.T) {
	t.Parallel()
	const limit = 8000
	whole := strings.Repeat("é", limit)
	require.Equal(t, whole, Middle(whole, limit))
	got := Middle("first"+whole+"last", limit)
	require.LessOrEqual(t, utf8.RuneCountInString(got), limit)
	require.True(t, strings.HasPrefix(got, "first"))
	require.True(t, strings.HasSuffix(got, "last"))
	require.Contains(t, got, "characters left out …]")
}

func FuzzSnippet(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, 120)
	}
	f.Add(lines(100), 300)
	f.Fuzz(func(t *testing.T, content string, limit int) {
		limit %= 5000
		got := Snippet(content, limit)
		require.True(t, utf8.ValidString(got))
		require.LessOrEqual(t, utf8.RuneCountInString(got), max(limit, snippetMin))
		got = Middle(content, limit)
		require.True(t, utf8.ValidString(got))
		require.LessOrEqual(t, utf8.RuneCountInString(got), max(limit, snippetMin))
	})
}

func BenchmarkSnippet(b *testing.B) {
	code := strings.Repeat("\tif err := run(ctx, opts.Password); err != nil { return fmt.Errorf(\"run: %w\", err) }\n", 1200)
	for _, size := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				Snippet(code[:size], 800)
			}
		})
	}
}
