package rule

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	content := "one\ntwo eval(x)\n  password = 1\nthree DROP TABLE a\n"
	for when, want := range map[string][]string{
		`content contains "eval("`:                                              {"eval("},
		`any(split(content, "\n"), {# matches "^\\s+password"})`:                {"  password"},
		`content contains "three" or not (content matches "(?i)drop\\s+table")`: {"three", "DROP"},
		`len(content) > 5`:          nil,
		`content contains " "`:      nil,
		`content contains "nobody"`: nil,
	} {
		rules, problems := Build([]File{Parse("a.yaml", []byte("trigger: file_write\nbackend: builtin\nwhen: |\n  "+when+"\n"))}, nil)
		require.Empty(t, problems, when)
		places := rules[0].Places(content)
		require.Len(t, places, len(want), when)
		for i, at := range places {
			require.True(t, strings.HasPrefix(content[at:], want[i]), "%s: %q", when, content[at:])
		}
	}
}
