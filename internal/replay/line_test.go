package replay

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/text/texttest"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                  "",
		" rm\t-rf\n/ ":                      "rm -rf /",
		"a\x1b[31m\u202eb":                  `a\u001b[31m\u202eb`,
		"a\xffb":                            `a\xffb`,
		strings.Repeat("é", maxLine):        strings.Repeat("é", maxLine),
		strings.Repeat("é", maxLine+1):      strings.Repeat("é", maxLine-1) + "…",
		strings.Repeat("heredoc\n", 10_000): strings.Repeat("heredoc ", maxLine)[:maxLine-1] + "…",
	} {
		require.Equal(t, want, line(in), "%.40q", in)
	}
	texttest.OneLine(t, line)
}
