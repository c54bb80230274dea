package trigger_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/trigger"
)

// An action that is made by hand is the one that the mapper makes of an agent's call.
func TestActionsMadeByHand(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "src"), 0o700))
	_ = os.Symlink("src", filepath.Join(root, "alias")) // where one can be made
	call := func(tool string, args any) sentinel.Event {
		raw, err := json.Marshal(args)
		require.NoError(t, err)
		return sentinel.Event{Phase: sentinel.PhasePre, Agent: "ours", Dir: root, Tool: sentinel.ToolCall{Name: tool, Args: raw}}
	}
	mapped := func(ev sentinel.Event) []sentinel.Action {
		actions, err := trigger.New(nil).MapTool(t.Context(), ev)
		require.NoError(t, err)
		for i := range actions {
			actions[i].Agent = "ours"
		}
		return actions
	}
	write := call("Write", map[string]string{"file_path": "alias/a.ts", "content": "x"})
	require.Equal(t, mapped(write), []sentinel.Action{trigger.WriteAction(write, "alias/a.ts", "x")})
	read := call("Read", map[string]string{"file_path": "alias/a.ts"})
	require.Equal(t, mapped(read), []sentinel.Action{trigger.ReadAction(read, "alias/a.ts")})
	bash := call("Bash", map[string]string{"command": "cat > src/b.ts <<< x"})
	require.Equal(t, mapped(bash), trigger.CommandAction(bash, "cat > src/b.ts <<< x"))
	mcp := call("mcp__fs__write_file", map[string]string{"path": "src/c.ts", "content": "x"})
	made, err := trigger.MCPAction(mcp, "fs", "write_file", mcp.Tool.Args)
	require.NoError(t, err)
	require.Equal(t, mapped(mcp), made)
	require.Len(t, made, 2, "the call, and the write")

	_, err = trigger.MCPAction(mcp, "fs", "write_file", json.RawMessage(`{`))
	require.ErrorIs(t, err, sentinel.ErrEvent)
}

func TestChain(t *testing.T) {
	t.Parallel()
	knows := func(name string, err error) sentinel.ToolMapper {
		return sentinel.MapperFunc(func(_ context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
			if ev.Tool.Name != name {
				return nil, sentinel.ErrUnknownTool
			}
			return []sentinel.Action{{Trigger: "x", Target: name}}, err
		})
	}
	broken := errors.New("no arguments")
	m := trigger.Chain(nil, knows("a", nil), knows("b", broken), knows("b", nil))
	for name, want := range map[string]error{"a": nil, "b": broken, "c": sentinel.ErrUnknownTool} {
		_, err := m.MapTool(t.Context(), sentinel.Event{Tool: sentinel.ToolCall{Name: name}})
		require.ErrorIs(t, err, want)
	}
	_, err := trigger.Chain().MapTool(t.Context(), sentinel.Event{})
	require.ErrorIs(t, err, sentinel.ErrUnknownTool)
}
