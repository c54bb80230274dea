package doctor_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/internal/install"
)

// The hook of every agent stops the call in the agent's own way, and nothing is left of it.
func TestShow(t *testing.T) {
	t.Parallel()
	agents := newWorld(t).options().Project.Agents
	for _, name := range agents.Installable() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.init(install.Hook{}, name)
			shown, err := doctor.Show(t.Context(), w.options(), []string{"nobody", name})
			if agents.Find(name).Settings.Before == nil { // the agent itself has to start its plugin
				require.ErrorIs(t, err, doctor.ErrNothingToShow)
				return
			}
			require.NoError(t, err)
			require.Empty(t, shown.Fault)
			require.Equal(t, []string{"git push --force origin main", "push", "no"}, []string{shown.Command, shown.Rule, shown.Message})
			require.NoFileExists(t, w.at(".claude/sentinel/sentinel.log"))
			var left []string // but the user's key, the pin of rules that are opened for the first time, and those compiled
			require.NoError(t, filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && !slices.Contains([]string{"sentinel", "pins", "rules"}, filepath.Base(filepath.Dir(path))) {
					left = append(left, d.Name())
				}
				return err
			}))
			require.Empty(t, left)
		})
	}
}

func TestShowSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, hook := range map[string]string{"lets everything pass": "exit 0", "crashes": "kill -SEGV $$", "names no rule": "echo no >&2; exit 2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.stub("~/bin/sentinel", hook)
			w.onPath("~/bin")
			w.init(install.Hook{}, "claude")
			shown, err := doctor.Show(t.Context(), w.options(), []string{"claude"})
			require.NoError(t, err)
			require.NotEmpty(t, shown.Fault)
		})
	}
	w := newWorld(t)
	w.init(install.Hook{}, "claude")
	w.write(".claude/sentinel/rules/push.yaml", "trigger: bash\nscope: [\"git pull*\"]\nbackend: builtin\nwhen: \"true\"\nmessage: no\n")
	_, err := doctor.Show(t.Context(), w.options(), []string{"claude"})
	require.ErrorIs(t, err, doctor.ErrNothingToShow)
	require.ErrorContains(t, err, "no rule here stops")
}
