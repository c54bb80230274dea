package hook

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/project"
)

// The hook answers before the agent that started it gives up, whether or not it
// was registered with a deadline.
func TestDeadlineOfAHook(t *testing.T) {
	t.Parallel()
	for _, ag := range (agent.Registry{}).All() {
		name := ag.Name
		h := &call{clock: newClock(time.Now()), agent: ag, event: sentinel.Event{Phase: sentinel.PhasePre}}
		want, limit := defaultDeadline, ag.Timeout(sentinel.PhasePre)
		if limit > 0 {
			want = min(want, limit-time.Second)
		}
		require.Equal(t, want, h.deadline(), name)
		if limit > 0 {
			require.Less(t, h.deadline(), limit, name)
		}
		h.flags.deadline = 40 * time.Second
		require.Equal(t, 40*time.Second, h.deadline(), name)
	}
	require.Equal(t, defaultDeadline, (&call{clock: newClock(time.Now()), agent: unknownAgent()}).deadline())

	claude, err := agent.Registry{}.Named("claude")
	require.NoError(t, err)
	for phase, want := range map[sentinel.Phase]time.Duration{
		sentinel.PhaseEnd: 750 * time.Millisecond, sentinel.PhasePrompt: defaultDeadline, sentinel.PhaseUnknown: defaultDeadline,
	} {
		require.Equal(t, want, (&call{clock: newClock(time.Now()), agent: claude, event: sentinel.Event{Phase: phase}}).deadline(), phase)
	}
}

// hook_timeout_s makes the deadline shorter, never longer, where no flag says it. A
// repository's takes no time from the rules of the user.
func TestDeadlineOfTheConfiguration(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, user, repo string
		flag, want       time.Duration
	}{
		{name: "shorter", repo: "hook_timeout_s: 5\n", want: 4 * time.Second},
		{name: "the shortest", repo: "hook_timeout_s: 2\n", want: time.Second},
		{name: "longer", repo: "hook_timeout_s: 600\n", want: defaultDeadline},
		{name: "not said", repo: "fail_open: true\n", want: defaultDeadline},
		{name: "with a flag", repo: "hook_timeout_s: 5\n", flag: 9 * time.Second, want: 9 * time.Second},
		{name: "the user's is longer", user: "hook_timeout_s: 8\n", repo: "hook_timeout_s: 2\n", want: 7 * time.Second},
		{name: "the user's is shorter", user: "hook_timeout_s: 3\n", repo: "hook_timeout_s: 6\n", want: 5 * time.Second},
		{name: "the user's says nothing", user: "backend: builtin\n", repo: "hook_timeout_s: 2\n", want: defaultDeadline},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, f := range [...]struct{ path, text string }{{"user", tc.user}, {"repo/.claude/sentinel", tc.repo}} {
				folder := filepath.Join(dir, filepath.FromSlash(f.path))
				require.NoError(t, os.MkdirAll(folder, 0o755))
				if f.text != "" {
					require.NoError(t, os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(f.text), 0o600))
				}
			}
			c := &call{clock: newClock(time.Now()), agent: unknownAgent(), flags: flags{deadline: tc.flag}, env: &Env{
				Dir: filepath.Join(dir, "repo"), Getenv: func(string) string { return "" },
				Project: func() *project.Options { return &project.Options{UserDir: filepath.Join(dir, "user")} },
			}}
			c.openInTime()
			require.Equal(t, tc.want, c.deadline())
		})
	}
}
