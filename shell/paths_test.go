package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlaces: what a line prints of folders, and where it was before, is as known as a path
// that it spells out.
func TestPlaces(t *testing.T) {
	t.Parallel()
	opts := &Options{GitFolder: func(dir string) bool {
		return dir == "../.git" || dir == "/srv/app/.git"
	}}
	for line, want := range map[string]string{
		`rm -r "$(pwd)/docs"`:                                          "delete ./docs",
		`rm -r ~+/docs`:                                                "delete ./docs",
		`cd src && rm -r "$(pwd)/docs"`:                                "delete docs dir=src",
		`cd src && rm -r $PWD/docs`:                                    "delete docs dir=src",
		`d=$PWD; cd src; rm -r $d/docs`:                                "delete ../docs dir=src",
		`d=$(pwd); cd /tmp; rm -r "$d/docs"`:                           "delete ./docs",
		`d=$(cd src && pwd); rm -r "$d/docs"`:                          "delete ./src/docs",
		`set -- $PWD; cd /tmp; rm -r $1/docs`:                          "delete ./docs",
		`cd /tmp; rm -r "$OLDPWD/docs"`:                                "delete ./docs",
		`cd a; cd b; rm -r "$OLDPWD/docs"`:                             "delete ../docs dir=a/b",
		`cd /tmp; cd -; rm -r docs`:                                    "delete docs",
		`pushd /tmp; popd; rm -r $OLDPWD/x`:                            "delete /tmp/x",
		`X=1 cd src; rm -r docs`:                                       "delete docs dir=src",
		`rm -r "$(git rev-parse --show-toplevel)/docs"`:                "delete ./../docs",
		`cd "$(git rev-parse --show-toplevel)" && rm -r docs`:          "delete docs dir=..",
		`cd a; rm -r "$(git rev-parse --show-toplevel)/docs"`:          "delete ../../docs dir=a",
		`rm -r "$(git rev-parse --git-dir)/hooks"`:                     "delete ./../.git/hooks",
		`cd /srv/app/x; rm -r "$(git rev-parse --show-toplevel)/x"`:    "delete /srv/app/x dir=/srv/app/x",
		`rm -r "$(realpath docs)"`:                                     "delete ./docs",
		`rm -r "$(readlink -f /srv/docs)"`:                             "delete /srv/docs",
		`rm -r "$(dirname docs/a/b)" "$(basename /x/lib)"`:             "delete docs/a; delete lib",
		`rm -r "$(dirname "$(realpath docs/a)")"`:                      "delete ./docs",
		`[ -n "$X" ] || cd src; rm -r "$OLDPWD/docs"`:                  "delete $OLDPWD/docs dir=? ?",
		`cd "$X"; rm -r "$(pwd)/docs"`:                                 "delete $(pwd)/docs dir=? ?",
		`cd "$X"; cd -; rm -r "$OLDPWD/docs"`:                          "delete $OLDPWD/docs ?",
		`rm -r "$(dirname "$X")/docs"`:                                 `delete $(dirname "$X")/docs ?`,
		`cd /srv; rm -r "$(git rev-parse --show-toplevel)/docs"`:       "delete $(git rev-parse --show-toplevel)/docs dir=/srv ?",
		`ssh host 'rm -r "$(pwd)/docs"'`:                               "delete $(pwd)/docs dir=? remote ?",
		`rm -r "$(realpath --relative-to=/x docs)" "$(readlink docs)"`: "delete $(realpath --relative-to=/x docs) ?; delete $(readlink docs) ?",
	} {
		var got []string
		for _, e := range Parse(line, opts).Effects {
			if e.Kind != EffectDelete {
				continue
			}
			text := "delete " + e.Path
			if e.DirUnknown {
				text += " dir=?"
			} else if e.Dir != "" {
				text += " dir=" + e.Dir
			}
			if e.Remote {
				text += " remote"
			}
			if !e.Certain {
				text += " ?"
			}
			got = append(got, text)
		}
		require.Equal(t, want, strings.Join(got, "; "), line)
	}
}
