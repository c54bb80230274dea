package agent_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden holds, for each event in testdata, how it is understood and the
// exact bytes that every kind of decision is answered with.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, name := range agenttest.ProtocolNames() {
		ag, err := agenttest.ByName(name)
		require.NoError(t, err)
		for _, file := range agenttest.GoldenEvents(t, name) {
			t.Run(name+"/"+strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
				t.Parallel()
				stdin, err := os.ReadFile(file)
				require.NoError(t, err)
				ev, err := ag.Decode(stdin)
				require.NoError(t, err)
				require.Equal(t, name, ev.Agent)
				got := describe(t, ev)
				for _, d := range agenttest.Decisions() {
					ans := ag.Encode(ev, d.Decision)
					agenttest.RequireAnswer(t, ev, d.Decision, ans)
					if name == "claude" {
						requireProtocol(t, ev, ans)
					}
					got += fmt.Sprintf("\n%s: exit %d\n\tstdout %s\n\tstderr %s\n", d.Name, ans.Exit, quoted(ans.Stdout), quoted(ans.Stderr))
					for _, text := range ans.Kept {
						got += fmt.Sprintf("\tkept %q\n", text)
					}
				}
				golden := strings.TrimSuffix(file, ".json") + ".golden"
				if *update {
					require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				require.Equal(t, string(want), got)
			})
		}
	}
}

func quoted(b []byte) string {
	if b == nil {
		return "-"
	}
	return "`" + string(b) + "`"
}

func describe(t *testing.T, ev sentinel.Event) string {
	t.Helper()
	require.True(t, json.Valid(ev.Tool.Args) || ev.Tool.Args == nil)
	text := fmt.Sprintf("phase %s\nagent %s\nsession %q\ndir %q\ntranscript %q\ntool %q %q failed=%t\nargs %s\noutput %q\n",
		ev.Phase, ev.Agent, ev.Session, ev.Dir, ev.Transcript, ev.Tool.ID, ev.Tool.Name, ev.Tool.Failed, ev.Tool.Args, ev.Tool.Output)
	if r := ev.Tool.Result; r != sentinel.ResultUnknown {
		text += "result " + [...]string{"unknown", "succeeded", "failed", "running"}[r] + "\n"
	}
	if len(ev.Roots) > 0 {
		text += fmt.Sprintf("roots %q\n", ev.Roots)
	}
	return text
}

// requireProtocol holds what is true of every answer to Claude Code.
func requireProtocol(t *testing.T, ev sentinel.Event, ans agent.Answer) {
	t.Helper()
	require.NotContains(t, string(ans.Stdout), "allow", "an approval skips the user's own prompt")
	switch ans.Exit {
	case 0:
		require.Empty(t, ans.Stderr)
		if ans.Stdout == nil {
			return
		}
		var out struct {
			HookSpecificOutput struct{ HookEventName string }
		}
		require.NoError(t, json.Unmarshal(ans.Stdout, &out))
		require.True(t, strings.HasSuffix(string(ans.Stdout), "}"))
		want := map[sentinel.Phase]string{
			sentinel.PhasePre: "PreToolUse", sentinel.PhasePost: "PostToolUse", sentinel.PhaseStart: "SessionStart",
			sentinel.PhasePermission: "PermissionRequest",
		}[ev.Phase]
		if ev.Tool.Failed {
			want = "PostToolUseFailure"
		}
		switch ev.Phase {
		case sentinel.PhaseStart:
			want = "SessionStart"
		case sentinel.PhaseChange: // a refusal has no hookSpecificOutput
			want = ""
		}
		require.Equal(t, want, out.HookSpecificOutput.HookEventName)
	case 2:
		require.Equal(t, sentinel.PhasePre, ev.Phase)
		require.Empty(t, ans.Stdout)
		for i, line := range strings.Split(strings.TrimSuffix(string(ans.Stderr), "\n"), "\n") {
			require.True(t, i == 0 || strings.HasPrefix(line, "- "), "one line, or a list: %s", line)
		}
		require.True(t, strings.HasSuffix(string(ans.Stderr), "\n"))
	default:
		require.Fail(t, "exit code that Claude Code takes for a fault of the hook", "%d", ans.Exit)
	}
}
