package shell

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// aBranch is the HEAD of a folder of git's own, for readFrom.
const aBranch = "ref: refs/heads/main\n"

// readFrom reads scripts from texts.
func readFrom(files map[string]string) *Options {
	return &Options{
		ReadScript: func(name string) (string, error) {
			text, ok := files[name]
			if !ok {
				return "", fs.ErrNotExist
			}
			return text, nil
		},
		GitFolder: func(name string) bool { return files[name+"/HEAD"] == aBranch },
	}
}

// TestAliasesOfFiles: what a sub-command means that a file of settings defines.
func TestAliasesOfFiles(t *testing.T) {
	t.Parallel()
	const ci = "[alias]\n\tci = commit\n"
	for name, c := range map[string]struct {
		line  string
		files map[string]string
		want  string // as the text of a command, with its folder in front; "" is none
	}{
		"repository":                               {"git ci -m x", map[string]string{".git/config": ci}, "git commit -m x"},
		"above":                                    {"git ci", map[string]string{"../../.git/config": ci}, "git commit"},
		"another folder":                           {"cd a/b && git ci", map[string]string{"a/.git/config": ci}, "a/b: git commit"},
		"by an option":                             {"git -C a ci", map[string]string{"a/.git/config": ci}, "a: git commit"},
		"the nearest":                              {"git ci", map[string]string{".git/config": "[core]\n", ".git/HEAD": aBranch, "../.git/config": ci}, ""},
		"the nearest, without settings":            {"git ci", map[string]string{".git/HEAD": aBranch, "../.git/config": ci}, ""},
		"above one that git does not take":         {"git ci", map[string]string{".git/config": "[alias]\nci = log\n", ".git/HEAD": "ref: refs/x", "../.git/config": ci, "../.git/HEAD": aBranch}, "git commit"},
		"above one that the line removes":          {"rm -rf .git; git ci", map[string]string{".git/config": "[core]\n", ".git/HEAD": aBranch, "../.git/config": ci}, "git commit"},
		"above one that the line breaks":           {"rm .git/HEAD; git ci", map[string]string{".git/config": "[core]\n", ".git/HEAD": aBranch, "../.git/config": ci}, "git commit"},
		"above one that the line moves":            {"mv .git g; git ci", map[string]string{".git/config": "[core]\n", ".git/HEAD": aBranch, "../.git/config": ci}, "git commit"},
		"a folder above one that is no repository": {"cd a && git ci", map[string]string{"a/.git/config": "[alias]\nci = log\n", ".git/config": ci, ".git/HEAD": aBranch}, "a: git commit"},
		"above files that look like one":           {"cd a && git ci", map[string]string{"a/HEAD": "ref", "a/config": "[alias]\nci = log\n", ".git/config": ci, ".git/HEAD": aBranch}, "a: git commit"},
		"a folder that is not known":               {"cd $X && git ci", map[string]string{".git/config": ci}, "git commit"},
		"behind a link":                            {"cd /l && git ci", map[string]string{".git/config": ci}, "/l: git commit"},
		"of the user":                              {"git ci", map[string]string{"~/.gitconfig": ci}, "git commit"},
		"of the user, in XDG":                      {"git ci", map[string]string{"~/.config/git/config": ci}, "git commit"},
		"of the machine":                           {"git ci", map[string]string{"/etc/gitconfig": ci}, "git commit"},
		"of a variable":                            {"GIT_CONFIG_GLOBAL=x git ci", map[string]string{"x": ci}, "git commit"},
		"of a variable in the folder":              {"export GIT_CONFIG_GLOBAL=$PWD/x; git ci", map[string]string{"x": ci}, "git commit"},
		"of another home":                          {"HOME=$PWD/h git ci", map[string]string{"h/.gitconfig": ci}, "git commit"},
		"of another home, in XDG":                  {"HOME=/h git ci", map[string]string{"/h/.config/git/config": ci}, "git commit"},
		"of a common folder":                       {"GIT_COMMON_DIR=o git ci", map[string]string{"o/config": ci}, "git commit"},
		"given":                                    {"git -c alias.ci=c -c alias.c=commit ci", nil, "git commit"},
		"given to a file's":                        {"git -c alias.ci=c ci", map[string]string{".git/config": "[alias]\nc = commit\n"}, "git commit"},
		"given a file":                             {"git -c include.path=/x ci", map[string]string{"/x": ci}, "git commit"},
		"exported":                                 {"export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.ci GIT_CONFIG_VALUE_0=commit; git ci", nil, "git commit"},
		"exported file":                            {"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=include.path GIT_CONFIG_VALUE_0=/x git ci", map[string]string{"/x": ci}, "git commit"},
		"parameters":                               {"GIT_CONFIG_PARAMETERS=\"'alias.ci'='commit'\" git ci", nil, "git commit"},
		"parameters, old":                          {"GIT_CONFIG_PARAMETERS=\"'alias.ci=commit'\" git ci", nil, "git commit"},
		"from the environment":                     {"X=commit git --config-env=alias.ci=X ci", nil, "git commit"},
		"from the environment, too":                {"X=commit git --config-env alias.ci=X ci", nil, "git commit"},
		"another one of its name":                  {"git ci", map[string]string{".git/config": "[alias]\nci = \"!git -c alias.ci=commit ci\"\n"}, "git commit"},
		"copied":                                   {"cp x ~/.gitconfig; git ci", map[string]string{"x": ci}, "git commit"},
		"linked":                                   {"ln -s $PWD/x ~/.gitconfig; git ci", map[string]string{"x": ci}, "git commit"},
		"a file that is included":                  {"git config include.path ../x; git ci", map[string]string{"x": ci, ".git/config": "[core]\n"}, "git commit"},
		"after another one":                        {"git st; printf '[alias]\\nci = commit' >> .git/config; git ci", map[string]string{".git/config": "[core]\n"}, "git commit"},
		"not defined anew":                         {"false && git config alias.ci log; git ci", map[string]string{".git/config": ci}, "git commit"},
		"elsewhere defined anew":                   {"git -C o config alias.ci log; git ci", map[string]string{".git/config": ci}, "git commit"},
		"beside one with capitals":                 {"git ci", map[string]string{".git/config": ci + "[alias \"CI\"]\ncommand = log\n"}, "git commit"},
		"for one that git gives up":                {"git whatchanged", map[string]string{".git/config": "[alias]\nwhatchanged = commit\n"}, "git commit"},
		"to a shell, as its name":                  {"git ci commit", map[string]string{".git/config": "[alias]\nci = \"!sh -c 'git $0 $*'\"\n"}, "git commit"},
		"in another case":                          {"git CI", map[string]string{".git/config": ci}, "git commit"},
		"a further work tree":                      {"git ci", map[string]string{".git": "gitdir: ../main/.git/worktrees/w\n", "../main/.git/worktrees/w/commondir": "../..\n", "../main/.git/config": ci}, "git commit"},
		"of one work tree":                         {"git ci", map[string]string{".git": "gitdir: ../main/.git/worktrees/w\n", "../main/.git/worktrees/w/config.worktree": ci}, "git commit"},
		"without a work tree":                      {"git ci", map[string]string{"HEAD": "ref", "config": ci}, "git commit"},
		"a folder of git's":                        {"git --git-dir=x ci", map[string]string{"x/config": ci}, "git commit"},
		"included":                                 {"git ci", map[string]string{".git/config": "[include]\npath = ../more\n", "more": ci}, "git commit"},
		"included, maybe":                          {"git ci", map[string]string{".git/config": "[includeIf \"gitdir:~/x/\"]\npath = ~/more\n", "~/more": ci}, "git commit"},
		"the last one":                             {"git ci", map[string]string{"~/.gitconfig": ci, ".git/config": "[alias]\nci = status\n"}, "git status"},
		"over the last one":                        {"git ci", map[string]string{".git/config": ci + "[includeIf \"gitdir:~/x/\"]\npath = more\n", ".git/more": "[alias]\nci = status\n"}, "git commit"},
		"of another alias":                         {"git ci -m x", map[string]string{".git/config": "[alias]\nci = c -s\nc = commit -q\n"}, "git commit -q -s -m x"},
		"a circle":                                 {"git ci", map[string]string{".git/config": "[alias]\nci = c\nc = ci\n"}, "git c"},
		"git's own":                                {"git status", map[string]string{".git/config": "[alias]\nstatus = commit\n"}, ""},
		"of a shell":                               {"git ci -m x", map[string]string{".git/config": "[alias]\nci = !git add -A && git commit\n"}, "git commit -m x"},
		"of a shell, words":                        {"git ci x", map[string]string{".git/config": "[alias]\nci = \"!f() { git commit -m \\\"$1\\\"; }; f\"\n"}, "git commit -m x"},
		"of a shell, from top":                     {"cd a && git ci", map[string]string{".git/config": "[alias]\nci = !rm -r b\n"}, "rm -r b"},
		"no shell":                                 {"git ci", map[string]string{".git/config": "[alias]\nci = \"commit -m a;b #c\"\n"}, "git commit -m 'a;b' '#c'"},
		"in quotes":                                {"git ci", map[string]string{".git/config": "[alias]\nci = \"com\\\"mi\\\"t\"\n"}, "git commit"},
		"in one line":                              {"git ci", map[string]string{".git/config": "[alias] ci = commit ; now"}, "git commit"},
		"behind NUL":                               {"git ci", map[string]string{".git/config": "# \x00\n" + ci}, "git commit"},
		"behind much":                              {"git ci", map[string]string{".git/config": strings.Repeat("# more\n", 1<<16) + ci}, "git commit"},
		"written by the line":                      {"printf '[alias]\\nci = commit' >> .git/config; git ci", map[string]string{".git/config": "[core]\n"}, "git commit"},
		"help of it":                               {"git ci --help", map[string]string{".git/config": ci}, "git commit --help"},
		"another program":                          {"hg ci", map[string]string{".git/config": ci}, ""},
		"no such alias":                            {"git ci", map[string]string{".git/config": "[alias]\nco = checkout\n"}, ""},
		"another section":                          {"git ci", map[string]string{".git/config": "[other]\nci = commit\n"}, ""},
	} {
		line := Parse(c.line, readFrom(c.files))
		var all []string
		for i := range line.Commands {
			cmd := &line.Commands[i]
			if len(cmd.Wrappers) > 0 {
				all = append(all, strings.TrimPrefix(cmd.Dir+": "+cmd.Text, ": "))
			}
		}
		if c.want == "" {
			require.Empty(t, all, name)
			continue
		}
		require.Contains(t, all, c.want, name)
	}
}

// TestAliasesAreNotAsked: no file is read for a line whose words git knows.
func TestAliasesAreNotAsked(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"git commit -m x", "git", "git --version", "ls", "git -C a status && git log"} {
		Parse(text, &Options{ReadScript: func(name string) (string, error) {
			t.Errorf("%s reads %s", text, name)
			return "", fs.ErrNotExist
		}})
	}
}

// TestHostileAliases: bounds hold, and what was not read is said.
func TestHostileAliases(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString("[alias]\n")
	for i := range 40 {
		fmt.Fprintf(&many, "a%d = \"!git a%d; git a%d\"\n", i, i+1, i+1)
	}
	line := Parse("git a0", readFrom(map[string]string{".git/config": many.String()}))
	require.True(t, line.Bounded)

	line = Parse("git ci", readFrom(map[string]string{".git/config": strings.Repeat("#\n", 1<<20) + "[alias]\nci = commit\n"}))
	require.True(t, line.Bounded, "a file that is too long")

	includes := "[include]\n" + strings.Repeat("path = config\n", 1000)
	line = Parse("git ci", readFrom(map[string]string{".git/config": includes}))
	require.True(t, line.Bounded, "files that include themselves")

	const may = "[includeIf \"onbranch:x\"]\npath = more\n"
	line = Parse("git ci", readFrom(map[string]string{".git/config": may, ".git/more": "[alias]\n" + strings.Repeat("ci = commit\n", 1000)}))
	require.False(t, line.Bounded, "one value, often")
	require.Len(t, line.Commands, 2)
	many.Reset()
	many.WriteString("[alias]\n")
	for i := range 1000 {
		fmt.Fprintf(&many, "ci = commit -m %d\n", i)
	}
	line = Parse("git ci", readFrom(map[string]string{".git/config": may, ".git/more": many.String()}))
	require.True(t, line.Bounded, "more values than are read")
	require.LessOrEqual(t, len(line.Commands), maxGiven+1)

	line = Parse("git ci", &Options{ReadScript: func(string) (string, error) { return "", ErrNotRead }})
	require.True(t, line.Bounded, "a file that cannot be looked at")
}

// TestHubIsGit: hub does what git does, and has some commands of its own.
func TestHubIsGit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"hub commit -m x":       "git commit -m x",
		"hub -C a push --force": "git push --force",
		"hub pull-request -m x": "",
		"hub":                   "",
	} {
		line := Parse(text, nil)
		last := line.Commands[len(line.Commands)-1]
		if want == "" {
			require.Len(t, line.Commands, 1, text)
			continue
		}
		require.Equal(t, want, last.Text)
		require.Equal(t, []string{"hub"}, last.Wrappers)
	}
}
