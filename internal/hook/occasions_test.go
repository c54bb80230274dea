package hook

import (
	"os"
	"path/filepath"
	"testing"

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
