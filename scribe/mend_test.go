package scribe

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMended(t *testing.T) {
	t.Parallel()
	const rest = "id: a\nscope: [\"src/**\"]\n"
	for name, tt := range map[string]struct{ body, want string }{
		"sound":            {rest, rest},
		"an empty exclude": {rest + "exclude: []\n", "id: a\nscope: [\"src/**\"]\n"},
		"a null exclude":   {rest + "exclude:\n", "id: a\nscope: [\"src/**\"]\n"},
		"other keys":       {rest + "description: x\ntags: [a]\n", "id: a\nscope: [\"src/**\"]\n"},
		"a slip":           {rest + "exlude: [a]\n", rest + "exlude: [a]\n"},
		"what is objected": {rest + "mode: shadow\nmodel: x\n", rest + "mode: shadow\nmodel: x\n"},
		"an empty scope":   {"id: a\nscope: []\n", "id: a\nscope: []\n"},
		"as JSON":          {`{"id":"a","exclude":[]}`, "{\"id\": \"a\"}\n"},
		"a list":           {"- a\n", "- a\n"},
		"no YAML":          {"id: [", "id: ["},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, mended(tt.body))
		})
	}
}

func TestWithoutClosing(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"It is wrong.\n": "It is wrong.\n",
		"It is wrong.\n\nRespond ONLY with JSON: {\"violation\": true/false, \"confidence\": 0.0-1.0, \"reason\": \"…\"}\n": "It is wrong.\n",
		"It is wrong.\nAnswer in JSON.":                 "It is wrong.\n",
		"Respond only with JSON.":                       "Respond only with JSON.", // nothing else is there
		"It must not\nreturn XML.\n":                    "It must not\nreturn XML.\n",
		"Answer with JSON {}.\nIt is wrong.\n":          "Answer with JSON {}.\nIt is wrong.\n", // not at the end
		"It is wrong.\nThe API must respond with JSON.": "It is wrong.\nThe API must respond with JSON.",
	} {
		require.Equal(t, want, withoutClosing(prompt))
	}
}

func TestForbids(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"Never use sudo", "Don't use sudo", "Do not use sudo", "sudo is not allowed", "Migrations must be append-only", "Only tests may sleep"} {
		require.True(t, forbids(s), s)
	}
	for _, s := range []string{"Prefer uv over pip", "Consider a table when a switch grows", "Notebooks are nice"} {
		require.False(t, forbids(s), s)
	}
}
