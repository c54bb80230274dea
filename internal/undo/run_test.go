package undo_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/gittest"
	"github.com/agentsentinel/sentinel/internal/undo"
	"github.com/agentsentinel/sentinel/shell"
)

// A place is a repository with changes of every kind, in which lines are really run.
type place struct {
	*gittest.Repository
	t     *testing.T
	trash string
}

func newPlace(t *testing.T) *place {
	if runtime.GOOS == "windows" {
		t.Skip("what runs instead is for a POSIX shell")
	}
	p := &place{gittest.New(t), t, filepath.Join(t.TempDir(), "my trash", "T")}
	p.Write("a.txt", "committed")
	p.Write("sub/b.txt", "committed")
	p.Write(".gitignore", "*.log")
	p.Git("add", ".")
	p.Git("commit", "-qm", "first")
	p.Git("branch", "other")
	p.Git("commit", "-qm", "second", "--allow-empty")
	p.Write("a.txt", "changed")
	p.Write("sub/b.txt", "added")
	p.Git("add", "sub/b.txt")
	p.Write("new.txt", "untracked")
	p.Write("x.log", "ignored")
	return p
}

// instead runs what is to be done instead of a line, and returns it.
func (p *place) instead(line string) string {
	p.t.Helper()
	said := undo.Line(undo.Any, shell.Parse(line, nil), undo.Place{Root: p.Dir, Dir: p.Dir, Trash: p.trash, Stamp: "20261122-k3"})
	require.NotEmpty(p.t, said, line)
	cmd := exec.Command("bash", "-c", said)
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+p.t.TempDir(),
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org")
	out, err := cmd.CombinedOutput()
	require.NoError(p.t, err, "%s\n%s", said, out)
	return said
}

func (p *place) text(name string) string {
	data, err := os.ReadFile(filepath.Join(p.Dir, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// files are the texts of some files as a command left them; "" for one that is gone.
func (p *place) files() []string {
	return []string{p.text("a.txt"), p.text("sub/b.txt"), p.text("new.txt"), p.text("x.log")}
}

// Each line leaves the work tree as the command that it replaces would have, and the
// stash has all that is gone.
func TestStashed(t *testing.T) {
	t.Parallel()
	const ed, changed, added, un, ig = "committed", "changed", "added", "untracked", "ignored"
	for line, want := range map[string][]string{
		`git reset --hard`:           {ed, ed, un, ig},
		`git reset --hard HEAD~1`:    {ed, ed, un, ig},
		`git checkout .`:             {ed, added, un, ig},
		`git checkout -f`:            {ed, added, un, ig},
		`git checkout -f other`:      {ed, ed, un, ig},
		`git checkout HEAD -- .`:     {ed, ed, un, ig},
		`git checkout -- a.txt`:      {ed, added, un, ig},
		`git restore .`:              {ed, added, un, ig},
		`git restore -S -W sub`:      {changed, ed, un, ig},
		`git switch -f other`:        {ed, ed, un, ig},
		`cd sub && git clean -fd`:    {changed, ed, un, ig}, // changes in that folder go too
		`git clean -fd new.txt`:      {changed, added, "", ig},
		`git clean -fdx`:             {ed, ed, "", ""},
		`git -C sub reset -q --hard`: {ed, ed, un, ig},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			before, second := p.files(), strings.TrimSpace(p.Git("rev-parse", "HEAD"))
			if strings.HasPrefix(line, "cd sub && git clean") {
				p.Write("sub/c.txt", "untracked")
			}
			p.instead(line)
			require.Equal(t, want, p.files())
			require.Empty(t, p.text("sub/c.txt"))
			if strings.HasSuffix(line, "~1") {
				require.Equal(t, second, strings.TrimSpace(p.Git("rev-parse", "trash/20261122-k3")))
				require.NotEqual(t, second, strings.TrimSpace(p.Git("rev-parse", "HEAD")))
				p.Git("reset", "-q", "--keep", second)
			}
			if strings.Contains(line, "other") {
				require.Equal(t, "other", strings.TrimSpace(p.Git("branch", "--show-current")))
			}
			for i, name := range []string{"a.txt", "sub/b.txt", "new.txt", "x.log"} {
				switch from := "stash@{0}:"; {
				case want[i] == before[i]:
					continue
				case want[i] == "": // git did not know it
					from = "stash@{0}^3:"
					fallthrough
				default:
					require.Equal(t, before[i], p.Git("show", from+name), "nothing is lost")
				}
			}
		})
	}
}

func TestTrashed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]map[string]string{ // where each is then
		`rm -rf sub`:                    {"sub/b.txt": "sub/b.txt"},
		`rm -rf sub/ new.txt`:           {"new.txt": "new.txt", "sub/b.txt": "sub/b.txt"},
		`rm -r -- '-f' 'it'\''s $HOME'`: {"-f": "-f", "it's $HOME": "it's $HOME"},
		`rm -r *.txt`:                   {"a.txt": "a.txt", "new.txt": "new.txt"},
		`rm -r *.txt sub/*.txt`:         {"a.txt": "1/a.txt", "new.txt": "1/new.txt", "sub/b.txt": "2/b.txt"},
		`cd sub && rm -r b.txt`:         {"sub/b.txt": "b.txt"},
		`> new.txt`:                     {"new.txt": "new.txt"},
		`truncate -s0 new.txt`:          {"new.txt": "new.txt"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			for _, name := range []string{"-f", "it's $HOME"} {
				p.Write(name, "strange")
			}
			p.instead(line)
			var found []string
			require.NoError(t, filepath.WalkDir(p.trash, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					rel, _ := filepath.Rel(p.trash, path)
					found = append(found, rel)
				}
				return err
			}))
			require.ElementsMatch(t, slices.Collect(maps.Values(want)), found)
			for name := range want {
				require.Empty(t, p.text(name), "it is gone from where it was")
			}
			if strings.Contains(line, "new.txt") && !strings.HasPrefix(line, "rm") {
				require.FileExists(t, filepath.Join(p.Dir, "new.txt"), "it is there, and empty")
			}
		})
	}
}

// What is in the trash is never overwritten, whatever runs twice.
func TestTrashKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.instead(`rm -r new.txt`)
	p.Write("new.txt", "second")
	said := undo.Line(undo.Any, shell.Parse(`rm -r new.txt`, nil), undo.Place{Root: p.Dir, Dir: p.Dir, Trash: p.trash})
	exec.Command("bash", "-c", said).Run() // newer versions of mv say that they left it
	data, err := os.ReadFile(filepath.Join(p.trash, "new.txt"))
	require.NoError(t, err)
	require.Equal(t, "untracked", string(data))
	require.Equal(t, "second", p.text("new.txt"))
}

func TestBranchIsRenamed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	was := p.Git("rev-parse", "other")
	p.instead(`git branch -D other`)
	require.Equal(t, was, p.Git("rev-parse", "trash/other-20261122-k3"))
	require.NotContains(t, p.Git("branch", "--list", "other"), "other")
}

// A push with a lease overwrites what this repository has seen, and nothing else.
func TestLeasedPush(t *testing.T) {
	t.Parallel()
	for _, line := range []string{`git push --force origin main`, `git push origin +main`, `git push -fu origin HEAD`} {
		p, remote := newPlace(t), t.TempDir()
		p.Git("init", "-q", "--bare", remote)
		p.Git("remote", "add", "origin", remote)
		p.Git("push", "-q", "-u", "origin", "main")
		p.Git("commit", "-q", "--amend", "-m", "rewritten", "--allow-empty")
		p.instead(line)
		rewritten := p.Git("rev-parse", "main")
		require.Equal(t, rewritten, p.Git("-C", remote, "rev-parse", "main"), line)

		p.Git("-C", remote, "update-ref", "refs/heads/main", strings.TrimSpace(p.Git("rev-parse", "other"))) // somebody else pushed
		p.Git("commit", "-q", "--amend", "-m", "again", "--allow-empty")
		said := undo.Line(undo.Any, shell.Parse(line, nil), undo.Place{Root: p.Dir, Dir: p.Dir, Trash: p.trash})
		cmd := exec.Command("bash", "-c", said)
		cmd.Dir = p.Dir
		require.Error(t, cmd.Run(), line)
		require.Equal(t, p.Git("rev-parse", "other"), p.Git("-C", remote, "rev-parse", "main"), line)
	}
}

// Whatever names a call has, the line that is made has just these names, and no command
// besides its own.
func TestNothingIsSmuggled(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b c", "'", `"`, "$", "$(id)", "`id`", ";", "&&", "|", ">", "-", "--", "~", "*", "?", "[x]", "{a,b}", "#", "!", `\`, "é", "=", "%", "^", "(", ")", "<"}
	made := 0
	for range 20_000 {
		var names []string
		line := "rm -rf"
		for range 1 + rng.IntN(3) {
			name := "n"
			for range rng.IntN(5) {
				name += pieces[rng.IntN(len(pieces))]
			}
			name += string(rune('a' + len(names))) // else two may be the same
			names = append(names, name)
			line += " '" + strings.ReplaceAll(name, "'", `'\''`) + "'"
		}
		said := undo.Line(undo.Any, shell.Parse(line, nil), at)
		if said == "" {
			continue
		}
		made++
		parsed := shell.Parse(said, nil)
		require.Empty(t, parsed.Unparsed, said)
		require.Len(t, parsed.Commands, 2, "%q", said)
		require.Equal(t, "mkdir -p "+at.Trash, parsed.Commands[0].Text)
		require.Equal(t, slices.Concat([]string{"-n", "--"}, names, []string{at.Trash + "/"}), parsed.Commands[1].Args, "%q", said)
		require.True(t, parsed.Commands[1].Certain, "%q", said)
		require.NotContains(t, said, "\n")
	}
	require.Greater(t, made, 15_000)
}
