package person

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
)

// environment is a world with these variables.
func environment(entries ...string) func(string) string {
	return func(name string) string {
		for _, e := range entries {
			if key, value, _ := strings.Cut(e, "="); key == name {
				return value
			}
		}
		return ""
	}
}

func TestSignsOfAnAgent(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"CLAUDECODE=1":           "CLAUDECODE",
		"CODEX_SANDBOX=seatbelt": "CODEX_SANDBOX",
		"CURSOR_AGENT=1":         "CURSOR_AGENT",
		"GEMINI_CLI=1":           "GEMINI_CLI",
		"QWEN_CODE=1":            "QWEN_CODE",
		"OPENCODE=1":             "OPENCODE",
		"CLINE_ACTIVE=true":      "CLINE_ACTIVE",
		"COPILOT_CLI=1":          "COPILOT_CLI",
		"AWS_EXECUTION_ENV=x AmazonQ-For-CLI Version/1": "AWS_EXECUTION_ENV",

		"CLAUDECODE=":                "",
		"CLAUDE_CODE_SSE_PORT=1":     "", // a terminal in an editor next to Claude Code
		"CURSOR_TRACE_ID=1":          "", // a terminal in Cursor
		"TERM_PROGRAM=vscode":        "",
		"CODEX_HOME=/home/u/.codex":  "",
		"AWS_EXECUTION_ENV=EC2":      "",
		"SSH_AUTH_SOCK=/tmp/agent.1": "",
	} {
		require.Equal(t, want, Sign(agent.Registry{}, environment(entry)), entry)
	}
}

func TestOnlyYesIsYes(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]bool{
		"y\n": true, "Y\n": true, "yes\n": true, " YES \r\n": true, "y": true,
		"": false, "\n": false, "n\n": false, "yep\n": false, "\x00y\n": false, "n\ny\n": false, "ja\n": false,
	} {
		in, err := os.CreateTemp(t.TempDir(), "in")
		require.NoError(t, err)
		_, err = in.WriteString(typed)
		require.NoError(t, err)
		_, err = in.Seek(0, io.SeekStart)
		require.NoError(t, err)
		out, err := os.CreateTemp(t.TempDir(), "out")
		require.NoError(t, err)
		yes, err := (&Terminal{In: in, Out: out}).Confirm("Really?")
		require.NoError(t, err)
		require.Equal(t, want, yes, "%q", typed)
		shown, err := os.ReadFile(out.Name())
		require.NoError(t, err)
		require.Equal(t, "Really? [y/N] ", string(shown))
		in.Close()
		out.Close()
	}
}

// A word counts only where it is shown: one that is typed in advance does not.
func TestOnlyTheWordIsAnAnswer(t *testing.T) {
	t.Parallel()
	ask := func(typed, word string) (yes bool, shown string) {
		in, err := os.CreateTemp(t.TempDir(), "in")
		require.NoError(t, err)
		defer in.Close()
		_, err = in.WriteString(typed)
		require.NoError(t, err)
		_, err = in.Seek(0, io.SeekStart)
		require.NoError(t, err)
		out, err := os.CreateTemp(t.TempDir(), "out")
		require.NoError(t, err)
		defer out.Close()
		yes, err = (&Terminal{In: in, Out: out}).Challenge("Really?", word)
		require.NoError(t, err)
		data, err := os.ReadFile(out.Name())
		require.NoError(t, err)
		return yes, string(data)
	}
	for typed, want := range map[string]bool{
		"mavidu\n": true, " MAVIDU \r\n": true, "mavidu": true,
		"": false, "\n": false, "y\n": false, "yes\n": false, "mavid\n": false, "mavidu!\n": false, "y\nmavidu\n": false,
	} {
		yes, shown := ask(typed, "mavidu")
		require.Equal(t, want, yes, "%q", typed)
		require.Equal(t, "Really?\nIf so, type mavidu and press Enter: ", shown)
	}
	words := map[string]bool{}
	for range 50 {
		yes, shown := ask("y\n", "")
		require.False(t, yes)
		require.Regexp(t, `type ([b-z][aeiu]){3} and`, shown)
		words[shown] = true
	}
	require.Greater(t, len(words), 45, "another word each time")
}
