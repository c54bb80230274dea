package rule_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

func explained(t *testing.T, when string, a *sentinel.Action) rule.Condition {
	t.Helper()
	rules, problems := rule.Build([]rule.File{rule.Parse("r.yaml", []byte("trigger: any\nbackend: builtin\nwhen: |\n  "+when+"\n"))}, nil)
	require.Empty(t, problems)
	c, ok := rules[0].Explain(context.Background(), a, rules[0].Match(a))
	require.True(t, ok)
	return c
}

func TestExplainNamesPartsAndValues(t *testing.T) {
	t.Parallel()
	c := explained(t, `hasPrefix(path, "src/") and (content contains "DROP" or operation == "edit")`,
		&sentinel.Action{Trigger: sentinel.FileWrite, Path: "src/a.sql", Content: "SELECT 1\n", Op: sentinel.OpEdit})
	require.True(t, c.Holds)
	require.NoError(t, c.Err)
	require.Len(t, c.Parts, 3)
	require.Equal(t, []bool{true, false, true}, []bool{c.Parts[0].Holds, c.Parts[1].Holds, c.Parts[2].Holds})
	require.Contains(t, c.Parts[1].Text, "DROP")
	require.Equal(t, []rule.ConditionValue{{Name: "content", Value: `"SELECT 1\n"`}, {Name: "operation", Value: `"edit"`}, {Name: "path", Value: `"src/a.sql"`}}, c.Reads)
}

// A removal has the parts of the whole: the content does not matter.
func TestExplainOfARemoval(t *testing.T) {
	t.Parallel()
	c := explained(t, `content == "" or operation == "move"`,
		&sentinel.Action{Trigger: sentinel.FileWrite, Path: "a", Op: sentinel.OpDelete})
	require.False(t, c.Holds)
	require.Len(t, c.Parts, 2)
	require.False(t, c.Parts[0].Holds)
	require.Equal(t, `content == ""`, c.Parts[0].Text)
}

func TestExplainShowsCommandsByTheirText(t *testing.T) {
	t.Parallel()
	c := explained(t, `any(commands, .program == "rm")`,
		&sentinel.Action{Trigger: sentinel.Bash, Target: "ls; sudo rm x", Command: shell.Parse("ls; sudo rm x", nil)})
	require.True(t, c.Holds)
	require.Empty(t, c.Parts, "nothing is joined")
	require.Equal(t, []rule.ConditionValue{{Name: "commands", Value: `["ls","rm x"]`}}, c.Reads)
}

// Long values are cut; a part that needs what the whole declares is not shown alone.
func TestExplainIsBounded(t *testing.T) {
	t.Parallel()
	c := explained(t, `let s = lower(content); s contains "y" or s contains "z"`,
		&sentinel.Action{Trigger: sentinel.FileWrite, Path: "a", Content: strings.Repeat("x\x1b", 5000)})
	require.False(t, c.Holds)
	require.Empty(t, c.Parts)
	require.Less(t, len(c.Reads[0].Value), 300)
	require.NotContains(t, c.Reads[0].Value, "\x1b")
}

func TestExplainWithoutWhen(t *testing.T) {
	t.Parallel()
	rules, _ := rule.Build([]rule.File{rule.Parse("r.yaml", []byte("trigger: bash\nprompt: no {{command}}\n"))}, nil)
	_, ok := rules[0].Explain(context.Background(), &sentinel.Action{Trigger: sentinel.Bash}, sentinel.Match{})
	require.False(t, ok)
}
