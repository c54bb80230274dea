package packs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/rule"
)

// TestPrograms holds that program texts which run what another machine sends, or send
// it a secret, are stopped, and that those which look like them are not.
func TestPrograms(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/programs.txt")
	require.NoError(t, err)
	e := engine(t, everything(t)...)
	count := map[string]int{}
	for block := range strings.SplitSeq("\n"+string(data), "\n=== ") {
		title, command, _ := strings.Cut(strings.TrimSpace(block), "\n")
		want, _, ok := strings.Cut(title, " ")
		if !ok {
			continue
		}
		count[want]++
		d := evaluate(t, e, rule.Case{Bash: command})
		got := "pass"
		if d.Verdict != sentinel.VerdictAllow {
			got = "stop"
		}
		assert.Equal(t, want, got, "%s\n%s", title, command)
	}
	require.Greater(t, count["stop"], 25)
	require.Greater(t, count["pass"], 25)
}
