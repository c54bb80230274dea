package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCorrectedByGit: where the line has git correct a sub-command, it counts as the nearest ones.
func TestCorrectedByGit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"git -c help.autocorrect=1 comit -m x":                                                     "commit",
		"git -c help.autocorrect=immediate comit -m x":                                             "commit",
		"git -c Help.AutoCorrect=-1 pusj --force":                                                  "push",
		"git config help.autocorrect 1 && git com -m x":                                            "commit",
		"git config --global help.autocorrect true; git resset --hard":                             "reset",
		`git -c help.autocorrect="$V" comit -m x`:                                                  "commit",
		"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=help.autocorrect GIT_CONFIG_VALUE_0=5 git claen -fdx": "clean",
		"git -c help.autocorrect=1 ocmmit -m x":                                                    "commit",
		"git -c help.autocorrect=1 commmit -m x":                                                   "commit",
		"git -c help.autocorrect=prompt comit -m x":                                                "",
		"git -c help.autocorrect=0 comit -m x":                                                     "",
		"git comit -m x":                                                                           "",
		"git -c help.autocorrect=1 lfs pull":                                                       "",
		"git -c help.autocorrect=1 status":                                                         "",
		"git -c help.autocorrect=1 entirely-another-word":                                          "",
	} {
		var got []string
		for _, c := range Parse(text, nil).Commands {
			if c.Program == "git" && strings.Contains("commit push reset clean", c.Subcommand) {
				got = append(got, c.Subcommand)
			}
		}
		require.Equal(t, want != "", slices.Contains(got, want), "%s: %v", text, got)
		if want == "" {
			require.Empty(t, got, text)
		}
	}
	for word, want := range map[string]int{"commit": 0, "ocmmit": 0, "comit": 1, "commot": 2, "commmit": 3} {
		require.Equal(t, want, apart(word, "commit"), word)
	}
}
