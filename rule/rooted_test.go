package rule

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// TestRooted: a name on a drive of Windows is as absolute as one that begins with a slash.
func TestRooted(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"/p", ".", "/p"}, {"/p", "src/../a", "/p/a"}, {"/p", "/etc", "/etc"}, {"", "a", "/a"},
		{"C:/p", ".", "C:/p"}, {`C:\p`, "..", "C:"}, {"C:/p", "D:/x", "D:/x"}, {"C:/p", "/etc", "C:/etc"}, {"C:/p", "//host/x", "/host/x"},
	} {
		require.Equal(t, c[2], rooted(c[0], c[1]), c)
	}
	require.True(t, within(rooted("C:/p", "C:/p"), rooted("C:/p", "."), true), "the folder itself")
}

// TestWhenDrives: what begins with a slash lies on the project's drive.
func TestWhenDrives(t *testing.T) {
	t.Parallel()
	a := writeAction()
	a.Root = `C:\p`
	for when, want := range map[string]bool{
		`within("src/a", "/p")`:    true,
		`within("src", "/p/src")`:  true,
		`within("/x", "/")`:        true,
		`within("C:/x", "/")`:      true,
		`within("D:/p/a", "/p")`:   false,
		`within("//host/p", "/p")`: false,
	} {
		w, err := compileWhen(when)
		require.NoError(t, err, when)
		got, err := w.eval(context.Background(), a, sentinel.Match{OK: true})
		require.NoError(t, err, when)
		assert.Equal(t, want, got, when)
	}
}

// TestWhenHome: a folder below the home folder is the one of the project, if that lies there.
func TestWhenHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a home folder there lies on a drive")
	}
	for home, lines := range map[string]map[string]string{
		"/home/me": {
			"cd ~/project/web && npm i": "web", "cd $HOME/project/web && npm i": "web", `cd "${HOME}/project" && npm i`: ".", "npm i --prefix ~/project/web": "web",
			"cd ~ && npm i": "/home/me", "cd && npm i": "/home/me", "cd ~/../project && npm i": "/home/project", "cd ~other/project/web && npm i": "", "cd ~- && npm i": "",
			"HOME=/; cd ~/project/web && npm i": "web",
		},
		"/home/me/project": {"cd ~/web && npm i": "web", "cd && npm i": "."},
		"":                 {"cd ~/project/web && npm i": "", "cd && npm i": ""},
	} {
		t.Setenv("HOME", home)
		t.Setenv("USERPROFILE", "")
		for line, want := range lines {
			a := sentinel.Action{Trigger: sentinel.Bash, Target: line, Root: "/home/me/project", Dir: "/home/me/project", Command: shell.Parse(line, nil)}
			commands := a.Command.Commands
			assert.Equal(t, want, folderOf(&a, &commands[len(commands)-1]), "HOME=%s %s", home, line)
		}
	}
	for expression, home := range map[string]string{
		`within("~/project/web", "web")`: "/home/me", `within("web", "~/project")`: "/home/me", `not within("~/web", "web")`: "/home/me", `not within("~other/project/web", "web")`: "/home/me",
		`removes == ["web/x", "~/x"]`: "/home/me", `removes == ["~/project/web/x", "~/x"]`: "/home/me/project", `len(removes) == 2 and removes[0] == "~/project/web/x"`: "",
	} {
		t.Setenv("HOME", home)
		line := "rm ~/project/web/x ~/x"
		a := sentinel.Action{Trigger: sentinel.Bash, Target: line, Root: "/home/me/project", Dir: "/home/me/project", Command: shell.Parse(line, nil)}
		w, err := compileWhen(expression)
		require.NoError(t, err)
		got, err := w.eval(context.Background(), &a, sentinel.Match{OK: true})
		require.NoError(t, err)
		assert.True(t, got, expression)
	}
	root := t.TempDir()
	for _, folder := range []string{"objects", "refs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "project", ".git", folder), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "project", ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	t.Setenv("HOME", root)
	r := stopsDeletions(t, `branch(cmd) == "main"`)
	action := lineIn("/", "cd ~/project; git commit")
	action.Command = shell.Parse(action.Target, nil)
	got, err := r.When(t.Context(), action, sentinel.Match{OK: true, Command: &action.Command.Commands[1]})
	require.NoError(t, err)
	require.True(t, got, "the branch of a repository in the home folder")
}
