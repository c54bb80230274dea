package rule

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// A form is a rule file as people write it. Each of them is in force.
type form struct {
	name, text string
	warns      string // a part of the warnings; "" for none
	yes, no    *sentinel.Action
}

// forms are rule files that the Python original enforces, or whose meaning is plain.
func ruleForms() []form {
	src, out := write("src/a.ts"), write("lib/a.ts")
	const file, ask = "trigger: file_write\n", "prompt: Is it right?\n"
	const scoped = file + "scope: [\"src/**\"]\n"
	return []form{
		{"whole", "id: a\nseverity: block\n" + scoped + "exclude: [\"**/*.md\"]\nbackend: claude\nmodel: m\n" + ask, "", src, out},
		{"no id", scoped + ask, "", src, out},
		{"no trigger", "scope: [\"src/**\"]\n" + ask, "", src, out},
		{"no severity", scoped + ask, "", src, out},
		{"no scope", file + ask, "", src, bash("ls")},
		{"no scope and no trigger", ask, "", bash("ls"), nil},
		{"JSON", `{"trigger": "file_write", "scope": ["src/**"], "prompt": "x"}`, "", src, out},
		{"byte order mark", "\xef\xbb\xbf" + scoped + ask, "", src, out},
		{"Windows lines", strings.ReplaceAll(scoped+ask, "\n", "\r\n"), "", src, out},
		{"begins with ---", "---\n" + scoped + ask, "", src, out},
		{"an anchor", "x: &s [\"src/**\"]\n" + file + "scope: *s\n" + ask, "unknown key `x`", src, out},
		{"a merged mapping", "<<: {trigger: file_write}\nscope: [\"src/**\"]\n" + ask, "", src, out},
		{"a second document", scoped + ask + "---\nid: b\n", "a second document", src, out},
		{"empty exclude", scoped + ask + "exclude: []\n", "`exclude` is empty", src, out},
		{"exclude without a value", scoped + ask + "exclude:\n", "`exclude` is empty", src, out},
		{"empty scope", file + "scope: []\n" + ask, "`scope` is empty", src, bash("ls")},
		{"scope without a value", file + "scope:\n" + ask, "`scope` is empty", src, bash("ls")},
		{"scope as text", file + "scope: \"src/**\"\n" + ask, "must be a list", src, out},
		{"exclude as text", scoped + "exclude: lib/**\n" + ask, "must be a list", src, out},
		{"a list in the list", file + "scope: [[\"src/**\"], \"x/**\"]\n" + ask, "a list within", src, out},
		{"a mapping in the list", file + "scope: [\"src/**\", {a: b}]\n" + ask, "put quotes around braces", src, out},
		{"an empty pattern", file + "scope: [\"\", \"src/**\"]\n" + ask, "`scope[0]`", src, out},
		{"an empty element", file + "scope:\n  -\n  - src/**\n" + ask, "`scope[0]` is empty", src, out},
		{"an empty pattern of exclude", scoped + "exclude: [\"\"]\n" + ask, "`exclude[0]`", src, out},
		{"an open bracket in a pattern", file + "scope: [\"src/**\", \"gen[1/**\"]\n" + ask, "read as `gen\\[1/**`", write("gen[1/x"), out},
		{"an open brace in a pattern", file + "scope: [\"src/{a/**\"]\n" + ask, "read as `src/\\{a/**`", write("src/{a/x"), src},
		{"a caret for not", file + "scope: [\"[^l]*/**\"]\n" + ask, "read as `[!l]*/**`", src, out},
		{"a pattern with ..", file + "scope: [\"../x/**\", \"src/**\"]\n" + ask, "left out", src, out},
		{"an open list", file + "scope: [\"src/**\"\n" + ask, "this is not YAML", src, out},
		{"an open quote", file + "scope: [\"src/**]\n" + ask, "this is not YAML", src, nil},
		{"patterns without quotes", file + "scope:\n  - **/*.ts\n  - src/**\n" + ask, "in quotes", src, write("a.go")},
		{"a colon in the prompt", scoped + "prompt: RULE: no logs\n", "this is not YAML", src, out},
		{"a colon in the message", scoped + ask + "message: Note: do not\n", "this is not YAML", src, out},
		{"scope twice", file + "scope: [\"lib/**\"]\nscope: [\"src/**\"]\n" + ask, "duplicate key `scope`", src, out},
		{"prompt twice", scoped + "prompt: y\n" + ask, "duplicate key `prompt`", src, out},
		{"an id with a blank", "id: my rule\n" + scoped + ask, "write `id: my-rule`", src, out},
		{"an id with é", "id: café\n" + scoped + ask, "write `id: caf-`", src, out},
		{"an id that is empty", "id: ''\n" + scoped + ask, "`id` must have", src, out},
		{"an id that is a number", "id: 7\n" + scoped + ask, "", src, out},
		{"an id of the user's own rules", "id: user:user:x\n" + scoped + ask, "belong to the rules of the user", src, out},
		{"description", "description: why\n" + scoped + ask, "unknown key `description` (without effect)", src, out},
		{"tags", "tags: [a]\n" + scoped + ask, "unknown key `tags`", src, out},
		{"notes", "notes: n\n" + scoped + ask, "unknown key `notes`", src, out},
		{"fast_pattern", "fast_pattern: n\n" + scoped + ask, "unknown key `fast_pattern`", src, out},
		{"enabled", "enabled: true\n" + scoped + ask, "unknown key `enabled` (without effect); did you mean `mode`? It is enforce, shadow or off", src, out},
		{"confidence_threshold", "confidence_threshold: 0.9\n" + scoped + ask, "unknown key `confidence_threshold`", src, out},
		{"timeout_ms", "timeout_ms: 100\n" + scoped + ask, "unknown key `timeout_ms`", src, out},
		{"a slip for scope", file + "scop: [\"src/**\"]\n" + ask, "`scop` is taken for `scope`", src, out},
		{"a slip for exclude", file + "exlude: [\"lib/**\"]\n" + ask, "`exlude` is taken for `exclude`", src, out},
		{"exchanged letters", file + "scpoe: [\"src/**\"]\n" + ask, "`scpoe` is taken for `scope`", src, out},
		{"capital letters", "Trigger: file_write\nScope: [\"src/**\"]\nPrompt: x\n", "`Scope` is taken for `scope`", src, out},
		{"a slip for the trigger", "trigger: file-write\nscope: [\"src/**\"]\n" + ask, "is taken for `file_write`", src, bash("src/a.ts")},
		{"an unknown trigger", "trigger: delete\nscope: [\"src/**\"]\n" + ask, "`trigger` cannot be `delete`", src, out},
		{"a list of triggers", "trigger: [file_write, bash]\nscope: [\"src/**\"]\n" + ask, "`trigger` must be text", src, out},
		{"an unknown severity", "severity: critical\n" + scoped + ask, "`severity` cannot be `critical`", src, out},
		{"a slip for the severity", "severity: Block\n" + scoped + ask, "is taken for `block`", src, out},
		{"severity without a value", "severity:\n" + scoped + ask, "", src, out},
		{"an unknown mode", "mode: strict\n" + scoped + ask, "`mode` cannot be `strict`", src, out},
		{"a quoted post", "severity: info\npost: \"true\"\n" + scoped + ask, "without quotes", src, out},
		{"post of a block rule", "post: true\n" + scoped + ask, "`post` is for info rules", src, out},
		{"an unknown variable", scoped + "prompt: 'Is {{diff}} right?'\n", "unknown variable `{{diff}}`", src, out},
		{"a variable of afterwards", scoped + "prompt: 'Is {{tool_output}} right?'\n", "only after the tool", src, out},
		{"no prompt", scoped, "nothing to judge by but its name", src, out},
		{"a blank prompt", scoped + "prompt: ' '\n", "nothing to judge by but its name", src, out},
		{"a prompt that is a number", scoped + "prompt: 7\n", "", src, out},
		{"no prompt, and a when", scoped + "backend: ollama\nwhen: \"true\"\n", "`when` decides", src, out},
		{"a model that is a list", scoped + "model: [a]\n" + ask, "`model` must be text", src, out},
		{"a backend without a value", scoped + "backend: ''\n" + ask, "`backend` is empty", src, out},
		{"a fallback as text", scoped + "fallback: claude\n" + ask, "must be a list", src, out},
		{"a fallback that cannot judge", scoped + "fallback: [builtin]\n" + ask, "take `builtin` out", src, out},
		{"wrong cases", scoped + ask + "tests: [{bash: ls}, 5]\n", "does not say what is right", src, out},
	}
}

// TestForms shows that a rule that can be understood in part is in force in part, and
// warned of.
func TestForms(t *testing.T) {
	t.Parallel()
	forms := ruleForms()
	require.GreaterOrEqual(t, len(forms), 46)
	for _, f := range forms {
		file := Parse("rules/a.yaml", []byte(f.text))
		rules, problems := Build([]File{file}, &Options{Backend: "ollama", Backends: []string{"ollama", "claude", "builtin"}})
		spec := rules[0].Spec()
		if !assert.NoError(t, spec.Err, f.name) {
			continue
		}
		assert.True(t, validID(spec.ID), "%s: %s", f.name, spec.ID)
		assert.NotContains(t, spec.ID, "user:", f.name)
		assert.NotEmpty(t, spec.Prompt+file.Definition.When, "%s: something to judge by", f.name)
		assert.True(t, rules[0].Match(f.yes).OK, "%s: %s", f.name, f.yes.Target)
		if f.no != nil {
			assert.False(t, rules[0].Match(f.no).OK, "%s: %s", f.name, f.no.Target)
		}
		if said := report(problems); f.warns == "" {
			assert.Empty(t, said, f.name)
		} else {
			assert.Contains(t, said, f.warns, f.name)
		}
		for _, p := range problems {
			assert.True(t, p.Warning, "%s: %s", f.name, p.Message)
			assert.Positive(t, p.Line, f.name)
		}
	}
}

func TestCheckCases(t *testing.T) {
	t.Parallel()
	require.Empty(t, CheckCases("a", []byte("prompt: x\nnonsense: 1\ntests: [{bash: ls, expect: pass}]\n")))
	require.Empty(t, CheckCases("a", []byte("prompt: x\n")))
	for _, text := range []string{"tests: [{bash: ls}]", "tests: [5]", "tests: {}", "tests: [{bash: ls, expct: pass}]"} {
		problems := CheckCases("a", []byte("x: 1\n"+text))
		require.NotEmpty(t, problems, text)
		require.False(t, problems[0].Warning, text)
	}
}
