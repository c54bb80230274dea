package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSubscripts: what the shell expands in a name or a number, or in a text that is quoted,
// runs.
func TestSubscripts(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`let 'a[$(rm x)]=1'`, "let 'a[`rm x`]++'", `test -v 'a[$(rm x)]'`, `[ -v 'a[$(rm x)]' ]`, `[[ 'a[$(rm x)]' -eq 1 ]]`,
		`printf %d 'a[$(rm x)]'`, `printf -v 'a[$(rm x)]' y`, `unset 'a[$(rm x)]'`, `read 'a[$(rm x)]'`, `declare -i n='a[$(rm x)]'`,
		`n='-a[$(rm x)]'; echo $((n))`, `n='$(rm x)'; echo "${n@P}"`,
		`a=(rm x); $a`, `a=(-f x); rm $a`,
		"bash -s -- x <<'E'\nrm \"$1\"\nE", `echo 'rm $1' | sh -s x`, `echo x > l; xargs -a l rm`, `xargs -a <(echo x) rm`,
	} {
		found := false
		for _, e := range Parse(line, nil).Effects {
			found = found || e.Kind == EffectDelete && e.Path == "x"
		}
		require.True(t, found, line)
	}
	for _, line := range []string{
		`echo 'a[$(rm x)]'`, `grep 'a[$(rm x)]' y`, `n='$(rm x)'; echo "$n"`, `git commit -m 'a[$(rm x)]'`, `printf '%s\n' '$(rm x)'`,
		`read -p '$(rm x)' n`, `a=(ls x); $a`,
	} {
		for _, c := range Parse(line, nil).Commands {
			require.NotEqual(t, "rm", c.Program, line)
		}
	}
	line := Parse("echo x >! a; echo y >>! b", nil)
	var made []string
	for _, e := range line.Effects {
		made = append(made, e.Kind.String()+" "+e.Path)
	}
	require.Equal(t, "create a; append b", strings.Join(made, "; "))
}
