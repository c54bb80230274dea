package gitconfig_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/shell/internal/gitconfig"
)

// TestReadIsGits: git reads the same values.
func TestReadIsGits(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	for _, text := range []string{
		"[alias]\n\tci = commit\n",
		"[alias] ci = commit",
		"[ALIAS]\nCi=commit\n[alias]co = checkout # not\n",
		"\ufeff[alias]\nci = commit\n",
		"[alias]\r\nci = commit \r\nco = a\r\n",
		"[alias]\nci = \"commit -m 'a;b' # c\" ; d\n",
		"[alias]\nci = commit \\\n  -a\n",
		"[alias]\nci = \"a\\tb\\\\ \\\"c\\\"\"  \n",
		"[alias]\nci = a\" b \"c\n",
		"[core]\nx = 1\n[alias]\n# ci = no\n; ci = no\nci=commit\n[core]\nci = no\n",
		"[alias \"Long Name\"]\ncommand = commit\n[alias \"a\\\"b]\"]\ncommand = x\n",
		"[alias.Sub]\ncommand = commit\n",
		"[alias]\nci\n",
		"[alias]\nci =\n",
		"[alias]\nci = a  b\\\\\n",
		"[include]\npath = x\n[includeIf \"gitdir:~/a/\"]\npath = y\n",
	} {
		file := filepath.Join(t.TempDir(), "config")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		out, err := exec.CommandContext(t.Context(), "git", "config", "--file", file, "--no-includes", "--list", "-z").Output()
		require.NoError(t, err, "%q", text)
		var want, got []string
		for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			key, value, ok := strings.Cut(entry, "\n")
			if !ok {
				value = "true"
			}
			if strings.HasPrefix(key, "core.") {
				continue
			}
			want = append(want, key+"="+value)
		}
		for _, s := range gitconfig.Read(text, "alias", "include", "includeif") {
			key := s.Section + "."
			if s.Subsection != "" {
				key += s.Subsection + "."
			}
			got = append(got, key+s.Key+"="+s.Value)
		}
		require.Equal(t, want, got, "%q", text)
	}
}

// TestReadGoesOn: settings behind a line that git refuses count, and no text is the end of it.
func TestReadGoesOn(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "?\n", "[alias\n", "[alias \"x\n", "=\n", "[alias]\nx = \"a\n", "[a]b]\n", "[]\n"} {
		got := gitconfig.Read(before+"[alias]\nci = commit", "alias")
		require.NotEmpty(t, got, "%q", before)
		require.Equal(t, gitconfig.Setting{Section: "alias", Key: "ci", Value: "commit"}, got[len(got)-1], "%q", before)
	}
	for _, text := range []string{"[", "[alias", "[alias \"", "[alias \"x\\", "[alias]\nci", "[alias]\nci=", "[alias]\nci=\\", "[alias]\nci=\"\\"} {
		gitconfig.Read(text, "alias")
	}
}

// TestWords: an alias is split as git does.
func TestWords(t *testing.T) {
	t.Parallel()
	for alias, want := range map[string][]string{
		"commit -m 'a b'":  {"commit", "-m", "a b"},
		" commit\t\"\" ":   {"commit", ""},
		`a\ b "c\"d" 'e\'`: {"a b", `c"d`, `e\`},
		"a;b $x":           {"a;b", "$x"},
		"":                 nil,
	} {
		got, ok := gitconfig.Words(alias)
		require.True(t, ok)
		require.Equal(t, want, got, alias)
	}
	for _, alias := range []string{"a 'b", `a "b`, `a\`} {
		_, ok := gitconfig.Words(alias)
		require.False(t, ok, alias)
	}
}
