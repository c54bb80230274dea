package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const newPageAndSidebar = "also: {changed: [\"docs/pages/*.md\", \"lib/*.md\"], new: true, except: [\"docs/pages/_*\"], with: [docs/sidebar.yml]}\nmessage: \"Add it: {{stale_files}}\"\n"

// TestNewFiles: a rule about new files asks for nothing where others change, at a commit and at the end of
// the turn.
func TestNewFiles(t *testing.T) {
	t.Parallel()
	const old, page, sidebar = "docs/pages/old.md", "docs/pages/n.md", "docs/sidebar.yml"
	stop := func(s *takesRun) bool { return strings.Contains(s.stop(), "Add it: ") }
	commit := func(line string) func(s *takesRun) bool {
		return func(s *takesRun) bool { return s.bash(line) }
	}
	for name, c := range map[string]struct {
		steps   func(s *takesRun)
		ends    func(s *takesRun) bool
		stopped bool
	}{
		"an old page":              {func(s *takesRun) { s.edits(old) }, stop, false},
		"an old page, committed":   {func(s *takesRun) { s.edits(old); s.commitsNow("docs") }, stop, false},
		"a new page":               {func(s *takesRun) { s.edits(page) }, stop, true},
		"a new page, staged":       {func(s *takesRun) { s.edits(page); s.stages(page) }, stop, true},
		"a new page, committed":    {func(s *takesRun) { s.edits(page); s.commitsNow("docs") }, stop, true},
		"with its line":            {func(s *takesRun) { s.edits(page, sidebar) }, stop, false},
		"with its line, committed": {func(s *takesRun) { s.edits(page, sidebar); s.commitsNow("docs") }, stop, false},
		"an exception":             {func(s *takesRun) { s.edits("docs/pages/_draft.md") }, stop, false},
		"new in the turn before": {func(s *takesRun) {
			s.edits(page, sidebar)
			s.commitsNow("docs")
			s.stop()
			s.edits(page)
		}, stop, false},

		"an old page of a repository inside": {func(s *takesRun) { s.hasInside("lib/old.md"); s.edits("lib/old.md") }, stop, false},
		"a new page of a repository inside":  {func(s *takesRun) { s.hasInside("lib/old.md"); s.edits("lib/n.md") }, stop, true},
		"a new page of two repositories":     {func(s *takesRun) { s.hasInside("lib/old.md"); s.edits("lib/old.md", page) }, stop, true},
		"a commit that another one replaces": {func(s *takesRun) {
			s.edits(page)
			s.stages(page)
			tree := strings.TrimSpace(s.git.Git("write-tree"))
			s.git.Git("replace", "HEAD", strings.TrimSpace(s.git.Git("commit-tree", "-m", "x", tree)))
			s.git.Git("reset", "--quiet")
		}, commit("git add docs && git commit -m x"), true},

		"a commit of an old page":                {func(s *takesRun) { s.edits(old) }, commit("git commit -am x"), false},
		"a commit of a new page":                 {func(s *takesRun) { s.edits(page) }, commit("git add docs && git commit -m x"), true},
		"a commit of both":                       {func(s *takesRun) { s.edits(page, sidebar) }, commit("git add docs && git commit -m x"), false},
		"a commit of an exception":               {func(s *takesRun) { s.edits("docs/pages/_draft.md") }, commit("git add docs && git commit -m x"), false},
		"a new page in the line":                 {func(*takesRun) {}, commit("echo x > docs/pages/n.md && git add docs && git commit -m x"), true},
		"an old page in the line":                {func(*takesRun) {}, commit("echo x > docs/pages/old.md && git add docs && git commit -m x"), false},
		"a folder of pages is copied":            {func(s *takesRun) { s.dirties("drafts/m.md") }, commit("cp -r drafts/. docs/pages && git add docs && git commit -m x"), true},
		"pages are copied":                       {func(s *takesRun) { s.dirties("drafts/m.md") }, commit("cp drafts/*.md docs/pages && git add docs && git commit -m x"), true},
		"pages are copied in a loop":             {func(s *takesRun) { s.dirties("drafts/m.md") }, commit("for f in drafts/*.md; do cp $f docs/pages; done; git add docs && git commit -m x"), true},
		"old pages are copied":                   {func(s *takesRun) { s.dirties("drafts/old.md") }, commit("cp drafts/*.md docs/pages && git add docs && git commit -m x"), false},
		"pages are synchronized":                 {func(s *takesRun) { s.dirties("drafts/m.md") }, commit("rsync -a drafts/ docs/pages && git add docs && git commit -m x"), true},
		"a folder of old pages is copied":        {func(s *takesRun) { s.dirties("drafts/old.md") }, commit("cp -r drafts/. docs/pages && git add docs && git commit -m x"), false},
		"a folder and its line are copied":       {func(s *takesRun) { s.dirties("drafts/pages/m.md", "drafts/sidebar.yml") }, commit("cp -r drafts/. docs && git add docs && git commit -m x"), false},
		"a folder of other files is copied":      {func(s *takesRun) { s.dirties("drafts/m.txt") }, commit("cp -r drafts/. docs/pages && git add docs && git commit -m x"), false},
		"a page that is moved":                   {func(*takesRun) {}, commit("git mv docs/pages/old.md docs/pages/n.md && git commit -m x"), true},
		"a page that is removed":                 {func(*takesRun) {}, commit("git rm docs/pages/old.md && git commit -m x"), false},
		"a folder that is removed":               {func(*takesRun) {}, commit("git rm -r docs/pages && git commit -m x"), false},
		"several pages are changed":              {func(*takesRun) {}, commit("sed -i s/a/b/ docs/pages/*.md && git commit -am x"), false},
		"a new page goes into that commit":       {func(s *takesRun) { s.edits(page, sidebar); s.commitsNow("docs"); s.edits(page) }, commit("git commit -a --amend --no-edit"), false},
		"a new page is added to the last commit": {func(s *takesRun) { s.edits("a.go"); s.commitsNow("a.go"); s.edits(page) }, commit("git add docs && git commit --amend --no-edit"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTakesRun(t, newPageAndSidebar)
			c.steps(s)
			require.Equal(t, c.stopped, c.ends(s))
		})
	}
}

// TestPagesOfOthers: what somebody else committed is not new, also where it came in this turn.
func TestPagesOfOthers(t *testing.T) {
	t.Parallel()
	const page, other, sidebar = "docs/pages/n.md", "docs/pages/m.md", "docs/sidebar.yml"
	for name, c := range map[string]struct {
		steps func(s *takesRun)
		named string
	}{
		"pulled":            {func(s *takesRun) { s.pulls(); s.edits(page) }, ""},
		"pulled, committed": {func(s *takesRun) { s.pulls(); s.edits(page); s.commitsOld() }, ""},
		"merged":            {func(s *takesRun) { s.edits("a.go"); s.commitsOld(); s.pulls("--no-ff"); s.edits(page) }, ""},
		"merged, committed": {func(s *takesRun) { s.edits("a.go"); s.commitsOld(); s.pulls("--no-ff"); s.edits(page); s.commitsOld() }, ""},
		"rebased": {func(s *takesRun) {
			s.edits("a.go")
			s.commitsNow("a.go")
			s.git.Git("rebase", "--quiet", "origin/main")
			s.edits(page)
		}, ""},
		"with a page of its own": {func(s *takesRun) { s.pulls(); s.edits(page, other) }, other},
		"with a page of its own, committed": {func(s *takesRun) {
			s.edits(other)
			s.commitsNow("docs")
			s.pulls("--no-ff")
			s.edits(page)
			s.commitsNow("docs")
		}, other},
		"a page of its own, merged": {func(s *takesRun) {
			s.git.Git("checkout", "-qb", "mine")
			s.edits(other)
			s.commitsNow("docs")
			s.git.Git("checkout", "-q", "main")
			s.git.Git("merge", "-q", "--no-edit", "--no-ff", "mine")
			s.edits(other)
		}, other},
		"a page of its own in the place of another": {func(s *takesRun) {
			s.git.Git("merge", "-q", "origin/main")
			s.git.Git("rm", "-q", page)
			s.git.Commit("gone")
			s.edits(page)
			s.commitsNow("docs")
		}, page},
		"picked": {func(s *takesRun) {
			s.bash("git cherry-pick origin/main")
			s.git.Git("cherry-pick", "origin/main")
			s.edits(page)
		}, page},
		"without a reflog": {func(s *takesRun) { s.pulls(); s.edits(page); _ = os.RemoveAll(filepath.Join(s.dir, ".git/logs")) }, page},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTakesRun(t, strings.Replace(newPageAndSidebar, "}\n", ", by: turn}\n", 1))
			s.git.Now()
			s.git.Git("update-ref", "refs/remotes/origin/main", s.another(page))
			c.steps(s)
			answer := s.stop()
			if require.Equal(t, c.named != "", strings.Contains(answer, "Add it: "), answer); c.named != "" {
				require.Contains(t, answer, "Add it: "+c.named+" (no change")
			}
		})
	}
}

// TestPagesOfAnotherBranch: a page that a commit of another branch has is not new where that commit was checked out
// before the session's first one.
func TestPagesOfAnotherBranch(t *testing.T) {
	t.Parallel()
	const page, other = "docs/pages/n.md", "docs/pages/m.md"
	for name, c := range map[string]struct {
		steps   func(s *takesRun)
		stopped bool
	}{
		"edited there":    {func(s *takesRun) { s.commitsCode(); s.switches("mine"); s.edits(page) }, false},
		"committed there": {func(s *takesRun) { s.commitsCode(); s.switches("mine"); s.edits(page); s.commitsOld() }, false},
		"committed in one line": {func(s *takesRun) {
			s.commitsCode()
			s.bash("git checkout mine && sed -i s/2/3/ docs/pages/n.md && git commit -am x")
			s.switches("mine")
			s.edits(page)
			s.git.Commit("x")
		}, false},
		"on a new branch of it": {func(s *takesRun) { s.commitsCode(); s.switches("-b", "more", "mine"); s.edits(page); s.commitsOld() }, false},
		"merged": {func(s *takesRun) {
			s.switches("mine")
			s.commitsCode()
			s.git.Git("merge", "-q", "--no-edit", "main")
			s.edits(page)
		}, false},
		"another one":                        {func(s *takesRun) { s.commitsCode(); s.switches("mine"); s.edits(other) }, true},
		"another one, committed":             {func(s *takesRun) { s.commitsCode(); s.switches("mine"); s.edits(other); s.commitsOld() }, true},
		"the page, on the branch without it": {func(s *takesRun) { s.commitsCode(); s.edits(page); s.commitsOld() }, true},
		"of the session's own branch": {func(s *takesRun) {
			s.switches("-b", "own")
			s.edits(other)
			s.commitsOld()
			s.switches("main")
			s.commitsCode()
			s.switches("own")
			s.edits(other)
		}, true},
		"of an amended commit": {func(s *takesRun) {
			s.switches("mine")
			s.edits(other)
			s.commitsOld("--amend")
			s.commitsCode()
			s.edits(other)
		}, true},
		"of a commit that is made of a tree": {func(s *takesRun) {
			s.edits(other)
			s.stages(other)
			s.bash("git branch made $(GIT_COMMITTER_DATE=2026-01-08T12:00 git commit-tree -m x -p mine $(git write-tree))")
			made := strings.TrimSpace(s.git.Git("commit-tree", "-m", "x", "-p", "mine", strings.TrimSpace(s.git.Git("write-tree"))))
			s.git.Git("reset", "-q", "--hard")
			s.git.Git("branch", "made", made)
			s.switches("made")
			s.edits(other)
		}, true},
		"git has forgotten what was checked out": {func(s *takesRun) {
			s.commitsCode()
			s.git.Git("reflog", "expire", "--expire=all", "--all")
			s.switches("mine")
			s.edits(page)
		}, true},
		"the record was cut": {func(s *takesRun) {
			s.switches("-b", "own")
			s.edits(other)
			s.commitsOld()
			s.edits("a.go")
			s.commitsOld()
			record := filepath.Join(s.dir, ".git/logs/HEAD")
			data, err := os.ReadFile(record)
			require.NoError(s.t, err)
			_, rest, _ := strings.Cut(string(data), "\n")
			require.NoError(s.t, os.WriteFile(record, []byte(rest), 0o600))
			s.edits(other)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTakesRun(t, strings.Replace(newPageAndSidebar, "}\n", ", by: turn}\n", 1))
			s.git.Git("checkout", "-qb", "mine")
			s.git.Write(page, "1\n")
			s.git.Commit("a person's")
			s.git.Git("checkout", "-q", "main")
			c.steps(s)
			require.Equal(t, c.stopped, strings.Contains(s.stop(), "Add it: "))
		})
	}
}

// commitsCode has the session commit a file that no rule is about.
func (s *takesRun) commitsCode() {
	s.edits("a.go")
	s.commitsNow("a.go")
}

// switches has the session check out a branch.
func (s *takesRun) switches(to ...string) {
	s.bash("git checkout " + strings.Join(to, " "))
	s.git.Git(append([]string{"checkout", "-q"}, to...)...)
}

// another is a commit of somebody else with a file, upon the last one.
func (s *takesRun) another(name string) string {
	s.git.Write(name, "another's\n")
	s.stages(name)
	tree := strings.TrimSpace(s.git.Git("write-tree"))
	parent := strings.TrimSpace(s.git.Git("rev-parse", "HEAD"))
	s.git.Git("reset", "--quiet", "--hard")
	later := time.Now().Add(time.Minute) // a commit of this second may be before the turn or in it
	who := fmt.Sprintf("Another <another@example.com> %d +0000", later.Unix())
	object := filepath.Join(s.t.TempDir(), "commit")
	require.NoError(s.t, os.WriteFile(object, fmt.Appendf(nil, "tree %s\nparent %s\nauthor %s\ncommitter %s\n\nx\n", tree, parent, who, who), 0o600))
	return strings.TrimSpace(s.git.Git("hash-object", "-t", "commit", "-w", object))
}

// pulls has the session merge what somebody else made.
func (s *takesRun) pulls(how ...string) {
	s.bash("git pull")
	s.git.Git(append([]string{"merge", "-q", "--no-edit", "origin/main"}, how...)...)
}

// hasInside makes a repository of a file's folder, with a commit of the file.
func (s *takesRun) hasInside(name string) {
	s.dirties(name)
	dir := filepath.Dir(name)
	s.git.Git("init", "--quiet", dir)
	s.git.Git("-C", dir, "add", ".")
	s.git.Git("-C", dir, "commit", "--quiet", "-m", "inside")
}

// commitsOld commits all that is there, with the time that the repository has for it: an old one.
func (s *takesRun) commitsOld(how ...string) {
	s.git.Git("add", "--all")
	s.bash("GIT_COMMITTER_DATE=2026-01-08T12:00 git commit -m x " + strings.Join(how, " "))
	s.git.Git(append([]string{"commit", "--quiet", "-m", "x"}, how...)...)
}

// commitsMany makes more commits than are read.
func (s *takesRun) commitsMany() {
	var b strings.Builder
	from := "from refs/heads/main^0\n"
	for range 1100 {
		b.WriteString("commit refs/heads/main\ncommitter A <a@example.com> 1767780000 +0000\ndata 0\n" + from + "M 644 inline z\ndata 0\n")
		from = ""
	}
	file := filepath.Join(s.t.TempDir(), "commits")
	require.NoError(s.t, os.WriteFile(file, []byte(b.String()), 0o600))
	s.git.Git("-c", "alias.import=!git fast-import --quiet <"+file, "import")
}

// TestCommitWithAnotherDate: which commits the session made does not depend on the dates that they
// have, nor on the clock.
func TestCommitWithAnotherDate(t *testing.T) {
	t.Parallel()
	const page = "docs/pages/n.md"
	for name, c := range map[string]struct {
		steps   func(s *takesRun)
		stopped bool
	}{
		"an old date":           {func(s *takesRun) { s.edits(page); s.commitsOld() }, true},
		"written after another": {func(s *takesRun) { s.edits("a.go"); s.commitsOld(); s.edits(page); s.commitsOld() }, true},
		"without a reflog": {func(s *takesRun) {
			s.git.Git("config", "core.logAllRefUpdates", "false")
			_ = os.RemoveAll(filepath.Join(s.dir, ".git/logs"))
			s.edits(page)
			s.commitsOld()
		}, true},
		"packed": {func(s *takesRun) { s.git.Git("gc", "--quiet"); s.edits(page); s.commitsOld() }, true},
		"amended": {func(s *takesRun) {
			s.edits("a.go")
			s.commitsOld()
			s.edits(page)
			s.commitsOld("--amend")
		}, true},
		"the commit before is amended":  {func(s *takesRun) { s.edits(page); s.commitsOld("--amend") }, true},
		"of somebody else by its words": {func(s *takesRun) { s.edits(page); s.commitsOld("--author='A <a@b.c>'") }, true},
		"the first one of a branch": {func(s *takesRun) {
			s.bash("git checkout --orphan o")
			s.git.Git("checkout", "-q", "--orphan", "o")
			s.edits(page)
			s.commitsOld()
		}, true},
		"the commit before is gone": {func(s *takesRun) {
			s.edits(page)
			s.commitsOld("--amend")
			s.git.Git("reflog", "expire", "--expire=now", "--all")
			s.git.Git("gc", "--quiet", "--prune=now")
		}, true},
		"behind very many others": {func(s *takesRun) { s.edits(page); s.commitsOld(); s.commitsMany() }, true},
		"picked": {func(s *takesRun) {
			s.edits(page)
			s.stages(page)
			s.git.Git("stash")
			s.bash("GIT_COMMITTER_DATE=2026-01-08T12:00 git cherry-pick -m1 stash@{0}")
			s.git.Git("cherry-pick", "-m1", "stash@{0}")
		}, true},
		"made of a tree": {func(s *takesRun) {
			s.edits(page)
			s.stages(page)
			s.bash("git reset $(GIT_COMMITTER_DATE=2026-01-08T12:00 git commit-tree -m x -p HEAD $(git write-tree))")
			tree := strings.TrimSpace(s.git.Git("write-tree"))
			s.git.Git("reset", "-q", strings.TrimSpace(s.git.Git("commit-tree", "-m", "x", "-p", "HEAD", tree)))
		}, true},
		"rebased": {func(s *takesRun) {
			s.git.Git("checkout", "-qb", "mine", "HEAD~1")
			s.edits(page)
			s.commitsOld()
			s.git.Git("rebase", "--quiet", "main")
		}, true},
		"reset, kept":     {func(s *takesRun) { s.edits(page); s.commitsOld(); s.git.Git("reset", "--soft", "HEAD~1") }, true},
		"reset":           {func(s *takesRun) { s.edits(page); s.commitsOld(); s.git.Git("reset", "--quiet", "--hard", "HEAD~1") }, false},
		"reset to before": {func(s *takesRun) { s.edits(page); s.commitsOld(); s.git.Git("reset", "--quiet", "--hard", "HEAD~2") }, false},
		"in another work tree": {func(s *takesRun) {
			tree := *s.git
			tree.Dir = filepath.Join(s.t.TempDir(), "tree")
			s.git.Git("worktree", "add", "-q", tree.Dir)
			s.git, s.dir = &tree, tree.Dir
			s.edits(page)
			s.commitsOld()
		}, true},
		"a clock that jumps back": {func(s *takesRun) {
			s.ahead = 48 * time.Hour
			s.edits(page)
			s.ahead = 0
			s.commitsNow("docs")
		}, true},
		"a clock that jumps back, in a later turn": {func(s *takesRun) {
			s.ahead = 48 * time.Hour
			s.edits("a.go")
			s.commitsOld()
			s.stop()
			s.ahead = 0
			s.edits(page)
			s.commitsOld()
		}, true},
		"of an earlier turn": {func(s *takesRun) {
			s.edits(page, "docs/sidebar.yml")
			s.commitsOld()
			s.stop()
			s.edits("a.go")
			s.commitsOld()
		}, false},
		"another page was committed by a person": {func(s *takesRun) {
			s.git.Write(page, "2\n")
			s.git.Commit("a person's")
			s.edits("a.go")
			s.commitsOld()
		}, false},
		"an old page": {func(s *takesRun) { s.edits("docs/pages/old.md"); s.commitsOld() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTakesRun(t, strings.Replace(newPageAndSidebar, "}\n", ", by: turn}\n", 1))
			c.steps(s)
			require.Equal(t, c.stopped, strings.Contains(s.stop(), "Add it: "))
		})
	}
}
