package project_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gittest"
	"github.com/agentsentinel/sentinel/project"
)

// A branch from before there were rules takes them away: the rule about these files
// is asked, and not for a branch with the same ones.
func TestBranchWithoutRules(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("a", "a")
	r.Commit("a")
	r.Git("branch", "old")
	r.Write(".claude/sentinel/config.yaml", "backend: builtin\n")
	r.Write(".claude/sentinel/rules/guard.yaml", "id: guard\ntrigger: file_write\nseverity: ask\nscope: [\".claude/sentinel/**\"]\nwhen: \"true\"\nmessage: no\n")
	r.Commit("rules")
	r.Git("branch", "same")

	p := project.Open([]string{r.Dir}, nil)
	judge := func(command string) sentinel.Verdict {
		args, err := json.Marshal(map[string]string{"command": command})
		require.NoError(t, err)
		docket := p.Match(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: r.Dir, Tool: sentinel.ToolCall{Name: "Bash", Args: args}})
		d, err := docket.Judge(t.Context())
		require.NoError(t, err)
		return d.Verdict
	}
	// On a busy machine git may answer too late, which does not count.
	asked := false
	for range 50 {
		if asked = judge("git checkout old") == sentinel.VerdictAsk; asked {
			break
		}
	}
	require.True(t, asked)
	require.Equal(t, sentinel.VerdictAllow, judge("git checkout same"))
}
