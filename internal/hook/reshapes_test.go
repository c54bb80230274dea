package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTreeThatChanges: git and generators write files that their lines do not name. What they
// changed makes tests old where the commit takes such files, and nothing else does.
func TestTreeThatChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps   func(s *takesRun)
		line    string
		stopped bool
	}{
		"a stash":                       {func(s *takesRun) { s.stashed("b.go"); s.tests(); s.runs("git stash pop") }, "git commit -am x", true},
		"a stash, tested":               {func(s *takesRun) { s.stashed("b.go"); s.runs("git stash pop"); s.tests() }, "git commit -am x", false},
		"a stash without code":          {func(s *takesRun) { s.stashed("README"); s.tests(); s.runs("git stash pop") }, "git commit -am x", false},
		"a stash in the line":           {func(s *takesRun) { s.stashed("b.go"); s.tests() }, "git stash pop && git commit -am x", true},
		"tests and a stash in the line": {func(s *takesRun) { s.stashed("b.go") }, "go test ./... && git stash pop && git commit -am x", true},
		"a stash and tests in the line": {func(s *takesRun) { s.stashed("b.go") }, "git stash pop && go test ./... && git commit -am x", false},
		"a stash that is looked at":     {func(s *takesRun) { s.stashed("b.go"); s.edits("a.go"); s.tests(); s.runs("git stash list") }, "git commit -am x", false},
		"a merge below tested work":     {func(s *takesRun) { s.edits("a.go"); s.tests(); s.runs("git merge -q other") }, "git commit -am x", true},
		"a merge, and other work":       {func(s *takesRun) { s.tests(); s.runs("git merge -q other"); s.edits("README") }, "git commit -am x", false},
		"a merge at the beginning":      {func(s *takesRun) { s.runs("git merge -q other"); s.edits("a.go"); s.tests() }, "git commit -am x", false},
		"a merge, and never tested":     {func(s *takesRun) { s.runs("git merge -q other"); s.edits("README") }, "git commit -am x", false},
		"a merge that brought nothing":  {func(s *takesRun) { s.edits("a.go"); s.tests(); s.runs("git merge -q HEAD") }, "git commit -am x", false},
		"a pick that waits":             {func(s *takesRun) { s.tests(); s.runs("git cherry-pick -n other") }, "git commit -m x", true},
		"a squashed merge":              {func(s *takesRun) { s.tests(); s.runs("git merge --squash other") }, "git commit -m x", true},
		"a squashed merge in the line":  {func(s *takesRun) { s.tests() }, "git merge --squash other && git commit -m x", true},
		"another branch":                {func(s *takesRun) { s.tests(); s.runs("git switch -q other"); s.edits("README") }, "git commit -am x", false},
		"another branch, and work":      {func(s *takesRun) { s.edits("a.go"); s.tests(); s.runs("git checkout -q other") }, "git commit -am x", true},
		"a new branch":                  {func(s *takesRun) { s.edits("a.go"); s.tests(); s.runs("git switch -qc mine"); s.dirties("b.go") }, "git commit -m x a.go", false},
		"a generator":                   {func(s *takesRun) { s.edits("a.go"); s.tests(); s.bash("go generate ./..."); s.dirties("b.go") }, "git commit -am x", true},
		"a generator of nothing":        {func(s *takesRun) { s.edits("a.go"); s.ages(); s.tests(); s.bash("go generate ./...") }, "git commit -am x", false},
		"a generator, tested":           {func(s *takesRun) { s.edits("a.go"); s.bash("go generate ./..."); s.dirties("b.go"); s.tests() }, "git commit -am x", false},
		"reset":                         {func(s *takesRun) { s.edits("a.go"); s.tests(); s.runs("git reset -q --hard other"); s.edits("README") }, "git commit -am x", false},
		"unstaged":                      {func(s *takesRun) { s.edits("a.go"); s.stages("a.go"); s.tests(); s.runs("git reset -q") }, "git commit -am x", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTakesRun(t, testFirst)
			s.git.Git("checkout", "-qb", "other")
			s.git.Write("sub/c.go", "other\n")
			s.git.Commit("other")
			s.git.Git("checkout", "-q", "-")
			c.steps(s)
			require.Equal(t, c.stopped, s.bash(c.line))
		})
	}
}

// TestTreeThatChangesIsNoChange: files that git brings need no other file to change, and do not count
// as the first write.
func TestTreeThatChangesIsNoChange(t *testing.T) {
	t.Parallel()
	s := newTakesRun(t, pagesAndSidebar)
	s.bash("git merge -q other")
	s.edits("docs/pages/old.md")
	require.True(t, s.bash("git commit -am x"))
}

// stashed has git keep a change of a file.
func (s *takesRun) stashed(name string) {
	s.dirties(name)
	s.git.Git("stash")
}

// runs has the session run a line of git, which really changes the work tree. What is there
// before it is old.
func (s *takesRun) runs(line string) {
	s.ages()
	time.Sleep(25 * time.Millisecond) // the clock of files is behind
	args := map[string]any{"command": line}
	require.Empty(s.t, s.before("Bash", args))
	s.git.Git(strings.Fields(line)[1:]...)
	s.after("Bash", args, false)
}

func (s *takesRun) ages() {
	old := s.now().Add(-time.Minute)
	require.NoError(s.t, filepath.WalkDir(s.dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && !e.IsDir() {
			err = os.Chtimes(path, old, old)
		}
		return err
	}))
}
