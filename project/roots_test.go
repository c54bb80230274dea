package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gittest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/project"
)

// newRepository is a project in a repository, with its rules in the last commit or not.
func newRepository(t *testing.T, committed bool) (*hookDesk, *gittest.Repository) {
	t.Helper()
	r := gittest.New(t)
	d := newHookDesk(t, tree{
		".claude/sentinel/rules/a.yaml": guard("src/billing/**"), "src/billing/api.ts": "1", "src/app.ts": "1",
		".claude/sentinel/rules/b.yaml": "trigger: bash\nbackend: builtin\nscope: [\"git *\"]\nwhen: any(commands, .subcommand == \"push\")\nmessage: no push\n",
	})
	d.dir = safefile.Resolve(d.dir)
	r.Dir = d.dir
	r.Git("init", "-q")
	if !committed {
		r.Write(".git/info/exclude", ".claude\n")
	}
	r.Commit("first")
	return d, r
}

// from opens what applies where an agent works, and decides about an event there. roots
// are where it says that its project is.
func (d *hookDesk) from(dir string, ev sentinel.Event, roots ...string) sentinel.Decision {
	d.t.Helper()
	p := project.Open(append([]string{dir}, roots...), &d.opts)
	dec, err := p.Evaluate(d.t.Context(), ev)
	require.NoError(d.t, err)
	require.NoError(d.t, p.Record(ev, dec))
	return dec
}

// Every way into a working tree is judged as the project, whether its branch has the
// rules or not, and so is the main checkout from there.
func TestWorktrees(t *testing.T) {
	t.Parallel()
	for _, committed := range []bool{true, false} {
		for name, at := range map[string]string{
			"beside": "../beside", "inside": "inside", "of an agent": ".claude/worktrees/wt1", "by a link": "../beside",
		} {
			t.Run(fmt.Sprintf("%s, rules in HEAD: %v", name, committed), func(t *testing.T) {
				t.Parallel()
				d, r := newRepository(t, committed)
				made := filepath.Join(d.dir, filepath.FromSlash(at))
				r.Git("worktree", "add", "-q", made)
				if name == "by a link" {
					link := filepath.Join(t.TempDir(), "link")
					if os.Symlink(made, link) != nil {
						t.Skip("links need a right of their own")
					}
					made = link
				}
				elsewhere := t.TempDir()
				in := func(path string) string { return filepath.ToSlash(filepath.Join(made, path)) }
				for what, tc := range map[string]struct {
					ev   sentinel.Event
					stop bool
				}{
					"write in it":                  {write(made, "src/billing/x.ts"), true},
					"write in it, absolute":        {write(made, in("src/billing/x.ts")), true},
					"write in a folder of it":      {write(filepath.Join(made, "src"), "billing/x.ts"), true},
					"write from main":              {write(d.dir, in("src/billing/x.ts")), true},
					"write from elsewhere":         {write(elsewhere, in("src/billing/x.ts")), true},
					"write to main":                {write(made, filepath.Join(d.dir, "src/billing/x.ts")), true},
					"shell in it":                  {bash(made, "echo 1 > src/billing/x.ts"), true},
					"shell from main":              {bash(d.dir, "cd "+in("")+" && echo 1 > src/billing/x.ts"), true},
					"shell from elsewhere":         {bash(elsewhere, "echo 1 > "+in("src/billing/x.ts")), true},
					"a command in it":              {bash(made, "git push"), true},
					"a command from main":          {bash(d.dir, "git -C "+in("")+" push"), true},
					"a command from elsewhere":     {bash(elsewhere, "git -C "+in("")+" push"), true},
					"git's folder from elsewhere":  {bash(elsewhere, "git --git-dir "+in(".git")+" push"), true},
					"a variable from elsewhere":    {bash(elsewhere, "GIT_DIR="+in(".git")+" git push"), true},
					"exported from elsewhere":      {bash(elsewhere, "export GIT_WORK_TREE="+in("")+" GIT_DIR="+in(".git")+"; git push"), true},
					"harmless write in it":         {write(made, "src/app.ts"), false},
					"harmless write from main":     {write(d.dir, in("src/app.ts")), false},
					"harmless shell in it":         {bash(made, "echo 1 > src/app.ts"), false},
					"harmless command in it":       {bash(made, "git status"), false},
					"a folder of the same name":    {write(made, "lib/src/billing/x.ts"), false},
					"a command somewhere else":     {bash(elsewhere, "git push"), false},
					"another file, from elsewhere": {write(elsewhere, "src/billing/x.ts"), false},
				} {
					got := d.from(tc.ev.Dir, tc.ev)
					require.Equal(t, tc.stop, got.Verdict == sentinel.VerdictBlock, "%s: %v", what, got.Verdict)
					if tc.stop {
						require.Equal(t, sentinel.VerdictBlock, d.from(tc.ev.Dir, tc.ev, d.dir).Verdict, "%s, in a session of the main checkout", what)
					}
				}
				p := project.Open([]string{made}, &d.opts)
				require.Equal(t, filepath.Join(d.dir, "log.jsonl"), p.Inspect().LogFile())
				require.NoFileExists(t, filepath.Join(made, "log.jsonl"))
				if committed {
					require.Empty(t, p.Notices().Borrowed())
					return
				}
				require.Equal(t, d.dir, p.Nearest().Root)
				require.Contains(t, p.Notices().Borrowed(), "of the main checkout "+d.dir)
				require.NoDirExists(t, filepath.Join(made, ".claude"))
			})
		}
	}
}

// The content of an agent's working tree lies in a folder of the main checkout, and is not
// among its files.
func TestAgentsWorktreeIsNoFolderOfTheProject(t *testing.T) {
	t.Parallel()
	d, r := newRepository(t, false)
	put(t, d.rules("rules/c.yaml"), guard(".claude/**"))
	made := filepath.Join(d.dir, ".claude/worktrees/wt1")
	r.Git("worktree", "add", "-q", made)
	require.Equal(t, sentinel.VerdictAllow, d.from(made, write(made, "src/app.ts")).Verdict)
	require.Equal(t, sentinel.VerdictBlock, d.from(made, write(made, filepath.Join(d.dir, ".claude/x"))).Verdict)
}

// A branch that weakens the rules is held by what is pinned of the main checkout, until
// a person accepts it in its working tree.
func TestAWorktreeIsHeldByThePinOfTheMainCheckout(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*hookDesk){
		"weaker":   func(d *hookDesk) { put(t, d.rules("rules/a.yaml"), guard("src/billing/**")+"severity: warn\n") },
		"gone":     func(d *hookDesk) { require.NoError(t, os.Remove(d.rules("rules/a.yaml"))) },
		"stronger": func(d *hookDesk) { put(t, d.rules("rules/z.yaml"), guard("lib/**")) },
	} {
		for _, pinned := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, pinned before: %v", name, pinned), func(t *testing.T) {
				t.Parallel()
				d, r := newRepository(t, true)
				two := *d
				two.dir = filepath.Join(filepath.Dir(d.dir), "two")
				r.Git("worktree", "add", "-q", two.dir)
				change(&two)
				stops := func(at *hookDesk) bool {
					return at.decide(write(at.dir, "src/billing/x.ts")).Verdict == sentinel.VerdictBlock
				}
				if pinned {
					require.True(t, stops(d))
				}
				for range 3 { // the main checkout is pinned first, by a call in the working tree too
					require.True(t, stops(&two))
				}
				require.True(t, stops(d))
				require.Empty(t, d.told())
				if name == "stronger" {
					require.Empty(t, two.told())
					require.Equal(t, sentinel.VerdictBlock, two.decide(write(two.dir, "lib/x")).Verdict)
					require.Equal(t, sentinel.VerdictAllow, d.decide(write(d.dir, "lib/x")).Verdict)
					return
				}
				require.Contains(t, two.told(), "sentinel accept")
				two.accept()
				require.False(t, stops(&two))
				require.Empty(t, two.told())
				require.True(t, stops(d))
				require.Empty(t, d.told())
			})
		}
	}
}

// A working tree without rules follows the main checkout, also when that lost them.
func TestAWorktreeWithoutRulesKeepsThePinnedOnes(t *testing.T) {
	t.Parallel()
	d, r := newRepository(t, false)
	made := filepath.Join(filepath.Dir(d.dir), "two")
	r.Git("worktree", "add", "-q", made)
	require.Equal(t, sentinel.VerdictBlock, d.from(made, write(made, "src/billing/x.ts")).Verdict)
	require.NoError(t, os.RemoveAll(filepath.Join(d.dir, ".claude")))
	require.Equal(t, sentinel.VerdictBlock, d.from(made, write(made, "src/billing/x.ts")).Verdict)
}

// Rules of a part of a project hold for that part of a working tree.
func TestAWorktreeOfAProjectWithParts(t *testing.T) {
	t.Parallel()
	d, r := newRepository(t, false)
	put(t, filepath.Join(d.dir, "src/.claude/sentinel/rules/app.yaml"), guard("app.ts"))
	made := filepath.Join(filepath.Dir(d.dir), "two")
	r.Git("worktree", "add", "-q", made)
	for _, at := range []string{made, filepath.Join(made, "src")} {
		require.Equal(t, sentinel.VerdictBlock, d.from(at, write(made, "src/app.ts")).Verdict, at)
		require.Equal(t, sentinel.VerdictBlock, d.from(at, write(made, "src/billing/x.ts")).Verdict, at)
		require.Equal(t, sentinel.VerdictAllow, d.from(at, write(made, "lib.ts")).Verdict, at)
	}
}

// A submodule is a folder of the project, not a working tree of it.
func TestASubmoduleIsAFolderOfTheProject(t *testing.T) {
	t.Parallel()
	d, r := newRepository(t, false)
	other, _ := newRepository(t, false)
	put(t, d.rules("rules/c.yaml"), guard("lib/src/**"))
	r.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.dir, "lib")
	lib := filepath.Join(d.dir, "lib")
	require.Equal(t, sentinel.VerdictAllow, d.from(lib, write(lib, "README.md")).Verdict)
	require.Equal(t, sentinel.VerdictBlock, d.from(lib, write(lib, "src/app.ts")).Verdict)
	require.Empty(t, project.Open([]string{lib}, &d.opts).Notices().Borrowed())
}

// A repository without a main checkout has no rules to fall back on.
func TestARepositoryWithoutAMainCheckout(t *testing.T) {
	t.Parallel()
	d, r := newRepository(t, false)
	bare := filepath.Join(filepath.Dir(d.dir), "bare")
	r.Git("clone", "-q", "--bare", ".", bare)
	r.Dir = bare
	made := filepath.Join(filepath.Dir(d.dir), "two")
	r.Git("worktree", "add", "-q", made)
	require.Empty(t, project.Open([]string{made}, &d.opts).Folders)
}

// A file that says it is of a repository is believed where the repository says the same.
func TestHostileGitFiles(t *testing.T) {
	t.Parallel()
	d, r := newRepository(t, false)
	made := filepath.Join(filepath.Dir(d.dir), "two")
	r.Git("worktree", "add", "-q", made)
	gitDir := filepath.Join(d.dir, ".git/worktrees/two")
	forged := filepath.Join(t.TempDir(), "forged") // has all that a repository has, and lies elsewhere
	put(t, filepath.Join(forged, "commondir"), filepath.Join(d.dir, ".git"))
	for name, text := range map[string]string{
		"of another tree":  "gitdir: " + gitDir,
		"of no tree":       "gitdir: " + filepath.Join(d.dir, ".git"),
		"of a missing one": "gitdir: " + filepath.Join(d.dir, ".git/worktrees/none"),
		"forged":           "gitdir: " + forged,
		"empty":            "", "no path": "gitdir: ", "NUL": "gitdir: /\x00", "two lines": "gitdir: " + gitDir + "\nx",
		"long": "gitdir: /" + string(make([]byte, 1<<20)), "itself": "gitdir: .git", "root": "gitdir: /", "up": "gitdir: ../../../../../../..",
	} {
		dir := filepath.Join(t.TempDir(), "here")
		put(t, filepath.Join(dir, ".git"), text)
		put(t, filepath.Join(forged, "gitdir"), filepath.Join(dir, ".git"))
		require.Empty(t, project.Open([]string{dir}, &d.opts).Folders, name)
	}
	require.NotEmpty(t, project.Open([]string{made}, &d.opts).Notices().Borrowed())
	require.NoError(t, os.Rename(made, made+"2"))
	require.Empty(t, project.Open([]string{made + "2"}, &d.opts).Notices().Borrowed(), "moved without git's knowledge")
	r.Git("worktree", "repair", made+"2")
	require.NotEmpty(t, project.Open([]string{made + "2"}, &d.opts).Notices().Borrowed())
}

// What git does not take for a repository hides no rules of the main checkout, and a repository does.
func TestFoldersThatLookLikeRepositories(t *testing.T) {
	t.Parallel()
	d, r := newRepository(t, false)
	made := filepath.Join(filepath.Dir(d.dir), "two")
	r.Git("worktree", "add", "-q", made)
	src := filepath.Join(made, "src")
	put(t, filepath.Join(d.dir, "src/.claude/sentinel/rules/c.yaml"), guard("own/**"))
	for _, files := range []tree{
		{"info/x": ""}, {"HEAD": "ref: refs/heads/main\n", "config": "[core]\n"}, {"HEAD": "x", "objects/x": "", "refs/x": ""}, nil,
	} {
		require.NoError(t, os.RemoveAll(filepath.Join(src, ".git")))
		for name, text := range files {
			put(t, filepath.Join(src, ".git", name), text)
		}
		if files == nil {
			put(t, filepath.Join(src, ".git"), "gitdir: ../elsewhere")
		}
		require.Equal(t, sentinel.VerdictBlock, d.from(src, write(src, "own/x.ts")).Verdict, files)
	}
	require.NoError(t, os.Remove(filepath.Join(src, ".git")))
	r.Git("init", "-q", src)
	require.Equal(t, sentinel.VerdictAllow, d.from(src, write(src, "own/x.ts")).Verdict)
	require.Equal(t, sentinel.VerdictBlock, d.from(src, write(src, "billing/x.ts")).Verdict, "the rules around it")
}

// A folder of the project that is made to look like a working tree stays a folder of the
// project as well.
func TestAFolderThatClaimsToBeAWorktree(t *testing.T) {
	t.Parallel()
	d, r := newRepository(t, false)
	r.Git("worktree", "add", "-q", filepath.Join(d.dir, "tmp"))
	src := filepath.Join(d.dir, "src")
	require.NoError(t, os.Rename(filepath.Join(d.dir, "tmp/.git"), filepath.Join(src, ".git")))
	r.Git("worktree", "repair", src)
	for _, at := range []string{d.dir, src} {
		require.Equal(t, sentinel.VerdictBlock, d.from(at, write(at, filepath.Join(src, "billing/x.ts"))).Verdict)
		require.Equal(t, sentinel.VerdictBlock, d.from(at, bash(at, "echo 1 > "+filepath.ToSlash(filepath.Join(src, "billing/x.ts")))).Verdict)
	}
}

// Whatever git's files say, reading them ends, and no rules are believed to be there
// that are not.
func FuzzGitFiles(f *testing.F) {
	f.Add("gitdir: ../main/.git/worktrees/a", "../..", "../../../../a/.git")
	f.Add("gitdir: /", "/", "/")
	f.Add("gitdir: .", ".", ".git")
	f.Fuzz(func(t *testing.T, file, common, back string) {
		dir := safefile.Resolve(t.TempDir())
		put(t, filepath.Join(dir, "main/.git/worktrees/a/commondir"), common)
		put(t, filepath.Join(dir, "main/.git/worktrees/a/gitdir"), back)
		put(t, filepath.Join(dir, "main/.claude/sentinel/rules/a.yaml"), guard("src/**"))
		put(t, filepath.Join(dir, "a/.git"), file)
		p := project.Open([]string{filepath.Join(dir, "a")}, &project.Options{})
		if len(p.Folders) > 0 {
			require.Equal(t, filepath.Join(dir, "main"), p.Folders[0].Root)
			require.Contains(t, back, ".git")
		}
	})
}
