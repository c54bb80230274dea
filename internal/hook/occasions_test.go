package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCommitByAlias: a commit under a name that the repository gives it is one.
func TestCommitByAlias(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config, line string
		stopped      bool
	}{
		"an alias":           {"[alias]\nci = commit\n", "git ci -m x", true},
		"of a shell":         {"[alias]\nci = \"!git add -A; git commit\"\n", "git ci -m x", true},
		"in a script":        {"[alias]\nci = commit\n", "bash -c 'git ci -m x'", true},
		"tested in its line": {"[alias]\nci = commit\n", "go test ./... && git ci -m x", false},
		"of another command": {"[alias]\nci = log\n", "git ci", false},
		"none":               {"[core]\n", "git ci -m x", false},
	} {
		s := obliged(t, map[string]string{"test": testFirst})
		require.NoError(t, os.Mkdir(filepath.Join(s.dir, ".git"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, ".git/config"), []byte(c.config), 0o644))
		s.write("a.go")
		require.Equal(t, c.stopped, s.bash(c.line), name)
	}
}

// TestTurnThatTheUserEnds: the agent is not sent back to work that the user has stopped. What was
// done then is judged at the end of the next turn.
func TestTurnThatTheUserEnds(t *testing.T) {
	t.Parallel()
	s := obliged(t, map[string]string{"pages": "also: {changed: [\"docs/*.md\"], with: [docs/sidebar.yml]}\nmessage: Add it to the sidebar.\n"})
	s.agent = "cursor"
	stop := func(status string) string {
		return s.send(map[string]any{"hook_event_name": "stop", "status": status, "conversation_id": "s", "workspace_roots": []string{s.dir}})
	}
	s.send(map[string]any{
		"hook_event_name": "postToolUse", "tool_name": "Write", "tool_use_id": "1", "conversation_id": "s",
		"tool_input": map[string]any{"file_path": filepath.Join(s.dir, "docs/a.md"), "content": "x"}, "tool_output": "{}",
	})
	require.NotContains(t, stop("aborted"), "followup_message")
	require.Contains(t, stop("completed"), "followup_message")
}

// TestOccasions: what commits files, and what publishes them for review.
func TestOccasions(t *testing.T) {
	t.Parallel()
	rules := map[string]string{
		"commit":  "also: {changed: [\"docs/*.md\"], with: [docs/sidebar.yml], by: commit}\nmessage: m\n",
		"request": "also: {changed: [\"src/*.go\"], with: [CHANGELOG.md], by: pull_request}\nmessage: m\n",
	}
	s := obliged(t, rules)
	s.write("docs/a.md")
	s.write("src/a.go")
	for line, stopped := range map[string]bool{
		"git commit -m x":                true,
		"hub commit -m x":                true,
		"jj commit -m x":                 true,
		"git push":                       true,
		"hub push":                       true,
		"hub pull-request":               true,
		"gh pr create --fill":            true,
		"gh pr new":                      true,
		"glab mr create":                 true,
		"glab mr new --fill":             true,
		"gh api repos/o/r/pulls -X POST": true,
		"gh api --method POST /repos/o/r/pulls --input x.json":                       true,
		"gh api repos/o/r/pulls --input x.json":                                      true,
		"gh api repos/o/r/pulls -f title=x -f head=b -f base=m":                      true,
		"gh api -F title=x repos/o/r/pulls -f head=b":                                true,
		"gh api graphql -f query='mutation { createPullRequest(input: {}) { id } }'": true,
		"glab api projects/1/merge_requests -f source_branch=x":                      true,
		"glab api -X POST projects/1/merge_requests":                                 true,

		"gh api repos/o/r/pulls":                            false,
		"gh api repos/o/r/pulls --method GET -f state=open": false,
		"gh api repos/o/r/pulls/7/comments -f body=x":       false,
		"gh pr list":                         false,
		"glab api projects/1/merge_requests": false,
		"hub ci-status":                      false,
		"hub log":                            false,
	} {
		answer := s.before("Bash", map[string]any{"command": line})
		require.Equal(t, stopped, strings.Contains(answer, `"deny"`), line)
	}
}

// TestWritesOfUnknownFiles: a command that edits files which its line does not name makes tests old
// where files are newer than the run.
func TestWritesOfUnknownFiles(t *testing.T) {
	t.Parallel()
	for line, old := range map[string]bool{
		"some-tool | xargs sed -i s/a/b/":                 true,
		"xargs -a files sed -i s/a/b/":                    true,
		"sed -i s/a/b/ $F":                                true,
		`sed -i s/a/b/ "src/$F"`:                          true,
		"cat files | while read f; do rm \"$f\"; done":    true,
		"rg -l x src | xargs sed -i s/a/b/":               true,
		"find src -name '*.go' | xargs sed -i s/a/b/":     true,
		"git ls-files src | xargs -n1 perl -pi -e s/a/b/": true,
		"sed -i s/a/b/ \"docs/$F\"":                       false,
		"some-tool | xargs sed -n p":                      false,
	} {
		for _, changes := range []bool{true, false} {
			s := obliged(t, map[string]string{"test": testFirst})
			file := filepath.Join(s.dir, "src/a.go")
			require.NoError(t, os.Mkdir(filepath.Dir(file), 0o755))
			require.NoError(t, os.Mkdir(filepath.Join(s.dir, "docs"), 0o755))
			require.NoError(t, os.WriteFile(file, []byte("a"), 0o644))
			was := s.now().Add(-time.Hour)
			require.NoError(t, os.Chtimes(file, was, was))
			s.bash("go test ./...")
			require.False(t, s.bash(line), line)
			if changes {
				later := s.now().Add(time.Hour)
				require.NoError(t, os.Chtimes(file, later, later))
			}
			named := strings.HasPrefix(line, "rg") || strings.HasPrefix(line, "find") || strings.HasPrefix(line, "git")
			require.Equal(t, old && (changes || named), s.bash("git commit -m x"), "%s: %t", line, changes)
		}
	}
}

// TestUnknownFilesInOneLine: edits between the run and the commit of a line.
func TestUnknownFilesInOneLine(t *testing.T) {
	t.Parallel()
	for line, stopped := range map[string]bool{
		"go test ./... && git commit -am x":                                    false,
		"go test ./... && some-tool | xargs sed -i s/a/b/ && git commit -am x": true,
		"go test ./... && sed -i s/a/b/ $F && git commit -am x":                true,
		"sed -i s/a/b/ $F && go test ./... && git commit -am x":                false,
		"go test ./... && sed -n p $F && git commit -am x":                     false,
		"go test ./... && git commit -m x && sed -i s/a/b/ $F":                 false,
	} {
		s := obliged(t, map[string]string{"test": testFirst})
		s.write("a.go")
		require.Equal(t, stopped, s.bash(line), line)
	}
}

// TestFactsThatWereChanged: a write that somebody took out of what is kept makes no test new, and
// another run settles it. An obligation about files cannot be judged.
func TestFactsThatWereChanged(t *testing.T) {
	t.Parallel()
	without := func(s *sessionRun, text string) {
		files, err := filepath.Glob(filepath.Join(s.state, "facts/*"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		data, err := os.ReadFile(files[0])
		require.NoError(t, err)
		var kept []string
		for line := range strings.Lines(string(data)) {
			if !strings.Contains(line, text) {
				kept = append(kept, line)
			}
		}
		require.NoError(t, os.WriteFile(files[0], []byte(strings.Join(kept, "")), 0o600))
	}
	s := obliged(t, map[string]string{"test": testFirst})
	s.bash("go test ./...")
	s.write("a.go")
	s.write("a.md")
	without(s, `"a.go"`)
	require.Contains(t, s.before("Bash", map[string]any{"command": "git commit -m x"}), "what Sentinel keeps of this session was changed")
	s.bash("go test ./...")
	require.False(t, s.bash("git commit -m x"))

	s = obliged(t, map[string]string{"pages": "also: {changed: [\"docs/*.md\"], with: [docs/sidebar.yml]}\nmode: strict\nmessage: m\n"})
	s.write("docs/a.md")
	s.write("a.go")
	without(s, `"docs/a.md"`)
	require.Contains(t, s.before("Bash", map[string]any{"command": "git commit -m x"}), "what Sentinel keeps of this session was changed")
}

// TestFactsThatWereCutOff: if somebody removes the last write from the facts, an old test run still does not
// count, and rules about the session do not fall silent. Such rules ignore the cut in later sessions.
func TestFactsThatWereCutOff(t *testing.T) {
	t.Parallel()
	cut := func(s *sessionRun) {
		files, err := filepath.Glob(filepath.Join(s.state, "facts/*"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		data, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.Contains(t, string(data), `"a.go"`)
		require.NoError(t, os.WriteFile(files[0], data[:strings.LastIndex(string(data[:strings.Index(string(data), `"a.go"`)]), "\n")+1], 0o600))
	}
	for name, rule := range map[string]string{
		"requires": testFirst,
		"also":     "also: {changed: [\"*.go\"], with: [CHANGELOG.md], by: commit}\nmessage: m\n",
		"when":     "trigger: bash\nscope: [\"git commit*\"]\nbackend: builtin\nwhen: wrote(\"*.go\") and not ran(\"make\")\nmessage: m\n",
		"last":     "trigger: bash\nscope: [\"git commit*\"]\nbackend: builtin\nwhen: last(wrote(\"*.go\")) > last(ran(\"make\"))\nmessage: m\n",
	} {
		s := obliged(t, map[string]string{"rule": rule})
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, ".claude/sentinel/config.yaml"), []byte("backend: builtin\nlog_file: \"\"\nfail_open: false\n"), 0o644))
		s.bash("go test ./...")
		s.write("a.md")
		s.write("a.go")
		cut(s)
		require.Contains(t, s.before("Bash", map[string]any{"command": "git commit -m x"}), "what Sentinel keeps of this session was changed", name)
		s.write("c.md")
		require.Contains(t, s.before("Bash", map[string]any{"command": "git commit -m z"}), "what Sentinel keeps of this session was changed", name)
		for _, s.id = range []string{"another", "a third"} { // the first of them finds the cut
			s.write("b.md")
		}
		if answer := s.before("Bash", map[string]any{"command": "git commit -m y"}); name == "when" || name == "last" {
			require.Empty(t, answer, name)
		}
	}
}
