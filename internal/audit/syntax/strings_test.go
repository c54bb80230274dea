package syntax_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

func TestStringsOfNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lang, src string
		want      []string
	}{
		"python": {"python", `
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
`, []string{"PROMPT 3-4 abc\nAé", `PROMPT_RAW 5-5 a\n`, "prompt_x 7-7 key", "prompt 8-8 keyword", `system_prompt 9-9 you are {} of {it} a\n{}z`,
			"prompt_for 12-12 first", "prompt_for 14-15 second half", "prompt 17-19 \n    three\n    ", "prompt 21-21 four", "prompt 23-23 five", "prompt_lambda 24-24 six", "prompt_list 25-25 seven", "prompt_list 25-25 eight"}},
		"typescript": {"typescript", "// const prompt = 'comment'\nconst prompt = 'a' + `b ${x} c` + \"d\\n\";\nconst o = { prompt: 'key', other: 'no', 'prompt2': `t`, prompt3() { return 'm'; } };\nfunction promptFor() { return 'r' as string; }\nconst promptOf = () => 'arrow';\nclass A { static prompt = 'field'; }\nlet prompt4: string;\nprompt4 = 'set';\nconst j = prompt;\n",
			[]string{"prompt 2-2 ab {} cd\n", "prompt 3-3 key", "prompt2 3-3 t", "prompt3 3-3 m", "promptFor 4-4 r", "promptOf 5-5 arrow", "prompt 6-6 field", "prompt4 8-8 set"}},
		"tsx": {"tsx", "const a = <B prompt=\"attribute\" other=\"no\">prompt</B>;\n", []string{"prompt 1-1 attribute"}},
		"go": {"go", "package p\n// const prompt = `comment`\nconst prompt = `a` +\n\t\"b\"\nvar m = map[string]string{\"prompt\": \"key\", \"x\": \"no\"}\nvar s = T{Prompt: \"field\", promptX: fmt.Sprintf(\"%d\", 1)}\nfunc promptFor() string { return \"r\" }\nfunc f() { prompt2 := \"local\"; prompt2 = \"set\"; use(prompt2) }\n",
			[]string{"prompt 3-4 ab", "prompt 5-5 key", "promptFor 7-7 r", "prompt2 8-8 local", "prompt2 8-8 set"}},
		"rust": {"rust", "// const PROMPT: &str = \"comment\";\nconst PROMPT: &str = \"a\\n\";\nstatic PROMPT_B: &str = r#\"b\\n\"#;\nfn prompt_for() -> String { \"tail\".to_string() }\nfn f() { let prompt = concat!(\"c\", \"d\"); let s = S { prompt: \"field\".into(), other: \"no\" }; return; }\n",
			[]string{"PROMPT 2-2 a\n", `PROMPT_B 3-3 b\n`, "prompt_for 4-4 tail", "prompt 5-5 cd", "prompt 5-5 field"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := syntax.Strings(context.Background(), rubric.Strings{Lang: c.lang, Names: "(?i)^(system_)?prompt(_.*|\\d|X|For|Of)?$"}, syntax.File{Path: "f", Lang: c.lang, Source: []byte(c.src)})
			require.NoError(t, err)
			var got []string
			for _, l := range found {
				if name == "go" && (l.Name == "Prompt" || l.Name == "promptX") {
					continue // asked for below
				}
				got = append(got, fmt.Sprintf("%s %d-%d %s", l.Name, l.First, l.Last, l.Text))
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestStringsOfGoFields(t *testing.T) {
	t.Parallel()
	found, err := syntax.Strings(context.Background(), rubric.Strings{Names: "Prompt"}, syntax.File{Path: "f", Lang: "go", Source: []byte("package p\nvar s = T{Prompt: \"field\", U: &U{Prompt: `in` + x + `ner`}}\n")})
	require.NoError(t, err)
	require.Equal(t, []syntax.Literal{{Name: "Prompt", Text: "field", First: 2, Last: 2}, {Name: "Prompt", Text: "in{}ner", First: 2, Last: 2}}, found)
}

func TestStringsRefuse(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	_, err := syntax.Strings(ctx, rubric.Strings{Names: "["}, syntax.File{Lang: "python"})
	require.ErrorContains(t, err, "syntax: names:")
	_, err = syntax.Strings(ctx, rubric.Strings{Lang: "python"}, syntax.File{Lang: "go"})
	require.ErrorIs(t, err, syntax.ErrLanguage)
	_, err = syntax.Strings(ctx, rubric.Strings{}, syntax.File{Lang: "python", Source: []byte(strings.Repeat("x", syntax.MaxFile+1))})
	require.ErrorIs(t, err, syntax.ErrTooLarge)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = syntax.Strings(ended, rubric.Strings{}, syntax.File{Lang: "python"})
	require.ErrorIs(t, err, context.Canceled)
}
