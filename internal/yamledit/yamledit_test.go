package yamledit_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/internal/yamledit"
)

const file = `# Our settings.

backend: ollama   # local
model: "gemma3:4b"
backends:
  # the server
  ollama:
    url: http://localhost:11434

    keep_alive: 10m

# who else
fallback: [claude,
  builtin]
prompt: |
  Say # no comment

  more
scope:
  - a
  - b
tests:
  - {bash: 'a: b', expect: pass} # one
  - {bash: "x", expect: violation}
  # block
  - bash: y
    expect: pass
empty:
none: {}
fail_open: true
`

func TestSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path string
		value      any
		old, new   string
	}{
		{"keeps the comment", "backend", "claude", "backend: ollama   # local", "backend: claude   # local"},
		{"quoted", "model", "haiku", `model: "gemma3:4b"`, "model: haiku"},
		{"nested", "backends.ollama.keep_alive", "1h", "keep_alive: 10m", "keep_alive: 1h"},
		{"looks like another type", "model", "true", `model: "gemma3:4b"`, `model: "true"`},
		{"number", "backends.ollama.keep_alive", 5, "keep_alive: 10m", "keep_alive: 5"},
		{"list over lines", "fallback", []string{"builtin"}, "fallback: [claude,\n  builtin]", "fallback: [builtin]"},
		{"text block", "prompt", "short", "prompt: |\n  Say # no comment\n\n  more", "prompt: short"},
		{"list in lines", "scope", []string{"a b", "*"}, "scope:\n  - a\n  - b", "scope: [a b, '*']"},
		{"new key in a mapping", "backends.ollama.num_ctx", 8192, "    keep_alive: 10m\n", "    keep_alive: 10m\n    num_ctx: 8192\n"},
		{"new mapping", "backends.claude.model", "haiku", "    keep_alive: 10m\n", "    keep_alive: 10m\n  claude:\n    model: haiku\n"},
		{"key without a value", "empty.a.b", 1, "empty:\n", "empty:\n  a:\n    b: 1\n"},
		{"empty mapping", "none.x", nil, "none: {}\n", "none:\n  x: null\n"},
		{"new key at the end", "timeout_ms", 100, "fail_open: true\n", "fail_open: true\ntimeout_ms: 100\n"},
		{"last", "fail_open", false, "fail_open: true\n", "fail_open: false\n"},
		{"several lines", "model", "a\nb", `model: "gemma3:4b"`, `model: "a\nb"`},
		{"element of a list", "scope.1", "c", "  - b\n", "  - c\n"},
		{"key of an element", "tests.0.answer", map[string]any{"violation": true}, `{bash: 'a: b', expect: pass} # one`, `{bash: 'a: b', expect: pass, answer: {violation: true}} # one`},
		{"changed in an element", "tests.1.expect", "pass", `{bash: "x", expect: violation}`, `{bash: "x", expect: pass}`},
		{"block element", "tests.2.answer", 1, "    expect: pass\n", "    expect: pass\n    answer: 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, file, c.old)
			for _, end := range []string{"\n", "\r\n"} {
				in := strings.ReplaceAll(file, "\n", end)
				got, err := yamledit.Set([]byte(in), strings.Split(c.path, "."), c.value)
				require.NoError(t, err)
				require.Equal(t, strings.ReplaceAll(strings.Replace(file, c.old, c.new, 1), "\n", end), string(got))
			}
		})
	}
}

func TestSetInNothing(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":              "a:\n  b: 1\n",
		"# only this\n": "# only this\na:\n  b: 1\n",
		"c: 1":          "c: 1\na:\n  b: 1\n",
	} {
		got, err := yamledit.Set([]byte(in), []string{"a", "b"}, 1)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for in, says := range map[string]string{
		"a: &x 1\nb: *x\n":  "anchors",
		"a: {b: 1}\n":       "line 1: a mapping in braces",
		"a: 1\n---\nb: 2\n": "more than one document",
		"- a\n":             "no element of a list",
		"a: 1\n":            "no mapping",
		"a: [\n":            "yaml",
	} {
		_, err := yamledit.Set([]byte(in), []string{"a", "b"}, 1)
		require.ErrorContains(t, err, says, in)
	}
	_, err := yamledit.Set(nil, nil, 1)
	require.Error(t, err)
	for _, path := range []string{"a.2", "a.-1", "a.x"} {
		_, err = yamledit.Set([]byte("a: [1, 2]\n"), strings.Split(path, "."), 1)
		require.Error(t, err)
	}
}

// Whatever the file, the result means what was asked, and else nothing changes.
func FuzzSet(f *testing.F) {
	f.Add(file, "backends.ollama.url", "x")
	f.Add("a: b # c\n", "a", "d: e")
	f.Add("? a\n: b\n", "a", "c")
	f.Add("a: [1, 2]\n", "a.1", "x")
	f.Add("a:\n- {b: c}\n", "a.0.b", "x")
	f.Add("a:\n- b\n# c\n- d\ne: f\n", "a", "#")
	f.Fuzz(func(t *testing.T, in, path, value string) {
		out, err := yamledit.Set([]byte(in), strings.Split(path, "."), value)
		if err != nil {
			return
		}
		var got any
		require.NoError(t, yaml.Unmarshal(out, &got))
		for _, key := range strings.Split(path, ".") {
			if list, ok := got.([]any); ok {
				i, err := strconv.Atoi(key)
				require.NoError(t, err)
				got = list[i]
				continue
			}
			got = got.(map[string]any)[key]
		}
		if value == "" && got == nil {
			return
		}
		require.Equal(t, strings.ToValidUTF8(value, "�"), strings.ToValidUTF8(got.(string), "�"))
	})
}
