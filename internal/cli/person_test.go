package cli

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
		"CLAUDE_CODE_SSE_PORT=1":     "", // a terminal in an editor beside Claude Code
		"CURSOR_TRACE_ID=1":          "", // a terminal in Cursor
		"TERM_PROGRAM=vscode":        "",
		"CODEX_HOME=/home/u/.codex":  "",
		"AWS_EXECUTION_ENV=EC2":      "",
		"SSH_AUTH_SOCK=/tmp/agent.1": "",
	} {
		require.Equal(t, want, agentSign(agent.Registry{}, environment(entry)), entry)
	}
}

// What is no terminal is nobody's word, whatever it is.
func TestPersonNeedsATerminal(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	file, err := os.CreateTemp(t.TempDir(), "x")
	require.NoError(t, err)
	defer file.Close()
	in, out, err := os.Pipe()
	require.NoError(t, err)
	defer in.Close()
	defer out.Close()
	for name, stdin := range map[string]io.Reader{"a reader": strings.NewReader("y\n"), "null": null, "a file": file, "a pipe": in, "nothing": nil} {
		_, err := (&Env{Stdin: stdin, Getenv: environment()}).person("sentinel allow")
		require.ErrorContains(t, err, "sentinel allow is for a person: standard input is not the terminal of this session", name)
	}
	_, err = (&Env{Stdin: null, Getenv: environment("CLAUDECODE=1")}).person("sentinel pause")
	require.ErrorContains(t, err, "sentinel pause is for a person: an agent started it (CLAUDECODE is set)")
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
		yes, err := (&terminal{in: in, out: out}).confirm("Really?")
		require.NoError(t, err)
		require.Equal(t, want, yes, "%q", typed)
		shown, err := os.ReadFile(out.Name())
		require.NoError(t, err)
		require.Equal(t, "Really? [y/N] ", string(shown))
		in.Close()
		out.Close()
	}
}
