package pin

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/rule"
)

// Every key of a rule says how it is compared: a new one must not be overlooked.
func TestEveryKeyOfARuleIsCompared(t *testing.T) {
	t.Parallel()
	var keys []string
	for i := range reflect.TypeFor[rule.Definition]().NumField() {
		keys = append(keys, reflect.TypeFor[rule.Definition]().Field(i).Tag.Get("yaml"))
	}
	var compared []string
	for _, k := range ruleKeys {
		compared = append(compared, k.key)
	}
	slices.Sort(keys)
	slices.Sort(compared)
	require.Equal(t, keys, compared)
}

const base = `id: a
trigger: bash
severity: ask
scope: ["git *", "hg *"]
exclude: ["git log*"]
backend: builtin
when: "true"
message: no
`

func parse(t *testing.T, text string) rule.Definition {
	t.Helper()
	f := rule.Parse("a.yaml", []byte(text))
	require.False(t, f.Broken(), "%v", f.Problems)
	return f.Definition
}

func TestWhatWeakensARule(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, was, is string // further lines
		want          Change
	}{
		{"nothing", "", "", Same},
		{"message", "", "message: another\n", Same},
		{"tests", "", "tests: [{bash: git push, expect: violation}]\n", Same},
		{"severity up", "", "severity: block\n", Stronger},
		{"severity down", "severity: block\n", "", Weaker},
		{"to a warning", "", "severity: warn\n", Weaker},
		{"to shadow", "", "mode: shadow\n", Weaker},
		{"out of shadow", "mode: shadow\n", "mode: enforce\n", Stronger},
		{"enforce said", "", "mode: enforce\n", Same},
		{"off", "", "mode: \"off\"\n", Weaker},
		{"on again", "mode: \"off\"\n", "", Stronger},
		{"a shadow rule off", "mode: shadow\n", "mode: \"off\"\n", Same}, // it has stopped nothing
		{"scope wider", "", "scope: [\"git *\", \"hg *\", \"svn *\"]\n", Stronger},
		{"scope of everything", "", "-scope:\n", Stronger},
		{"scope narrower", "", "scope: [\"git *\"]\n", Weaker},
		{"scope of something", "-scope:\n", "", Weaker},
		{"scope in another order", "", "scope: [\"hg *\", \"git *\"]\n", Same},
		{"scope in other words", "", "scope: [\"git **\", \"hg *\"]\n", Weaker},
		{"exclude more", "", "exclude: [\"git log*\", \"git push*\"]\n", Weaker},
		{"exclude less", "", "-exclude:\n", Stronger},
		{"when", "", "when: \"1 == 1\"\n", Changed},
		{"asked for", "", "intent: true\n", Weaker},
		{"never asked for", "intent: true\n", "", Stronger},
		{"not asked for, said", "", "intent: false\n", Same},
		{"exact", "", "verdict: exact\n", Stronger},
		{"a model has a say again", "verdict: exact\n", "verdict: judge\n", Weaker},
		{"judge said", "", "verdict: judge\n", Same},
		{"a doubt", "verdict: exact\nprompt: x\n", "verdict: exact\nprompt: x\ndoubtful: \"true\"\n", Weaker},
		{"no doubt", "verdict: exact\nprompt: x\ndoubtful: \"true\"\n", "verdict: exact\nprompt: x\n", Stronger},
		{"another doubt", "verdict: exact\nprompt: x\ndoubtful: \"true\"\n", "verdict: exact\nprompt: x\ndoubtful: \"false\"\n", Changed},
		{"prompt", "prompt: x\n", "prompt: y\n", Changed},
		{"no prompt", "prompt: x\n", "", Changed},
		{"backend", "", "backend: ollama\nprompt: x\n", Changed},
		{"model", "", "model: m\n", Changed},
		{"fallback of nobody", "", "fallback: []\n", Changed},
		{"trigger", "", "trigger: any\n", Changed},
		{"stronger and weaker", "", "severity: block\nexclude: [\"*\"]\n", Weaker},
	} {
		was, is := parse(t, lines(base, tt.was)), parse(t, lines(base, tt.is))
		got, what := definitions(&was, &is)
		require.Equal(t, tt.want, got, tt.name)
		require.Equal(t, got == Same, len(what) == 0, "%s: %v", tt.name, what)
	}
}

// lines are those of text and of more, which replaces lines with the same key. A line
// of more with a minus before the key takes it out.
func lines(text, more string) string {
	out := ""
	for line := range strings.Lines(text) {
		key, _, _ := strings.Cut(line, ":")
		if !strings.Contains("\n"+more, "\n"+key+":") && !strings.Contains("\n"+more, "\n-"+key+":") {
			out += line
		}
	}
	for line := range strings.Lines(more) {
		if !strings.HasPrefix(line, "-") {
			out += line
		}
	}
	return out
}

func TestWhatWeakensAConfiguration(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		was, is string
		want    Change
	}{
		{"", "", Same},
		{"", "fail_open: false\n", Stronger},
		{"fail_open: false\n", "", Weaker},
		{"fail_open: false\n", "fail_open: true\n", Weaker},
		{"default_mode: shadow\n", "", Stronger},
		{"", "default_mode: shadow\n", Weaker},
		{"", "confidence_threshold: 0.5\n", Stronger},
		{"", "confidence_threshold: 0.9\n", Weaker},
		{"", "derive: false\n", Weaker},
		{"", "backend: builtin\n", Changed},
		{"", "model: other\n", Changed},
		{"", "backends: {ollama: {url: \"http://localhost:1\"}}\n", Changed},
		{"", "backends: {mine: {x: 1}}\n", Changed},
		{"", "rules_dir: others\n", Changed},
		{"", "tool_map: {Write: bash}\n", Changed},
		{"", "tool_map: {}\n", Same},
		{"", "tool_map_extra: {my_tool: bash}\n", Stronger},
		{"", "tool_map_extra: {my_tool: bash}\nfail_open: false\n", Stronger},
		{"tool_map_extra: {a: bash}\n", "tool_map_extra: {a: bash, b: mcp}\n", Stronger},
		{"tool_map_extra: {a: bash, b: mcp}\n", "tool_map_extra: {b: mcp, a: bash}\n", Same},
		{"tool_map_extra: {a: bash}\n", "tool_map_extra: {a: file_read}\n", Changed},
		{"tool_map_extra: {a: bash}\n", "", Changed},
		{"", "tool_map_extra: {Bash: file_read}\n", Changed},
		{"", "timeout_ms: 1\n", Changed},
		{"", "budget: {tokens_per_day: 1}\n", Changed},
		{"", "judge: {second_opinion: block, second_backend: builtin}\n", Changed},
		{"", "cache: {enabled: false}\n", Stronger},
		{"", "log_file: a.log\n", Same},
		{"log_file: a.log\n", "log_file: null\n", Weaker},
		{"", "collect_all: true\nlog_keep: 1\nlog_prompts: true\n", Same},
		{"", "scribe: {enabled: false}\ncontext: {enabled: false}\n", Same},
		{"", "pin: false\n", Same},
		{"", "brief_words: 0\nbrief_lines: true\n", Same},
		{"", "fail_open: false\nderive: false\n", Weaker},
	} {
		was, _ := config.Parse("c", []byte(tt.was))
		is, _ := config.Parse("c", []byte(tt.is))
		got, what := Config(&was, &is, func(tool string) bool { return tool == "Bash" })
		require.Equal(t, tt.want, got, "%q to %q: %v", tt.was, tt.is, what)
		require.Equal(t, got == Same, len(what) == 0, what)
	}
}

// A key that the table does not name counts as changed, whatever its value.
func TestKeysOfTheTableExist(t *testing.T) {
	t.Parallel()
	var c config.Config
	for _, k := range configKeys {
		_, ok := c.Get(k.key)
		require.True(t, ok, k.key)
	}
}
