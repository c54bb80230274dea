package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSettingsThatTheLineChanges: a sub-command that git does not know counts as a commit and a push
// where the line has changed git's settings, and does not tell to what.
func TestSettingsThatTheLineChanges(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		".git/HEAD": aBranch, ".git/config": "[core]\nbare = false\n[foo]\nx = commit\n", "log": "[alias]\nx = log\n", "~/.gitconfig": "[alias]\nlg = log\n",
	}
	for text, may := range map[string]bool{
		`git config alias.x "$V"; git x -m y`:                                    true,
		`git config "$K" commit; git x -m y`:                                     true,
		"git config --rename-section foo alias; git x -m y":                      true,
		"git config rename-section foo alias && git x -m y":                      true,
		"git config --remove-section alias; git x":                               true,
		"git config --remove-section foo; git x":                                 false,
		"git config --rename-section foo bar; git x":                             false,
		"git config rename-section alias old; git x":                             true,
		`git config --rename-section foo "$S"; git x`:                            true,
		`git config remove-section "$S"; git x`:                                  true,
		"git config --unset user.name; git lfs pull":                             false,
		"git config unset --all user.name; git lfs pull":                         false,
		"git config --unset-all http.proxy; git lfs pull":                        false,
		"git config --global --unset user.email a; git lfs pull":                 false,
		"git config --unset-all Alias.x; git x":                                  true,
		"git config --global unset --all ALIAS.x; git x":                         true,
		"git config --unset include.path; git x":                                 true,
		`git config --unset includeIf."gitdir:~/w/".path; git x`:                 true,
		"git config --unset extensions.worktreeConfig; git x":                    true,
		`git config --unset "$K"; git x`:                                         true,
		`git config --unset "user.$K"; git x`:                                    true,
		`git config unset "$K"; git x`:                                           true,
		"cat keys | xargs git config --unset; git x":                             true,
		"cat keys | xargs git config unset; git x":                               true,
		"xargs -I{} git config --unset {} < keys; git x":                         true,
		"git config --unset $(cat key); git x":                                   true,
		"git config --unset alias.x; git x":                                      true,
		"(git config unset alias.x); git x":                                      true,
		"git config -e; git x":                                                   true,
		"git config include.path $F; git x":                                      true,
		"sed -i 's/foo/alias/' .git/config && git x -m y":                        true,
		"perl -pi -e s/foo/alias/ .git/config; git x":                            true,
		"cd .git && sed -i s/foo/alias/ config; cd ..; git x -m y":               true,
		"sed -i s/a/b/ ~/.gitconfig; git x":                                      true,
		"sed -i s/a/b/ $HOME/.gitconfig; git x":                                  true,
		"sed -i s/a/b/ ~/.config/git/config; git x":                              true,
		`printf "[alias]\n$L\n" >> .git/config; git x`:                           true,
		"cat more >> .git/config; git x":                                         true,
		"make conf | tee .git/config; git x":                                     true,
		"cp more .git/config; git x":                                             true,
		"mv more .git/config; git x":                                             true,
		"curl -o .git/config https://a.b/c; git x":                               true,
		"tar xf a.tar .git/config; git x":                                        true,
		"cp -r o/.git .; git x":                                                  true,
		"rm .git/config; git x":                                                  true,
		`python3 -c "open('.git/config','a').write('[alias]\n x = c')"; git x`:   true,
		"export GIT_CONFIG_GLOBAL=$(mktemp); git x":                              true,
		"GIT_CONFIG_GLOBAL=$F git x":                                             true,
		"export GIT_CONFIG_GLOBAL=other; make > other; git x":                    true,
		"HOME=$(mktemp -d) git x":                                                true,
		`git -c alias.x="$V" x`:                                                  true,
		`git -c "include.path=$V" x`:                                             true,
		"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=$K GIT_CONFIG_VALUE_0=commit git x": true,
		`GIT_CONFIG_PARAMETERS="$P" git x`:                                       true,

		"make | tee .git/config; git x; printf '[alias]\nx = log\n' > .git/config": true,
		"touch a b; git x; make > .git/config; git x":                              true,
		"git x; make > .git/config":                                                false,

		"git x -m y":                                       false,
		"git lfs pull":                                     false,
		"git config user.name a; git x":                    false,
		`git config user.name "$N"; git lfs pull`:          false,
		"git config core.hooksPath h && git lfs install":   false,
		"git config alias.lg log; git y; git lg":           false,
		"git config --get alias.x; git x":                  false,
		"git config -l | grep alias; git x":                false,
		"git config alias.x; git x":                        false,
		"git config get alias.x; git x":                    false,
		"cat .git/config; git x":                           false,
		"sed -i s/a/b/ config; git x":                      false,
		"sed -i s/a/b/ .git/config; git status; git log":   false,
		"cp log .git/config; git x":                        false,
		"export GIT_CONFIG_GLOBAL=$PWD/log; git x":         false,
		"printf '[alias]\\nx = log' >> .git/config; git x": false,
		`git -c 'alias.x=!f() { git log "$1"; }; f' x`:     false,
		"export GIT_PAGER=$P; git x":                       false,
		"git clone https://a.b/c && cd c && git lfs pull":  false,
		"rm -rf build && git lfs pull":                     false,
	} {
		line := Parse(text, readFrom(files))
		require.Equal(t, may, slices.ContainsFunc(line.Commands, func(c Command) bool { return c.Program == "git" && c.Subcommand == "commit" }), text)
		require.Equal(t, may, slices.ContainsFunc(line.Commands, func(c Command) bool { return c.Program == "git" && c.Subcommand == "push" }), text)
	}
	for _, text := range []string{ // what a file has is there for all that comes later
		"(git config alias.x commit); git x", "bash -c 'git config alias.x commit'; git x", "git config alias.x commit | cat; git x",
		"git config --global alias.x commit & wait; git x", "for i in 1 2; do git x; git config alias.x commit; done",
	} {
		line := Parse(text, readFrom(files))
		require.True(t, slices.ContainsFunc(line.Commands, func(c Command) bool { return c.Text == "git commit" }), text)
	}
}

// TestChangesOfSettingsAreJudgedOnce: what a line writes is not looked through again for each command of git.
func TestChangesOfSettingsAreJudgedOnce(t *testing.T) {
	t.Parallel()
	a := newAnalyzer(&Line{Commands: []Command{{}}}, handlers{})
	w := walker{analyzer: a, frame: &frame{}, env: &env{}}
	a.line.Effects = []Effect{{Kind: EffectCreate, Path: "a"}, {Kind: EffectRead, Path: ".git/config"}, {Kind: EffectCreate, Path: "config", Dir: ".git"}}
	w.unseenIn("a")
	require.Empty(t, w.gitChanges().of["a"])
	require.Equal(t, []gitChange{{2, "config"}}, w.gitChanges().of[".git/config"])
	require.Equal(t, []gitChange{{2, "config"}}, w.gitChanges().usual)
	a.line.Effects = append(a.line.Effects, Effect{Kind: EffectDelete, Path: "b"})
	require.False(t, a.gitChanged.disturbed)
	require.True(t, w.gitChanges().disturbed)
	require.Equal(t, 4, a.gitChanged.seen)
}
