package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPowerShellPipelines: a command is about the files that a pipeline lists for it.
func TestPowerShellPipelines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"gci docs | ri":                                           "delete docs/*",
		"Get-Item docs | Remove-Item -Recurse":                    "delete docs",
		"gci -Recurse docs | ? Name -like x | Remove-Item -Force": "delete docs/*",
		"gci docs\\*.md | % { ri $_.FullName }":                   "delete docs/*.md",
		"gci | ri":                                                "delete ./*",
		"gci docs | gc":                                           "read docs/*",
		"gci docs | sls x":                                        "read x; read docs/*",
		"gci docs | mi -Destination old":                          "create old; move docs/* old",
		"gci a | cp -Destination b":                               "create b; read a/*",
		"gci docs | ri x":                                         "delete x",
		"gci docs; ri x":                                          "delete x",
		"gci docs\nri x":                                          "delete x",
		"gci docs | select Name":                                  "",
		"gci docs | measure; ri":                                  "",
	} {
		var got []string
		for _, e := range Parse(text, &Options{PowerShell: true}).Effects {
			if e.Kind.OnFile() {
				got = append(got, strings.TrimSpace(e.Kind.String()+" "+e.Path+" "+e.To))
			}
		}
		require.Equal(t, want, strings.Join(got, "; "), text)
	}
}

// TestOtherWords: functions of editors and modules with other names do to files what those with
// the usual names do.
func TestOtherWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`node -e 'require("fs/promises").rm("x")'`:                       "delete x",
		`node -e 'const {unlink} = require("fs/promises"); unlink("x")'`: "delete x",
		`node -e 'require("fs-extra").removeSync("x")'`:                  "delete x",
		`vim -es -c 'call delete("x")' -c q`:                             "delete x",
		`nvim --headless -c "call writefile(['a'], 'x', 'a')" -c q`:      "edit x",
		`echo 'rm x' | sed e`:                                            "delete x",
	} {
		var got []string
		for _, e := range Parse(line, nil).Effects {
			if e.Kind.OnFile() {
				got = append(got, e.Kind.String()+" "+e.Path)
			}
		}
		require.Contains(t, got, want, line)
	}
}
