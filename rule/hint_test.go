package rule_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/rule"
)

func TestHints(t *testing.T) {
	t.Parallel()
	const scoped = "scope: [\"src/billing/**\"]\n"
	for _, test := range []struct {
		name, text string
		want       string // a part of the hint; "" for none
	}{
		{"only the path", "trigger: file_write\n" + scoped + "prompt: 'FILE: {{file_path}} Is it in billing?'", "{{content_snippet}}"},
		{"only the summary", "trigger: file_write\n" + scoped + "prompt: '{{action_summary}} Is it in billing?'", "backend: builtin"},
		{"a file is read", "trigger: file_read\n" + scoped + "prompt: Is it in billing?", "backend: builtin"},
		{"the content too", "trigger: file_write\n" + scoped + "prompt: '{{file_path}} {{content_snippet}}'", ""},
		{"no variable, so that the content is added", "trigger: file_write\n" + scoped + "prompt: Is it in billing?", ""},
		{"a when", "trigger: file_write\nwhen: 'true'\n" + scoped + "prompt: '{{file_path}}'", ""},
		{"every path", "trigger: file_write\nprompt: 'Is {{file_path}} a good name?'", ""},
		{"a command", "trigger: bash\nscope: [\"git push*\"]\nprompt: '{{action_summary}}'", ""},
		{"information", "trigger: file_write\nseverity: info\n" + scoped + "prompt: 'mind {{file_path}}'", ""},
		{"broken", "trigger: file_write\nwhen: 1 +\n" + scoped + "prompt: '{{file_path}}'", ""},
	} {
		rules, _ := rule.Build([]rule.File{rule.Parse("/r/x.yaml", []byte("# first\n"+test.text))}, nil)
		hints := rules[0].Hints()
		if test.want == "" {
			require.Empty(t, hints, test.name)
			continue
		}
		require.Len(t, hints, 1, test.name)
		require.True(t, hints[0].Warning)
		require.Equal(t, 2, hints[0].Line)
		require.Equal(t, "/r/x.yaml", hints[0].File)
		require.Contains(t, hints[0].Message, test.want, test.name)
	}
}
