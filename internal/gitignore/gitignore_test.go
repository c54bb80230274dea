package gitignore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/gittest"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, name string
		folder     bool
		line       int // that ignores; 0: it is not ignored
	}{
		{"build/\n", "build", true, 1},
		{"build/\n", "build", false, 0},
		{"# a\n\n*.log\n!keep.log\n", "a/b.log", false, 3},
		{"*.log\n!keep.log\n", "a/keep.log", false, 0},
		{"/dist\n", "dist", true, 1},
		{"/dist\n", "a/dist", true, 0},
		{"a/b\n", "x/a/b", false, 0},
		{"**/b/c\n", "b/c", false, 1},
		{"**/b/c\n", "x/y/b/c", false, 1},
		{"a/**\n", "a", true, 0},
		{"a/**\n", "a/b/c", false, 1},
		{"a/**/d\n", "a/d", false, 1},
		{"a/**/d\n", "a/b/c/d", false, 1},
		{"a/*/d\n", "a/b/c/d", false, 0},
		{"x \n", "x", false, 1},
		{"x\\ \n", "x ", false, 1},
		{"\\#x\r\n", "#x", false, 1},
		{"\\!x", "!x", false, 1},
		{"caf?\n", "café", false, 0},
		{"caf??\n", "café", false, 1},
		{"v[0-9]\n", "v7", false, 1},
	} {
		p, err := Parse(c.file, false)
		require.NoError(t, err, c.file)
		ignored, line := p.Match(c.name, c.folder)
		require.Equal(t, c.line > 0, ignored, "%q %q", c.file, c.name)
		if ignored {
			require.Equal(t, c.line, line, "%q %q", c.file, c.name)
		}
	}
	for _, file := range []string{"[[:alpha:]]x\n", "a[b/c]d\n", "[ab\n", "a\\\n", strings.Repeat("x\n", maxPatterns+1)} {
		_, err := Parse(file, false)
		require.Error(t, err, "%.20q", file)
	}
	p, err := Parse("Build/\n!KEEP\n", true)
	require.NoError(t, err)
	ignored, _ := p.Match("build", true)
	require.True(t, ignored)
}

// TestLikeGit makes patterns at random, and compares what they say with git check-ignore.
func TestLikeGit(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "b", "ab", "*", "**", "***", "?", "a*", "*b", "a**b", "[ab]", "[!a]", "\\a", "\\*", "é", " ", "[a-c]x", "#a", "!", "]", "a?"}
	names := []string{"a", "b", "ab", "ax", "aab", "abb", "é", "x", "#a", "!a", " ", "a ", "*", "]"}
	pick := func(from []string, most int, end []string) string {
		parts := make([]string, 1+random.IntN(most))
		for i := range parts {
			parts[i] = from[random.IntN(len(from))]
		}
		return strings.Join(parts, "/") + end[random.IntN(len(end))]
	}
	compared, hits := 0, 0
	for range 60 {
		var file strings.Builder
		for range 1 + random.IntN(4) {
			file.WriteString([]string{"", "", "!", "/", "#"}[random.IntN(5)] + pick(words, 4, []string{"", "", "/", " ", "\r"}) + "\n")
		}
		p, err := Parse(file.String(), false)
		if err != nil {
			continue
		}
		repo.Write(".gitignore", file.String())
		var paths []string
		for range 60 {
			paths = append(paths, pick(names, 4, []string{""}))
		}
		for i, said := range checkIgnore(t, repo.Dir, paths) {
			// The paths are not there, so git takes each for a file; those above it are folders.
			ignored, line, parts := false, 0, strings.Split(paths[i], "/")
			for n := range parts {
				if ignored, line = p.Match(strings.Join(parts[:n+1], "/"), n+1 < len(parts)); ignored {
					break
				}
			}
			compared++
			if ignored {
				hits++
				require.True(t, strings.HasPrefix(said, fmt.Sprintf(".gitignore:%d:", line)), "%q %q: line %d, git: %q", file.String(), paths[i], line, said)
				continue
			}
			require.True(t, said == "::" || strings.Contains(said, ":!"), "%q %q: git: %q", file.String(), paths[i], said)
		}
	}
	require.Greater(t, compared, 2000)
	require.Greater(t, hits, 300)
}

// checkIgnore is what git says of each path: file:line:pattern, and :: of one without.
func checkIgnore(t *testing.T, dir string, paths []string) (said []string) {
	t.Helper()
	cmd := exec.Command("git", "check-ignore", "--no-index", "--stdin", "-z", "-v", "-n")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, ".git"), "GIT_CONFIG_NOSYSTEM=1"}
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	var out bytes.Buffer
	cmd.Stdout = &out
	_ = cmd.Run() // status 1: none is ignored
	fields := strings.Split(out.String(), "\x00")
	for i := 0; i+3 < len(fields); i += 4 {
		said = append(said, strings.Join(fields[i:i+3], ":"))
	}
	require.Len(t, said, len(paths))
	return said
}

func FuzzMatch(f *testing.F) {
	f.Add("a/**/b\n!c\n[ab]*\n", "a/x/b")
	f.Fuzz(func(_ *testing.T, file, name string) {
		if p, err := Parse(file, true); err == nil {
			p.Match(name, true)
		}
	})
}
