package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/gittest"
)

const pagesAndSidebar = "also: {changed: [\"docs/pages/*.md\"], with: [docs/sidebar.yml]}\nmessage: \"Add it: {{stale_files}}\"\n"

// A takesRun is a session in a repository with some files in its last commit.
type takesRun struct {
	*sessionRun
	git *gittest.Repository
}

func newTakesRun(t *testing.T, rule string) *takesRun {
	t.Helper()
	s, r := inRepository(t, map[string]string{"rule": rule})
	r.Write(".gitignore", "gen/\n")
	for _, name := range []string{"a.go", "b.go", "sub/c.go", "README", "docs/pages/old.md", "docs/sidebar.yml"} {
		r.Write(name, "1\n")
	}
	r.Commit("second")
	return &takesRun{s, r}
}

// edits has the session change a file, and dirties another program.
func (s *takesRun) edits(names ...string) {
	for _, name := range names {
		s.dirties(name)
		s.write(name)
	}
}

func (s *takesRun) dirties(names ...string) {
	for _, name := range names {
		s.git.Write(name, "2\n")
	}
}

func (s *takesRun) stages(names ...string) { s.git.Git(append([]string{"add", "--"}, names...)...) }

func (s *takesRun) links(to, name string) {
	require.NoError(s.t, os.Symlink(to, filepath.Join(s.dir, name)))
}

func (s *takesRun) tests() { s.bash("go test ./...") }

// by has another session act.
func (s *takesRun) by(session string, act func()) {
	id := s.id
	s.id = session
	act()
	s.id = id
}

// TestCommitTakes: tests have to be newer than what the commit takes, and than nothing else.
func TestCommitTakes(t *testing.T) {
	t.Parallel()
	nothing := func(*takesRun) {}
	dirty := func(s *takesRun) { s.dirties("a.go", "new.go", "gen/x.go") }
	tested := func(s *takesRun) { s.edits("a.go"); s.tests() }
	for name, c := range map[string]struct {
		steps   func(s *takesRun)
		line    string
		stopped bool
	}{
		// what the line takes
		"nothing is staged":           {dirty, "git commit -m x", false},
		"all":                         {dirty, "git commit -am x", true},
		"all of nothing":              {nothing, "git commit -am x", false},
		"added":                       {dirty, "git add -A && git commit -m x", true},
		"a new file is added":         {func(s *takesRun) { s.dirties("new.go") }, "git add . && git commit -m x", true},
		"a new file is not tracked":   {func(s *takesRun) { s.dirties("new.go") }, "git commit -am x", false},
		"a new file is not updated":   {func(s *takesRun) { s.dirties("new.go") }, "git add -u && git commit -m x", false},
		"a new file is announced":     {func(s *takesRun) { s.dirties("new.go") }, "git add -N new.go && git commit -am x", true},
		"announced, then named":       {func(s *takesRun) { s.edits("new.go") }, "git add --intent-to-add . && git commit -m x new.go", true},
		"announced, and not staged":   {func(s *takesRun) { s.dirties("new.go") }, "git add -N new.go && git commit -m x", false},
		"another one is announced":    {func(s *takesRun) { s.dirties("new.go") }, "git add -N docs && git commit -am x", false},
		"written, then announced":     {nothing, "echo x > new.go && git add -N new.go && git commit -am x", true},
		"announced, then written":     {nothing, "touch new.go && git add -N . && echo x > new.go && git commit -am x", true},
		"a new file of the line":      {nothing, "echo x > new.go && git commit -am x", false},
		"a new file, only updated":    {nothing, "echo x > new.go && git add -u && git commit -m x", false},
		"a new file of the line, all": {nothing, "echo x > new.go && git add . && git commit -m x", true},
		"renamed over another one":    {nothing, "mv a.go b.go && git commit -am x", true},
		"renamed to a new one":        {nothing, "mv a.go d.go && git add -u && git commit -m x", true},
		"copied, and only updated":    {func(s *takesRun) { s.dirties("drafts/x.go") }, "cp -r drafts/. sub && git commit -am x", false},
		"one inside, then all":        {func(s *takesRun) { s.hasInside("lib/x.go"); s.git.Write("lib/x.go", "3\n") }, "git -C lib commit -am x", true},
		"added, then changed":         {nothing, "touch new.go && git add new.go && echo x > new.go && git commit -am x", true},
		"through a link":              {func(s *takesRun) { s.links("sub", "link") }, "echo x > link/c.go && git commit -am x", true},
		"a new one through a link":    {func(s *takesRun) { s.links("sub", "link") }, "echo x > link/new.go && git add sub && git commit -m x", true},
		"added through a link":        {func(s *takesRun) { s.links("sub", "link"); s.dirties("sub/c.go") }, "cd link && git add c.go && git commit -m x", true},
		"removed through a link":      {func(s *takesRun) { s.links("sub", "link") }, "rm link/c.go && git commit -am x", true},
		"an ignored file":             {func(s *takesRun) { s.edits("gen/x.go") }, "git add -A && git commit -m x", false},
		"an ignored file, by force":   {func(s *takesRun) { s.edits("gen/x.go") }, "git add -f gen && git commit -m x", true},
		"a folder":                    {func(s *takesRun) { s.dirties("sub/c.go") }, "git add sub && git commit -m x", true},
		"another folder":              {dirty, "git add docs README && git commit -m x", false},
		"a pattern":                   {func(s *takesRun) { s.edits("sub/c.go") }, "git add 'sub/*' && git commit -m x", true},
		"a pattern for other files":   {func(s *takesRun) { s.edits("sub/c.go") }, "git add '*.md' && git commit -m x", false},
		"named":                       {dirty, "git commit -m x a.go", true},
		"named after dashes":          {dirty, "git commit -m x -- a.go", true},
		"another one is named":        {func(s *takesRun) { s.edits("a.go"); s.stages("a.go") }, "git commit -m x README", false},
		"another one is included":     {func(s *takesRun) { s.edits("a.go"); s.stages("a.go") }, "git commit -m x -i README", true},
		"from another folder":         {dirty, "cd docs && git commit -m x ../a.go", true},
		"of this folder":              {dirty, "cd docs && git add . && git commit -m x", false},
		"of the whole tree":           {dirty, "cd docs && git add -A && git commit -m x", true},
		"staged before":               {func(s *takesRun) { s.dirties("a.go"); s.stages("a.go") }, "git commit -m x", true},
		"unstaged in the line":        {func(s *takesRun) { s.dirties("a.go"); s.stages("a.go") }, "git reset -q && git add README && git commit -m x", false},
		"restored in the line":        {func(s *takesRun) { s.edits("a.go") }, "git checkout -- a.go && git commit -am x", false},
		"unstaged, but added again":   {func(s *takesRun) { s.dirties("a.go"); s.stages("a.go") }, "git restore --staged a.go && git add a.go && git commit -m x", true},
		"another commit":              {func(s *takesRun) { s.edits("a.go") }, "git reset --soft HEAD~1 && git commit -m x", true},
		"a file whose name is hidden": {func(s *takesRun) { s.edits("a.go") }, "git add $F && git commit -m x", true},
		"another index":               {func(s *takesRun) { s.edits("a.go") }, "GIT_INDEX_FILE=x git commit -m x", true},
		"a message with a name":       {dirty, "git commit -m a.go", false},
		"a dry run":                   {func(s *takesRun) { s.edits("a.go") }, "git commit -a --dry-run", false},
		"help":                        {func(s *takesRun) { s.edits("a.go") }, "git commit --help", false},
		"moved in the line":           {nothing, "git mv a.go d.go && git commit -m x", true},
		"removed in the line":         {nothing, "git rm a.go && git commit -m x", true},
		"removed, and not staged":     {nothing, "rm a.go && git commit -m x", false},
		"written in the line":         {nothing, "echo x > a.go && git commit -am x", true},
		"a folder is copied":          {func(s *takesRun) { s.dirties("drafts/x.go", "drafts/y.md") }, "cp -r drafts/. sub && git add sub && git commit -m x", true},
		"a new folder is copied":      {func(s *takesRun) { s.dirties("drafts/in/x.go") }, "cp -r drafts new && git add new && git commit -m x", true},
		"a folder is synchronized":    {func(s *takesRun) { s.dirties("drafts/x.go") }, "rsync -a drafts/ sub/ && git add -A sub && git commit -m x", true},
		"a folder is moved":           {func(s *takesRun) { s.dirties("drafts/x.go") }, "mv drafts sub && git add sub && git commit -m x", true},
		"a folder is copied after it": {func(s *takesRun) { s.dirties("drafts/x.go") }, "git commit --allow-empty -m x && cp -r drafts sub", false},
		"copied, and not staged":      {func(s *takesRun) { s.dirties("drafts/x.go") }, "cp -r drafts sub && git add README && git commit -m x", false},
		"copied, and untracked":       {func(s *takesRun) { s.dirties("drafts/x.go") }, "cp -r drafts sub && git commit -m x", false},
		"copied, other files":         {func(s *takesRun) { s.dirties("drafts/x.md") }, "cp -r drafts sub && git add sub && git commit -m x", false},
		"copied and gone":             {func(s *takesRun) { s.dirties("drafts/x.go") }, "cp -r drafts new && rm -r new && git add README && git commit -m x", false},
		"copied before a run":         {func(s *takesRun) { s.dirties("drafts/x.go") }, "cp -r drafts sub && go test ./... && git add sub && git commit -m x", false},
		"copied after a run":          {func(s *takesRun) { s.dirties("drafts/x.go") }, "go test ./... && cp -r drafts sub && git add sub && git commit -m x", true},
		"written, and not staged":     {nothing, "echo x > a.go && git commit -m x", false},

		// what is stale
		"tested":                       {tested, "git commit -am x", false},
		"tested, then written":         {func(s *takesRun) { tested(s); s.edits("b.go") }, "git commit -am x", true},
		"tested, another one taken":    {func(s *takesRun) { tested(s); s.edits("b.go") }, "git commit -m x a.go", false},
		"committed and unchanged":      {func(s *takesRun) { s.by("o", func() { s.edits("a.go") }); s.git.Commit("third"); s.edits("README") }, "git add -A && git commit -m x", false},
		"another one's, not committed": {func(s *takesRun) { s.tests(); s.by("o", func() { s.edits("a.go") }) }, "git commit -am x", true},
		"gone again": {func(s *takesRun) {
			s.tests()
			s.edits("t.go")
			s.bash("rm t.go")
			_ = os.Remove(filepath.Join(s.dir, "t.go"))
		}, "git add -A && git commit -m x", false},
		"gone in the line": {func(s *takesRun) { s.tests(); s.edits("t.go") }, "rm t.go && git add -A && git commit -m x", false},
		"restored": {func(s *takesRun) {
			s.tests()
			s.edits("a.go")
			s.bash("git checkout -- a.go")
			s.git.Git("checkout", "--", "a.go")
		}, "git commit -am x", false},
		"outside":                        {func(s *takesRun) { s.tests(); s.bash("echo x > /elsewhere/x.go") }, "git commit -am x", false},
		"a folder was removed":           {func(s *takesRun) { s.tests(); s.bash("rm -r sub"); _ = os.RemoveAll(filepath.Join(s.dir, "sub")) }, "git commit -am x", true},
		"a folder was removed, not here": {func(s *takesRun) { s.tests(); s.bash("rm -r sub") }, "git commit -am x", false},

		// several commits
		"the second one":              {tested, "git commit -am x && sed -i s/1/3/ b.go && git commit -am y", true},
		"tested in between":           {tested, "git commit -am x && sed -i s/1/3/ b.go && go test ./... && git commit -am y", false},
		"of a clean tree":             {nothing, "git commit --allow-empty -m x; echo x > a.go; git commit -am y", true},
		"one after the other":         {func(s *takesRun) { tested(s); s.edits("README") }, "git commit -m x a.go && git add -A && git commit -m y", false},
		"the first takes it":          {func(s *takesRun) { s.edits("README", "a.go") }, "git commit -m x README && git commit -am y", true},
		"tested, then taken by both":  {func(s *takesRun) { s.edits("a.go") }, "go test ./... && git commit -am x && git commit --amend -m y", false},
		"a run before, and a write":   {nothing, "go test ./... && echo x > a.go && git commit -am x", true},
		"a run before, another write": {nothing, "go test ./... && echo x > a.go && git commit -m x README", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTakesRun(t, testFirst)
			c.steps(s)
			require.Equal(t, c.stopped, s.bash(c.line))
		})
	}
}

// TestCommitElsewhere: a commit in another repository takes nothing of this one.
func TestCommitElsewhere(t *testing.T) {
	t.Parallel()
	s := newTakesRun(t, testFirst)
	other := filepath.ToSlash(gittest.New(t).Dir)
	s.edits("a.go")
	require.False(t, s.bash("cd "+other+" && git add -A && git commit -m x"))
	require.False(t, s.bash("git -C "+other+" commit -am x"))
	require.False(t, s.bash("git -C "+other+" add -A && git commit -m x"), "what is added is in another one")
	require.True(t, s.bash("cd "+other+" && git -C "+filepath.ToSlash(s.dir)+" commit -am x"))
	require.True(t, s.bash("cd \"$X\" && git commit -am x"))

	inner := &gittest.Repository{}
	*inner = *s.git
	inner.Dir = filepath.Join(s.dir, "vendored")
	require.NoError(t, os.Mkdir(inner.Dir, 0o755))
	inner.Git("init", "--quiet")
	s.edits("vendored/d.go")
	require.True(t, s.bash("cd vendored && git add -A && git commit -m x"))
	require.False(t, s.bash("cd vendored && git commit -m x"))
}

// TestCommitThatGitCannotTell: of an index that is not understood what is staged is known, and else
// each file that a session wrote counts.
func TestCommitThatGitCannotTell(t *testing.T) {
	t.Parallel()
	s := newTakesRun(t, testFirst)
	s.git.Git("update-index", "--split-index")
	s.dirties("a.go")
	require.False(t, s.bash("git commit -am x"))
	require.NotContains(t, s.before("Bash", map[string]any{"command": "git commit -am x"}), "could not be judged")
	s.stages("a.go")
	require.True(t, s.bash("git commit -am x"))
	s.git.Git("reset", "--quiet")
	s.write("b.go")
	require.True(t, s.bash("git commit -am x"))
	require.False(t, s.bash("git commit -m x"))
}

// TestAlsoTakes: of a commit both files have to be in it.
func TestAlsoTakes(t *testing.T) {
	t.Parallel()
	const page, sidebar = "docs/pages/n.md", "docs/sidebar.yml"
	for name, c := range map[string]struct {
		steps   func(s *takesRun)
		line    string
		stopped bool
	}{
		"both":                   {func(s *takesRun) { s.edits(page, sidebar) }, "git add -A && git commit -m x", false},
		"both, of no session":    {func(s *takesRun) { s.dirties(page, sidebar) }, "git add -A && git commit -m x", false},
		"a page of no session":   {func(s *takesRun) { s.dirties(page) }, "git add -A && git commit -m x", true},
		"the page is staged":     {func(s *takesRun) { s.edits(page, sidebar); s.stages(page) }, "git commit -m x", true},
		"the page is not taken":  {func(s *takesRun) { s.edits(page, "a.go") }, "git commit -m x -- a.go", false},
		"the page is not added":  {func(s *takesRun) { s.edits(page, "a.go") }, "git add a.go && git commit -m x", false},
		"the sidebar is named":   {func(s *takesRun) { s.edits(page, sidebar); s.stages(page) }, "git commit -m x -i " + sidebar, false},
		"the sidebar is written": {func(s *takesRun) { s.edits(page) }, "echo n >> " + sidebar + " && git add -A && git commit -m x", false},
		"the sidebar is restored": {func(s *takesRun) {
			s.edits(page, sidebar)
			s.git.Git("checkout", "--", sidebar)
		}, "git add -A && git commit -m x", true},
		"the page is gone": {func(s *takesRun) { s.edits(page); _ = os.Remove(filepath.Join(s.dir, page)) }, "git add -A && git commit -m x", false},
		"two commits":      {func(s *takesRun) { s.edits(page, sidebar) }, "git add docs/pages && git commit -m x && git commit -am y", true},
		"amended":          {func(s *takesRun) { s.edits(sidebar); s.git.Commit("sidebar"); s.edits(page) }, "git add -A && git commit --amend --no-edit", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTakesRun(t, pagesAndSidebar)
			c.steps(s)
			require.Equal(t, c.stopped, s.bash(c.line))
		})
	}
}

// TestEndOfTurnTakes: at the end of a turn what could be committed counts, and what the session
// has committed.
func TestEndOfTurnTakes(t *testing.T) {
	t.Parallel()
	const page, sidebar = "docs/pages/n.md", "docs/sidebar.yml"
	const atStop = "requires: {ran: [\"go test ./...\"], since: [\"**/*.go\"]}\nmessage: \"Test first: {{stale_files}}\"\n"
	for name, c := range map[string]struct {
		rule    string
		steps   func(s *takesRun)
		stopped bool
	}{
		"not tested":                 {atStop, func(s *takesRun) { s.edits("a.go") }, true},
		"tested":                     {atStop, func(s *takesRun) { s.edits("a.go"); s.tests() }, false},
		"committed by the session":   {atStop, func(s *takesRun) { s.edits("a.go"); s.ahead = 0; s.commitsNow("a.go") }, true},
		"committed with an old date": {atStop, func(s *takesRun) { s.tests(); s.edits("a.go"); s.commitsOld() }, true},
		"tested, then committed":     {atStop, func(s *takesRun) { s.edits("a.go"); s.tests(); s.commitsOld() }, false},
		"committed by another one": {atStop, func(s *takesRun) {
			s.by("o", func() { s.edits("a.go") })
			s.commitsNow("a.go")
			s.edits("b.go")
			s.tests()
			s.edits("README")
		}, false},
		"another one's": {atStop, func(s *takesRun) {
			s.edits("b.go")
			s.tests()
			s.by("o", func() { s.edits("a.go") })
			s.edits("README", "b.go")
			s.git.Git("checkout", "b.go")
		}, true},
		"gone again": {atStop, func(s *takesRun) { s.edits("t.go"); _ = os.Remove(filepath.Join(s.dir, "t.go")) }, false},
		"restored":   {atStop, func(s *takesRun) { s.edits("a.go"); s.git.Git("checkout", "--", "a.go") }, false},
		"ignored":    {atStop, func(s *takesRun) { s.edits("gen/x.go") }, false},
		"outside":    {atStop, func(s *takesRun) { s.edits("README"); s.bash("echo x > /elsewhere/x.go") }, false},
		"a repository inside": {atStop, func(s *takesRun) {
			require.NoError(s.t, os.Mkdir(filepath.Join(s.dir, "in"), 0o755))
			s.git.Git("init", "--quiet", "in")
			s.edits("in/x.go")
		}, true},

		"both":               {pagesAndSidebar, func(s *takesRun) { s.edits(page, sidebar) }, false},
		"the page alone":     {pagesAndSidebar, func(s *takesRun) { s.edits(page) }, true},
		"the page is gone":   {pagesAndSidebar, func(s *takesRun) { s.edits(page); _ = os.Remove(filepath.Join(s.dir, page)) }, false},
		"both are committed": {pagesAndSidebar, func(s *takesRun) { s.edits(page, sidebar); s.commitsNow("docs") }, false},
		"another page":       {pagesAndSidebar, func(s *takesRun) { s.edits(page, sidebar); s.commitsNow("docs"); s.edits("docs/pages/m.md") }, true},
		"another page, by request": {pagesAndSidebar, func(s *takesRun) {
			s.edits(page, sidebar)
			s.commitsNow("docs")
			s.edits("docs/pages/m.md")
			s.dirties(sidebar+"x", sidebar)
			s.git.Write(sidebar, "3\n")
		}, false},
		"the page is committed": {"also: {changed: [\"docs/pages/*.md\"], with: [docs/sidebar.yml], by: turn}\n", func(s *takesRun) { s.edits(page); s.commitsNow("docs") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTakesRun(t, c.rule)
			c.steps(s)
			answer := s.stop()
			if c.stopped {
				require.Contains(t, answer, `"block"`)
			} else {
				require.NotContains(t, answer, `"block"`)
			}
		})
	}
}

// commitsNow commits files at the time of the clock, as the session does.
func (s *takesRun) commitsNow(names ...string) {
	s.stages(names...)
	s.git.Now()
	s.bash("git commit -m x")
	s.git.Git("commit", "--quiet", "-m", "x")
}

// TestCommitInALineThatGoesOn: a commit is found that the line of the write made long before its end,
// also where a later one has committed something else.
func TestCommitInALineThatGoesOn(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{newPageAndSidebar, strings.Replace(newPageAndSidebar, "new: true, ", "", 1)} {
		s := newTakesRun(t, strings.Replace(rule, "}\n", ", by: turn}\n", 1))
		line := func(name string) {
			args := map[string]any{"command": "echo 2 > " + name + " && git add . && git commit -m x && make release"}
			require.Empty(t, s.before("Bash", args))
			s.dirties(name)
			s.stages(name)
			s.git.Now()
			s.git.Git("commit", "--quiet", "-m", "x")
			s.ahead += time.Minute
			s.after("Bash", args, false)
		}
		line("docs/pages/n.md")
		line("a.go")
		require.Contains(t, s.stop(), "Add it: docs/pages/n.md")
	}
}
