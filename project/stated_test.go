package project_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// What a caller or its mapper says that a call does is judged, or it is an error: a slip
// in it is never "no rule is about it".
func TestStatedActions(t *testing.T) {
	t.Parallel()
	dir := tree{
		".claude/sentinel/config.yaml":      "backend: builtin\n",
		".claude/sentinel/rules/write.yaml": guard("src/**"),
		".claude/sentinel/rules/push.yaml":  "trigger: bash\nbackend: builtin\nwhen: \"true\"\nscope: [\"git push*\"]\nmessage: not so\n",
		".claude/sentinel/rules/query.yaml": "trigger: mcp\nbackend: builtin\nwhen: \"true\"\nscope: [\"pg:*\"]\nmessage: not there\n",
		"sub/a.txt":                         "a",
	}.write(t)
	for name, c := range map[string]struct {
		action sentinel.Action
		err    string
	}{
		"a path":             {sentinel.Action{Trigger: sentinel.FileWrite, Path: "../src/a.ts"}, ""},
		"a target":           {sentinel.Action{Trigger: sentinel.FileWrite, Target: filepath.Join(dir, "src", "a.ts")}, ""},
		"a form":             {sentinel.Action{Trigger: sentinel.FileWrite, Forms: []string{"src/a.ts"}, Root: dir}, ""},
		"a command":          {sentinel.Action{Trigger: sentinel.Bash, Target: "true && git push"}, ""},
		"an MCP tool":        {sentinel.Action{Trigger: sentinel.MCP, Server: "pg", MCPTool: "query"}, ""},
		"no path":            {sentinel.Action{Trigger: sentinel.FileWrite, Content: "x"}, `action 0 of tool "save" has no path`},
		"no command":         {sentinel.Action{Trigger: sentinel.Bash}, "has no command"},
		"no trigger":         {sentinel.Action{Target: "src/a.ts"}, "has no trigger"},
		"a slip":             {sentinel.Action{Trigger: "file_wirte", Target: "src/a.ts"}, `action 0 of tool "save" has the trigger "file_wirte": an action has file_write, file_read, bash or mcp`},
		"a trigger of rules": {sentinel.Action{Trigger: sentinel.Any, Target: "src/a.ts"}, `the trigger "any"`},
		"one of no rule":     {sentinel.Action{Trigger: "mail", Target: "to@example.org"}, `the trigger "mail"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			actions := []sentinel.Action{c.action}
			ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: "ours", Dir: filepath.Join(dir, "sub"), Tool: sentinel.ToolCall{Name: "save"}}
			mapped := sentinel.MapperFunc(func(context.Context, sentinel.Event) ([]sentinel.Action, error) { return actions, nil })
			given := ev
			given.Actions = actions
			for _, try := range []struct {
				ev   sentinel.Event
				opts project.Options
			}{{given, project.Options{}}, {ev, project.Options{Mapper: mapped}}} {
				d, err := project.Open([]string{dir}, &try.opts).Evaluate(t.Context(), try.ev)
				if c.err == "" {
					require.NoError(t, err)
					require.Equal(t, sentinel.VerdictBlock, d.Verdict)
					continue
				}
				require.ErrorIs(t, err, sentinel.ErrEvent)
				require.ErrorContains(t, err, c.err)
				require.Equal(t, sentinel.VerdictUndecided, d.Verdict)
			}
			require.Equal(t, []sentinel.Action{c.action}, actions, "the caller's actions stay as they are")
		})
	}
}

// An event without a phase, or of one that there is not, is an error here as in the engine.
func TestAnEventOfNoPhaseIsAnError(t *testing.T) {
	t.Parallel()
	p := project.Open([]string{tree{".claude/sentinel/rules/a.yaml": guard("src/**")}.write(t)}, nil)
	for phase := range sentinel.Phase(255) {
		ev := write(t.TempDir(), "a.ts")
		ev.Phase = phase
		d, err := p.Evaluate(t.Context(), ev)
		docket := p.Match(t.Context(), ev)
		judged, failed := docket.Judge(t.Context())
		if phase >= sentinel.PhaseStart && phase <= sentinel.PhasePermission {
			require.NoError(t, err, phase)
			require.NoError(t, failed, phase)
			require.Equal(t, sentinel.VerdictAllow, d.Verdict, phase)
			continue
		}
		require.ErrorIs(t, err, sentinel.ErrEvent, phase)
		require.Equal(t, sentinel.VerdictUndecided, d.Verdict, phase)
		require.False(t, docket.Empty(), phase)
		require.ErrorIs(t, failed, sentinel.ErrEvent, phase)
		require.Equal(t, sentinel.VerdictUndecided, judged.Verdict, phase)
	}
}
