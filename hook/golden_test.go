package hook_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/hook"
)

var update = flag.Bool("update", false, "write the golden files anew")

// decisions are what every event in testdata is answered with.
func decisions() []struct {
	name     string
	decision sentinel.Decision
} {
	finding := func(id string, v sentinel.Verdict, reason string) sentinel.Finding {
		return sentinel.Finding{
			Rule: &sentinel.RuleSpec{ID: id}, Action: &sentinel.Action{},
			Outcome: sentinel.OutcomeViolation, Verdict: v, Reason: reason,
		}
	}
	advice := sentinel.Finding{
		Rule: &sentinel.RuleSpec{ID: "owners"}, Action: &sentinel.Action{},
		Outcome: sentinel.OutcomePass, Verdict: sentinel.VerdictAllow,
		Advice: "This folder belongs to the Payments team.\nAsk in #payments-eng.\n",
	}
	warning := finding("style", sentinel.VerdictWarn, "use <api> & not \"db\"")
	return []struct {
		name     string
		decision sentinel.Decision
	}{
		{"allow", sentinel.Decision{Verdict: sentinel.VerdictAllow}},
		{"info", sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{advice}}},
		{"warn", sentinel.Decision{Verdict: sentinel.VerdictWarn, Findings: []sentinel.Finding{warning}}},
		{"warn and info", sentinel.Decision{Verdict: sentinel.VerdictWarn, Findings: []sentinel.Finding{warning, advice}}},
		{"ask", sentinel.Decision{Verdict: sentinel.VerdictAsk, Findings: []sentinel.Finding{
			finding("deploy", sentinel.VerdictAsk, "a person must approve a deployment"),
		}}},
		{"ask and info", sentinel.Decision{Verdict: sentinel.VerdictAsk, Findings: []sentinel.Finding{
			finding("deploy", sentinel.VerdictAsk, "a person must approve a deployment"), advice,
		}}},
		{"block", sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{
			finding("force-push", sentinel.VerdictBlock, "push without --force"),
		}}},
		{"block twice", sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{
			finding("force-push", sentinel.VerdictBlock, "push without --force"), advice,
			finding("main", sentinel.VerdictBlock, "open a pull request"),
		}}},
		{"undecided", sentinel.Decision{}},
		{"undecided with error", sentinel.Decision{Err: errors.New("context canceled")}},
		{"unknown verdict", sentinel.Decision{Verdict: 99}},
	}
}

// TestClaudeGolden holds, for each event in testdata, how it is understood and
// the exact bytes that every kind of decision is answered with.
func TestClaudeGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/claude/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	ag, err := hook.ByName("claude")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			stdin, err := os.ReadFile(file)
			require.NoError(t, err)
			ev, err := ag.Decode(stdin)
			require.NoError(t, err)
			got := describe(t, ev)
			for _, d := range decisions() {
				ans := ag.Encode(ev, d.decision)
				requireProtocol(t, ev, ans)
				got += fmt.Sprintf("\n%s: exit %d\n\tstdout %s\n\tstderr %s\n", d.name, ans.Exit, quoted(ans.Stdout), quoted(ans.Stderr))
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

func quoted(b []byte) string {
	if b == nil {
		return "-"
	}
	return "`" + string(b) + "`"
}

func describe(t *testing.T, ev sentinel.Event) string {
	t.Helper()
	require.True(t, json.Valid(ev.Tool.Args) || ev.Tool.Args == nil)
	return fmt.Sprintf("phase %s\nagent %s\nsession %q\ndir %q\ntranscript %q\ntool %q %q failed=%t\nargs %s\noutput %q\n",
		ev.Phase, ev.Agent, ev.Session, ev.Dir, ev.Transcript, ev.Tool.ID, ev.Tool.Name, ev.Tool.Failed, ev.Tool.Args, ev.Tool.Output)
}

// requireProtocol holds what is true of every answer to Claude Code.
func requireProtocol(t *testing.T, ev sentinel.Event, ans hook.Answer) {
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
		want := map[bool]string{true: "PostToolUseFailure", false: "PostToolUse"}[ev.Tool.Failed]
		if ev.Phase == sentinel.PhasePre {
			want = "PreToolUse"
		}
		require.Equal(t, want, out.HookSpecificOutput.HookEventName)
	case 2:
		require.Equal(t, sentinel.PhasePre, ev.Phase)
		require.Empty(t, ans.Stdout)
		require.Equal(t, 1, strings.Count(string(ans.Stderr), "\n"), "one line")
		require.True(t, strings.HasSuffix(string(ans.Stderr), "\n"))
	default:
		require.Fail(t, "exit code that Claude Code takes for a fault of the hook", "%d", ans.Exit)
	}
}
