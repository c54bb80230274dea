package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
)

func TestToolName(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		trigger    sentinel.Trigger
		want       string
	}{
		{"a command", "", sentinel.Bash, "Bash"},
		{"a write", "", sentinel.FileWrite, "Write"},
		{"a read", "", sentinel.FileRead, "Read"},
		{"an MCP tool", "", sentinel.MCP, "mcp__github__push"},
		{"more names", "tool_map_extra: {my_shell: bash}\n", sentinel.Bash, "Bash"},
		{"other names", "tool_map: {z_shell: bash, my_shell: bash}\n", sentinel.Bash, "my_shell"},
		{"other names with the usual one", "tool_map: {a_shell: bash, Bash: bash}\n", sentinel.Bash, "Bash"},
		{"a name that is added", "tool_map: {a_shell: bash}\ntool_map_extra: {Bash: bash}\n", sentinel.Bash, "Bash"},
		{"no tool does it", "tool_map: {a_shell: bash}\n", sentinel.FileRead, "Read"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, problems := config.Parse("config.yaml", []byte(tc.text))
			require.Empty(t, problems)
			require.Equal(t, tc.want, c.ToolName(tc.trigger, "github", "push"))
		})
	}
}
