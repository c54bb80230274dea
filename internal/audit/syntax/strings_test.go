package syntax_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

func TestStringsOfNames(t *testing.T) {
	t.Parallel()
	const src = `
# PROMPT = "comment"
PROMPT = "a" 'b' \
    "c\n\x41\u00e9"
PROMPT_RAW: str = r"a\n"
other = "no"
prompts = {"prompt_x": "key", "other": "no", 1: "no"}
call(prompt="keyword", other="no")
call(system_prompt=f"you are {role!r} of {{it}} {PROMPT_RAW}" + tail + "z")
def prompt_for(role):
    "prompt docstring"
    if role: return "first"
    def inner(): return "inner"
    return ("second"
            " half")
class A:
    prompt = """
    three
    """.strip()
    def f(self):
        self.prompt = textwrap.dedent("four")
        prompt = variable
        prompt = x if y else "five"
prompt_lambda = lambda: "six"
prompt_list = ["seven", "eight"]
prompt = "%s of" % 1
`
	names := regexp.MustCompile(`(?i)^(system_)?prompt(_.*|\d|X|For|Of)?$`)
	found, err := syntax.Strings(context.Background(), names, syntax.File{Path: "f", Lang: "python", Source: []byte(src)})
	require.NoError(t, err)
	var got []string
	for _, l := range found {
		got = append(got, fmt.Sprintf("%s %d-%d %s", l.Name, l.First, l.Last, l.Text))
	}
	require.Equal(t, []string{"PROMPT 3-4 abc\nAé", `PROMPT_RAW 5-5 a\n`, "prompt_x 7-7 key", "prompt 8-8 keyword", `system_prompt 9-9 you are {} of {it} a\n{}z`,
		"prompt_for 12-12 first", "prompt_for 14-15 second half", "prompt 17-19 \n    three\n    ", "prompt 21-21 four", "prompt 23-23 five", "prompt_lambda 24-24 six", "prompt_list 25-25 seven", "prompt_list 25-25 eight"}, got)
}

func TestStringsRefuse(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	every := regexp.MustCompile("")
	_, err := syntax.Strings(ctx, every, syntax.File{Lang: "go"})
	require.ErrorIs(t, err, syntax.ErrLanguage)
	_, err = syntax.Strings(ctx, every, syntax.File{Lang: "python", Source: []byte(strings.Repeat("x", syntax.MaxFile+1))})
	require.ErrorIs(t, err, syntax.ErrTooLarge)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = syntax.Strings(ended, every, syntax.File{Lang: "python"})
	require.ErrorIs(t, err, context.Canceled)
}
