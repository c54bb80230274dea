package rule_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/rule"
)

// TestUnmeetable: what another rule stops in any case cannot be asked for.
func TestUnmeetable(t *testing.T) {
	t.Parallel()
	const tests = "trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [\"npm test\"]}\nmessage: m\n"
	const stops = "trigger: bash\nscope: [\"npm *\"]\nbackend: builtin\nwhen: 'true'\nmessage: m\n"
	for name, c := range map[string]struct {
		obligation, other string
		never             bool
	}{
		"stopped":                  {tests, stops, true},
		"by a condition that is":   {tests, "trigger: bash\nscope: [\"npm *\"]\nbackend: builtin\nwhen: command contains \"test\"\nmessage: m\n", true},
		"by one that is not":       {tests, "trigger: bash\nscope: [\"npm *\"]\nbackend: builtin\nwhen: command contains \"publish\"\nmessage: m\n", false},
		"another command":          {tests, "trigger: bash\nscope: [\"npm publish*\"]\nbackend: builtin\nwhen: 'true'\nmessage: m\n", false},
		"exempt":                   {tests, stops + "exclude: [\"npm test\"]\n", false},
		"warned of":                {tests, stops + "severity: warn\n", false},
		"in shadow mode":           {tests, stops + "mode: shadow\n", false},
		"switched off":             {tests + "mode: off\n", stops, false},
		"by a model, maybe":        {tests, "trigger: bash\nscope: [\"npm *\"]\nprompt: Is it bad?\n", false},
		"one of two":               {"trigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [\"npm test\", \"make test\"]}\nmessage: m\n", stops, false},
		"a file that is not read":  {"before_first: {write: [\"src/**\"], read: [docs/a.md]}\nmessage: m\n", "trigger: file_read\nscope: [\"docs/**\"]\nbackend: builtin\nwhen: 'true'\nmessage: m\n", true},
		"a file not to be written": {"also: {changed: [\"src/**\"], with: [docs/a.md]}\nmessage: m\n", "trigger: file_write\nscope: [\"docs/**\"]\nbackend: builtin\nwhen: 'true'\nmessage: m\n", true},
		"a wider pattern":          {"also: {changed: [\"src/**\"], with: [\"docs/**\"]}\nmessage: m\n", "trigger: file_write\nscope: [\"docs/old/**\"]\nbackend: builtin\nwhen: 'true'\nmessage: m\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			built, problems := rule.Build([]rule.File{rule.ParseStrict("a.yaml", []byte(c.obligation)), rule.ParseStrict("b.yaml", []byte(c.other))}, nil)
			for _, p := range problems {
				require.True(t, p.Warning, p)
			}
			found := built.Unmeetable(t.Context())
			if !c.never {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Equal(t, "a.yaml", found[0].File)
			require.Contains(t, found[0].Message, "can never be met: the rule b (b.yaml:1)")
		})
	}
}
