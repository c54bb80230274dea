package project_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// TestFaultNotice shows that files that are not in force are told once in a session,
// from the compiled form too.
func TestFaultNotice(t *testing.T) {
	t.Parallel()
	files := tree{
		".claude/sentinel/config.yaml":      "backend: builtin\n",
		".claude/sentinel/rules/sound.yaml": guard("*.pem"),
		".claude/sentinel/rules/list.yaml":  "prompt: [x]\n",
		".claude/sentinel/rules/model.yaml": "trigger: bash\nprompt: nobody asks this\n",
	}
	dir, state := files.write(t), t.TempDir()
	opts := &project.Options{StateDir: filepath.Join(state, "s"), CacheDir: filepath.Join(state, "c")}
	ev := sentinel.Event{Session: "one"}
	p := project.Open([]string{dir}, opts)
	said := p.Notices().Faults(ev)
	require.Contains(t, said, "model.yaml:1: the rule has a `prompt` alone")
	require.Contains(t, said, "goes on unjudged")
	require.NotContains(t, said, "list.yaml", "the warning tells of it")
	require.Contains(t, p.Notices().Held(ev), "list.yaml")
	require.Empty(t, p.Notices().Faults(ev), "once")
	for range 2 {
		p = project.Open([]string{dir}, opts)
		require.Len(t, p.Folders[0].Broken(), 2)
		require.Empty(t, p.Notices().Faults(ev))
	}
	require.NotEmpty(t, p.Notices().Faults(sentinel.Event{Session: "two"}))
	require.NotEmpty(t, p.Notices().Faults(sentinel.Event{}))
	require.Empty(t, p.Notices().Faults(sentinel.Event{}), "without a session, once a day")

	files[".claude/sentinel/config.yaml"] = "backend: builtin\nfail_open: false\n"
	p = project.Open([]string{files.write(t)}, opts)
	require.Contains(t, p.Notices().Faults(ev), "is stopped (fail_open: false)")
	require.Empty(t, project.Open([]string{dir}, nil).Notices().Faults(ev), "nothing remembers that it was told")
}
