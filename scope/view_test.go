package scope

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/shell"
)

func TestEffectPatterns(t *testing.T) {
	t.Parallel()
	c := NewCommands([]string{"effect:delete"})
	for line, want := range map[string]string{
		"ls; cd src && rm a":                   "rm a",
		"find src -delete":                     "find src -delete",
		`node -e 'fs.unlinkSync("a")'`:         `node -e 'fs.unlinkSync("a")'`,
		"echo rm a":                            "",
		"grep -rn effect:delete docs":          "",
		"mv a b":                               "",
		"git commit -m 'effect:delete is one'": "",
	} {
		parsed := shell.Parse(line, nil)
		m, ok := c.Match(parsed, nil)
		require.Equal(t, want != "", ok, line)
		require.Equal(t, ok, FindInLine(parsed).Has(CommandWord("effect:delete")), "the index leaves out no rule that matches: %s", line)
		if ok {
			require.Equal(t, want, m.Form, line)
			require.Equal(t, want, parsed.Commands[m.Command].Text, line)
		}
	}
	m, ok := c.Match(shell.Parse("rm a", nil), NewCommands([]string{"rm *"}))
	require.False(t, ok)
	require.Equal(t, "rm *", m.ExcludedBy)
	bounded := &shell.Line{Text: "x", Bounded: true}
	m, ok = c.Match(bounded, nil)
	require.True(t, ok, "there may be a deletion in what was not read")
	require.Equal(t, anyCommand, m.Command)
	require.True(t, FindInLine(bounded).Has(CommandWord("effect:delete")))
	require.NoError(t, CheckCommand("effect:lose"))
	require.ErrorContains(t, CheckCommand("effect:loose"), "no effect with this name")
	require.ErrorContains(t, CheckCommand("effect:none"), "no effect with this name")
}
