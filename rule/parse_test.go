package rule

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/codec"
)

var update = flag.Bool("update", false, "write the generated files")

func report(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		if p.Warning {
			b.WriteString("warning: ")
		}
		b.WriteString(p.Error() + "\n")
	}
	return b.String()
}

// TestProblems walks testdata: the problems of all rule files of a folder are
// in its file want.
func TestProblems(t *testing.T) {
	t.Parallel()
	for _, dir := range caseDirs(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			var files []File
			for _, name := range ruleFiles(t, dir) {
				data, err := os.ReadFile(filepath.Join(dir, name))
				require.NoError(t, err)
				files = append(files, Parse(name, data))
			}
			require.NotEmpty(t, files)
			rules, problems := Build(files, nil)
			require.Len(t, rules, len(files), "no file is ever left out")
			for i, r := range rules {
				require.Equal(t, files[i].Broken(), r.Spec().Err != nil, files[i].Path)
			}
			got, wantFile := report(problems), filepath.Join(dir, "want")
			if *update {
				require.NoError(t, os.WriteFile(wantFile, []byte(got), 0o644))
			}
			want, err := os.ReadFile(wantFile)
			require.NoError(t, err)
			require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
		})
	}
}

func caseDirs(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir("testdata")
	require.NoError(t, err)
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "fuzz" && e.Name() != "when" {
			dirs = append(dirs, filepath.Join("testdata", e.Name()))
		}
	}
	require.NotEmpty(t, dirs)
	return dirs
}

func ruleFiles(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		if IsRuleFile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	f := Parse("rules/deep/no-push.yaml", []byte("\n# why\nprompt: x\n"))
	require.Empty(t, f.Problems)
	require.Equal(t, Definition{ID: "no-push", Trigger: "any", Severity: "block", Prompt: "x"}, f.Definition)
	require.Equal(t, 3, f.Line)
	require.Empty(t, f.Abs)

	f = Parse("x.yaml", []byte("id: 123\nprompt: x\nfallback: []\n"))
	require.Empty(t, f.Problems)
	require.Equal(t, "123", f.Definition.ID)
	require.Equal(t, []string{}, f.Definition.Fallback, "an empty list is not the same as none")
	require.False(t, f.Broken())

	abs, err := filepath.Abs("x.yaml")
	require.NoError(t, err)
	require.Equal(t, abs, Parse(abs, nil).Abs)
}

// TestWhatParsesCounts shows what is left of a broken file.
func TestWhatParsesCounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Definition{
		"trigger: shell\nprompt: x":                            {ID: "f", Trigger: "any", Severity: "block", Prompt: "x"},
		"trigger: bash\nscope: {a: b}\nprompt: x":              {ID: "f", Trigger: "bash", Severity: "block", Prompt: "x"},
		"trigger: bash\nscope: [\"\"]\nprompt: x":              {ID: "f", Trigger: "bash", Severity: "block", Prompt: "x"},
		"trigger: bash\nscope:\n  -\nprompt: x":                {ID: "f", Trigger: "bash", Severity: "block", Prompt: "x"},
		"trigger: bash\nscope: [a]\nprompt: {a: b}":            {ID: "f", Trigger: "bash", Severity: "block", Scope: []string{"a"}},
		"trigger: bash\nscope: [a]\nwhen: 1 +\nseverity: warn": {ID: "f", Trigger: "bash", Severity: "warn", Scope: []string{"a"}, When: "1 +"},
		"trigger: bash\nscope: [a\n  b: c]]\nprompt: x":        {ID: "f", Trigger: "bash", Severity: "block", Prompt: "x"},
		"\"": {ID: "f", Trigger: "any", Severity: "block"},
	} {
		f := Parse("f.yaml", []byte(text))
		assert.True(t, f.Broken(), text)
		assert.Equal(t, want, f.Definition, text)
	}
}

func TestWhenFault(t *testing.T) {
	t.Parallel()
	f := Parse("f.yaml", []byte("backend: builtin\nwhen: |\n  content != \"\" and\n    nobodyKnows(content)\n"))
	require.Len(t, f.Problems, 1)
	require.Equal(t, 4, f.Problems[0].Line)
	require.Equal(t, 5, f.Problems[0].Column)
	require.Contains(t, f.Problems[0].Message, "nobodyKnows")
}

func TestOffsetOf(t *testing.T) {
	t.Parallel()
	text := "é b\ncd\n\nx"
	for _, tc := range []struct{ line, column, want int }{
		{1, 1, 0}, {1, 2, 2}, {2, 1, 5}, {2, 2, 6}, {4, 1, 9}, {0, 0, 0}, {9, 1, 9}, {1, 99, 0},
	} {
		assert.Equal(t, tc.want, offsetOf(text, tc.line, tc.column), "%d:%d", tc.line, tc.column)
	}
}

func TestIsRuleFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a.yaml": true, "a.yml": true, "a.json": true, "A.YAML": true, "sub/dir/a.b.yaml": true, `sub\a.yml`: true,
		"a.tests.yaml": false, "a.draft.yaml": false, "a.Tests.json": false, ".hidden.yaml": false, "sub/.a.yml": false,
		"a.txt": false, "yaml": false, "a.yaml~": false, "a.yaml.bak": false, "": false, "tests.yaml": true, ".yaml": false,
	} {
		assert.Equal(t, want, IsRuleFile(name), name)
	}
}

func TestParseCases(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"- {bash: ls, expect: pass}\n- {write: a, content: b, expect: violation}\n",
		"tests:\n  - {bash: ls, expect: pass}\n  - {write: a, content: b, expect: violation}\n",
	} {
		cases, problems := ParseCases("x.tests.yaml", []byte(text))
		require.Empty(t, problems)
		require.Equal(t, []Case{{Bash: "ls", Expect: "pass"}, {Write: "a", Content: "b", Expect: "violation"}}, cases)
	}
	cases, problems := ParseCases("x", []byte("- {bash: ls, expect: pass}\n- {bash: ls}\n"))
	require.Len(t, cases, 2)
	require.Equal(t, "x:2:3: the case does not say what is right: write `expect: violation` or `expect: pass`\n", report(problems))
	_, problems = ParseCases("x", []byte("tests: [{bash: ls}]\n"))
	require.Equal(t, "x:1:9: the case does not say what is right: write `expect: violation` or `expect: pass`\n", report(problems))
	cases, problems = ParseCases("x", nil)
	require.Empty(t, cases)
	require.Empty(t, problems)
	_, problems = ParseCases("x", []byte("tests: 5\n"))
	require.NotEmpty(t, problems)
}

func TestCrossed(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string][]string{
		"src/*.ts":         {"src/**/*.ts"},
		"src/*":            {"src/**"},
		"*secret*":         {"*secret*", "**/*secret*/**"},
		"secret*":          {"secret*", "secret*/**"},
		"src/secret*":      {"src/secret*", "src/secret*/**"},
		"src/*/a/*.go":     {"src/**/a/**/*.go"},
		"a*/b.go":          {"a*/**/b.go"},
		"*/b.go":           {"**/b.go"},
		"**/payments/*.ts": {"**/payments/**/*.ts"},
		"**/*.ts":          nil,
		"**/*.test.ts":     nil,
		"src/**":           nil,
		"src/**/*.ts":      nil,
		"*.ts":             nil,
		"*":                nil,
		"**":               nil,
		"a.ts":             nil,
		"src/{a,b}/*.ts":   nil,
	} {
		assert.Equal(t, want, crossed(pattern), pattern)
	}
}

func TestParseSeverity(t *testing.T) {
	t.Parallel()
	for s := sentinel.SeverityInfo; s <= sentinel.SeverityBlock; s++ {
		got, err := ParseSeverity(s.String())
		require.NoError(t, err)
		require.Equal(t, s, got)
	}
	for _, word := range []string{"critical", "unset", ""} {
		_, err := ParseSeverity(word)
		require.ErrorContains(t, err, "block, ask, warn or info")
	}
}

func FuzzParse(f *testing.F) {
	for _, dir := range caseDirs(f) {
		for _, name := range ruleFiles(f, dir) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(f, err)
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := Parse("a.yaml", data)
		for _, p := range file.Problems {
			require.Positive(t, p.Line)
		}
		rules, _ := Build([]File{file, file}, nil)
		for _, r := range rules {
			require.NotEmpty(t, r.Spec().ID)
			require.NotEqual(t, sentinel.SeverityUnset, r.Spec().Severity)
			require.Contains(t, []sentinel.Trigger{"file_write", "file_read", "bash", "mcp", "any"}, r.Spec().Trigger)
			_ = r.Match(&sentinel.Action{Trigger: sentinel.FileWrite, Forms: []string{"src/a.ts"}, Root: "/r"})
		}
		require.NotEqual(t, rules[0].Spec().ID, rules[1].Spec().ID, "its id is taken")
		file.Definition.Tests, file.Definition.Draft = nil, nil
		flat := codec.Reader{Rest: string(codec.Append(nil, file))}
		var back File
		flat.Value(&back)
		require.False(t, flat.Failed)
		require.Empty(t, flat.Rest)
		require.Equal(t, file, back)
	})
}
