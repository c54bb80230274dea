package packs_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

// TestInteractive holds that each program that package shell knows to open a prompt is
// in the scope of the rule about it: of the commands of its tests, those at a prompt are
// asked about, and the others are not.
func TestInteractive(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../shell/testdata/prompts.txt")
	require.NoError(t, err)
	files := parsed(t, packs.Recommended)
	i := slices.IndexFunc(files, func(f rule.File) bool { return f.Definition.ID == "interactive-shell" })
	e := engine(t, files[i])
	asked := 0
	for block := range strings.SplitSeq("\n"+string(data), "\n=== ") {
		_, text, _ := strings.Cut(block, "\n")
		text, _, _ = strings.Cut(text, "\n>>>")
		for command := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == '\n' }) {
			want := sentinel.VerdictAllow
			contained := strings.Contains(command, " exec ") && !strings.Contains(command, "bash --norc")
			if slices.ContainsFunc(shell.Parse(command, nil).Commands, func(c shell.Command) bool { return c.Interactive }) && !contained {
				want = sentinel.VerdictAsk
				asked++
			}
			require.Equal(t, want, evaluate(t, e, rule.Case{Bash: command}).Verdict, command)
		}
	}
	require.Greater(t, asked, 40)
}
