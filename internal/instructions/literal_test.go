package instructions

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// runFirst is what the message of a draft says to run.
var runFirst = lazy.Regexp{Source: `(?i:^|, )[Rr]un (.+) first\.`}

// TestLiteral: what the message of a draft says to run meets the draft.
func TestLiteral(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it judges thousands of lines one after the other: not with -short, as under the race detector")
	}
	var lines []struct{ Line string }
	for _, name := range []string{"testdata/lines.yaml", "testdata/precise.yaml"} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		var more []struct{ Line string }
		require.NoError(t, yaml.Unmarshal(data, &more))
		lines = append(lines, more...)
	}
	for _, f := range forms.All().Forms {
		for _, c := range f.Cases {
			lines = append(lines, struct{ Line string }{c.Line})
		}
	}
	tries := 0
	for _, l := range lines {
		for _, d := range onLine("- "+l.Line+"\n", 1) {
			var made ruletext.Rule
			require.NoError(t, yaml.Unmarshal([]byte(d.YAML), &made))
			m := runFirst.Get().FindStringSubmatch(made.Message)
			if made.Requires == nil || m == nil {
				continue
			}
			for name := range strings.SplitSeq(m[1], " or ") {
				if forms.ActOf(sentence.Term{Kind: 'a', Text: name}) != nil {
					continue
				}
				tries++
				require.Empty(t, meets(t, d, &made, name), l.Line)
			}
		}
	}
	require.Greater(t, tries, 80)
}

// meets says what is wrong with a draft that has one more case: the command or the tool of its
// message ran.
func meets(t *testing.T, d Draft, made *ruletext.Rule, name string) string {
	c := made.Tests[0]
	c.Expect = ruletext.Pass
	ran := []ruletext.Step{{Bash: ruletext.Literal(name)}}
	if tool := "*:" + name; slices.Contains(made.Requires.Ran, tool) {
		ran = append(ran, ruletext.Step{MCP: "server:" + name})
		if !slices.Contains(made.Requires.Ran, name) {
			ran = ran[1:]
		}
	}
	for _, r := range ran {
		one := c
		if made.Trigger == "" {
			one.Turn = []string{r.Bash}
		} else {
			one.Before = append(slices.Clone(c.Before), r)
		}
		if fault := with(t, d, one); fault != "" {
			return fault
		}
	}
	return ""
}
