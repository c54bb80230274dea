package project_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// All judges are listed, the user's with the self-protection rules first.
func TestJudges(t *testing.T) {
	t.Parallel()
	user, root := t.TempDir(), t.TempDir()
	const text = "trigger: bash\nbackend: builtin\nwhen: 'true'\n"
	put(t, filepath.Join(user, "rules", "mine.yaml"), text)
	put(t, filepath.Join(root, ".claude", "sentinel", "rules", "theirs.yaml"), text)
	put(t, filepath.Join(root, "sub", ".claude", "sentinel", "rules", "sub.yaml"), text)
	put(t, filepath.Join(root, "sub", ".claude", "sentinel", "config.yaml"), "tool_map_extra: {my_shell: bash}\n")
	p := project.Open([]string{filepath.Join(root, "sub")}, &project.Options{UserDir: user, NoLog: true})
	judges, err := p.Inspect().Judges()
	require.NoError(t, err)
	require.Len(t, judges, 3)
	var ids [][]string
	for _, b := range judges {
		var list []string
		for _, r := range b.Rules {
			list = append(list, r.Spec().ID)
		}
		ids = append(ids, list)
	}
	require.Contains(t, ids[0], "sentinel:own-commands")
	require.Contains(t, ids[0], "user:mine")
	require.Equal(t, [][]string{{"sub"}, {"theirs"}}, ids[1:], "the nearest first")
	require.Equal(t, filepath.Join(root, "sub"), judges[0].Root, "the user's rules see paths as the nearest project does")
	require.Equal(t, []bool{false, false, false}, []bool{judges[0].Alike, judges[1].Alike, judges[2].Alike}, "other tools, another folder")

	ev := sentinel.Event{Phase: sentinel.PhasePre, Dir: root, Root: root, Tool: sentinel.ToolCall{Name: "my_shell", Args: json.RawMessage(`{"command":"ls"}`)}}
	actions, err := judges[1].Engine.Mapper.MapTool(t.Context(), ev)
	require.NoError(t, err)
	require.Equal(t, sentinel.Bash, actions[0].Trigger)
	_, err = judges[2].Engine.Mapper.MapTool(t.Context(), ev)
	require.ErrorIs(t, err, sentinel.ErrUnknownTool)

	alone, err := project.Open([]string{root}, &project.Options{NoLog: true}).Inspect().Judges()
	require.NoError(t, err)
	require.Nil(t, alone[0].Folder)
	require.True(t, alone[1].Alike)
}
