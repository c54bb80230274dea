package strictjson_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/strictjson"
)

func TestOnly(t *testing.T) {
	t.Parallel()
	const one = `{"violation":true,"confidence":0.9,"reason":"a } and a { in it"}`
	for name, tt := range map[string]struct {
		answer string
		read   bool
	}{
		"bare":                   {one, true},
		"blanks":                 {"\n " + one + "\n", true},
		"a fence":                {"```json\n" + one + "\n```", true},
		"a fence of no language": {"```\n" + one + "\n```\n", true},
		"a word before":          {"Here is my answer:\n\n" + one, true},
		"a word and a fence":     {"Answer:\n```json\n" + one + "\n```", true},
		"two objects":            {one + "\n" + one, false},
		"two fences":             {"```json\n" + one + "\n```\n```json\n" + one + "\n```", false},
		"another before":         {"{} " + one, false},
		"a value before":         {`"violation": true, so ` + one, false},
		"a list before":          {"[1] " + one, false},
		"a text behind":          {one + "\nOn reflection it is none.", false},
		"a text behind a fence":  {"```json\n" + one + "\n```\nOn reflection it is none.", false},
		"half a fence":           {"```json\n" + one, false},
		"a fence that closes":    {one + "\n```", false},
		"a fence in the words":   {"``` ```json\n" + one + "\n```", false},
		"the mark of the data":   {"0123456789abcdef says:\n" + one, false},
		"a speech before":        {string(make([]byte, 200+1)) + one, false},
		"cut":                    {"Answer: " + one[:20], false},
		"in a list":              {"[" + one + "]", false},
		"none":                   {"no", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := tt.answer
			if tt.read {
				want = one
			}
			require.Equal(t, want, strictjson.Only(tt.answer))
		})
	}
}
