package disposable

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/gittest"
	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// evidence is for a project, with a home folder of its own.
func evidence(t *testing.T, root string) *Evidence {
	t.Helper()
	e := New(root, false, options)
	t.Cleanup(e.Close)
	e.home = safefile.Resolve(t.TempDir())
	e.getenv = func(string) string { return "" }
	return e
}

var options = Options{Over: func() bool { return false }, Secret: func(path string) bool { return filepath.Base(path) == ".env" }}

// why asks about one path, with nothing remembered.
func why(t *testing.T, root, name string) string {
	t.Helper()
	return evidence(t, root).Why(name)
}

// sample is a repository with something of each kind.
func sample(t *testing.T) *gittest.Repository {
	t.Helper()
	repo := gittest.New(t)
	repo.Write(".gitignore", "# made\n/gen/\n*.out\n.env*\nbuild/\ndata/\nlocal/\nprivate-gen/\n/kept.txt\n")
	for _, name := range []string{"README.md", "src/a.go", "src/sub/b.go", "src/c.go", "other/d.go", "build/committed.js", "pkg/a.go"} {
		repo.Write(name, name)
	}
	repo.Git("add", "--force", ".")
	repo.Commit("one")
	repo.Write("other/d.go", "changed")
	repo.Write("staged/new.go", "new")
	repo.Write("staged/old.go", "new")
	repo.Git("add", "staged")
	for _, name := range []string{
		"gen/x/y.js", "gen/z.js", "src/x.out", "pkg/.env", "build/b.js", "data/users.csv", "local/notes.md", "private-gen/app.sqlite",
		"node_modules/a/index.js", "notes/idea.txt", "dist/app.js", "nested/gen/z.js", "kept.txt", "free.txt",
	} {
		repo.Write(name, name)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(repo.Dir, "hollow", "below"), 0o755))
	return repo
}

func TestWhy(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	for name, want := range map[string]string{
		"README.md":             committed,
		"./README.md":           committed,
		"src":                   allOf + committed + ", or " + ignored,
		"src/sub":               allOf + committed,
		"src/sub/b.go":          committed,
		"src/x.out":             ignored + " (.gitignore:3)",
		"gen":                   ignored + " (.gitignore:2)",
		"gen/":                  ignored + " (.gitignore:2)",
		"gen/x/y.js":            ignored + " (.gitignore:2)",
		"gen/none":              ignored + " (.gitignore:2)",
		"build":                 allOf + committed + ", or " + ignored,
		"build/committed.js":    committed,
		"build/b.js":            ignored + " (.gitignore:5)",
		"node_modules":          made,
		"node_modules/a/*":      made,
		"hollow":                empty,
		"src/*.go":              "of all that the pattern means now: " + committed,
		"gen/*":                 ignored + " (.gitignore:2)",
		"*/x.out":               "of all that the pattern means now: " + ignored,
		"**/b.go":               "of all that the pattern means now: " + committed,
		"src/**":                "of all that the pattern means now: " + committed + ", or " + ignored,
		"coverage":              "a build makes folders of this name, and git has nothing there",
		"$(mktemp -d)":          "mktemp makes it in the same line",
		"$(mktemp -d ab.XXXX)":  "mktemp makes it in the same line",
		"$(mktemp -d -t ab.XX)": "mktemp makes it in the same line",
		"/tmp/no-$$":            "it lies below the temporary folder /tmp",
		"/tmp/a-${B}/$RANDOM":   "it lies below the temporary folder /tmp",
		"/tmp/a.$(date +%s)":    "it lies below the temporary folder /tmp",
		"$TMPDIR/no-such/x":     "it lies below the temporary folder, and without one there is nothing of that name",
	} {
		assert.Equal(t, want, why(t, repo.Dir, name), "%q", name)
	}
}

// TestWhyNot names what evidence is missing for.
func TestWhyNot(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	for _, name := range []string{
		"/tmp/$B",
		"/tmp/a$(cat b)",
		"/srv/a$$",
		"other", // d.go was changed
		"other/d.go",
		"staged", // staged, not committed
		"staged/new.go",
		"notes",
		"free.txt",
		"none",
		"dist", // it is there, and git neither has nor ignores it
		"pkg",  // has .env
		"pkg/.env",
		"data", // ignored, and nothing makes it again
		"data/users.csv",
		"local",
		"kept.txt",
		"private-gen", // a database lies in it
		".",
		"*",
		"**",
		".*",
		".git",
		".git/hooks",
		".GIT",
		"..",
		"../x",
		"gen/../notes",
		"src/../gen", // by a link, src/.. is another folder
		"~",
		"~other/x",
		"/",
		"/tmp",
		"/etc/hosts",
		"/usr/local/build",
		"/srv/build",
		"$DIR/build",
		"$TMPDIR/etc", // not set
		"$TMPDIR",
		"$TMPDIR/*",
		"`pwd`/gen",
		"$(mktemp -d)/../x",
		"$(mktemp; echo src)",
		"$(mktemp -d)/no/such", // the line is not known
		"$(mktemp -d /no/such/XXXX)",
		"$(mktemp -d)$X",
		"",
		"gen\x00",
	} {
		assert.Empty(t, why(t, repo.Dir, name), "%q", name)
	}
}

// TestPlaces is about folders outside of the project.
func TestPlaces(t *testing.T) {
	t.Parallel()
	root, tmp := sample(t).Dir, safefile.Resolve(t.TempDir())
	work := filepath.Join(tmp, "work")
	require.NoError(t, os.MkdirAll(work, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(work, "a"), nil, 0o600))
	e := evidence(t, root)
	require.NoError(t, os.WriteFile(filepath.Join(e.home, "x"), nil, 0o600))
	e.temps, e.around = []string{tmp}, ""
	e.getenv = func(name string) string { return map[string]string{"TMPDIR": tmp, "TEMP": e.home}[name] }
	temporary := "it lies below the temporary folder " + tmp
	for name, want := range map[string]string{
		work: temporary, tmp + "/none": temporary, tmp: "", "$TMPDIR/x": temporary, "${TMPDIR}/x": temporary, "$TMPDIR": "", "$TMPDIRS/x": "",
		"$TEMP/x": "", tmp + "/*": "of all that the pattern means now: " + temporary, tmp + "/../x": "",
		"~/.npm/_cacache": "a tool keeps it to be faster, and makes it anew", "~/.cache/pip/x": "a tool keeps it to be faster, and makes it anew",
		"~/.npm": "", "~/.npm/x": "", "~/code/build": "", "~/code/node_modules": made, "~/code": "", "~/*": "", "~/.ssh": "",
	} {
		require.Equal(t, want, e.Why(filepath.ToSlash(name)), name)
	}
	if runtime.GOOS == "windows" {
		return
	}
	programtest.Link(t, filepath.Join(root, "notes"), filepath.Join(tmp, "link"))
	programtest.Link(t, filepath.Join(root, "notes"), filepath.Join(root, "gen", "link"))
	programtest.Link(t, work, filepath.Join(root, "work"))
	for name, want := range map[string]string{
		tmp + "/link": "", tmp + "/link/idea.txt": "", tmp + "/link/*": "", "gen/link/": "", "gen/link/idea.txt": "",
		"work": "", "work/x": temporary,
	} {
		e.known = map[string]string{}
		require.Equal(t, want, e.Why(name), name)
	}
}

// TestHomeInATemporaryFolder: what lies in a home folder is not temporary.
func TestHomeInATemporaryFolder(t *testing.T) {
	t.Parallel()
	e := evidence(t, "/no/such/project")
	e.temps, e.around = []string{filepath.Dir(e.home)}, ""
	require.Empty(t, e.Why("~/go"))
	e.temps = append(e.temps, filepath.Join(e.home, "tmp"))
	require.NotEmpty(t, e.Why("~/tmp/x"))
}

// TestBesideTheProject: where the project lies in a temporary folder, what lies next to it
// in a folder of their own is as little temporary.
func TestBesideTheProject(t *testing.T) {
	t.Parallel()
	tmp := safefile.Resolve(t.TempDir())
	for root, want := range map[string]string{"repo": "it lies below the temporary folder " + tmp, "work/repo": ""} {
		e := evidence(t, filepath.Join(tmp, root))
		e.temps = []string{tmp}
		require.Equal(t, want, e.Why(filepath.ToSlash(filepath.Join(tmp, filepath.Dir(root), "other"))))
	}
}

// TestNotTemporary: a folder that the environment names is one only if it is called so.
func TestNotTemporary(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"/", "/srv/data", root, filepath.Join(root, "tmp"), filepath.Dir(root)} {
		t.Setenv("TMPDIR", dir)
		e := New(root, false, options)
		require.NotContains(t, e.temps, safefile.Resolve(dir), dir)
	}
}

// TestUnrelatedFolder: no repository, or none that can tell.
func TestUnrelatedFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"build/x", "src/x", "vendor/x", "bin/x"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, name), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "src", "x", "a.go"), nil, 0o600))
	require.NotEmpty(t, why(t, root, "build"))
	require.NotEmpty(t, why(t, root, "node_modules"))
	require.NotEmpty(t, why(t, root, "sub/*.pyc"))
	require.Empty(t, why(t, root, "src"))
	require.Empty(t, why(t, root, "none"))
	require.NotEmpty(t, why(t, filepath.VolumeName(root)+"/no/such/project", "dist"))
	require.NotEmpty(t, why(t, filepath.VolumeName(root)+"/no/such/project", "packages/**/dist"))
	require.Empty(t, why(t, filepath.VolumeName(root)+"/no/such/project", "packages/**/src"))
	require.Empty(t, why(t, filepath.VolumeName(root)+"/no/such/project", "src"))
	imagined := options
	imagined.Imagined = true
	e := New(sample(t).Dir, false, imagined)
	defer e.Close()
	require.Empty(t, e.Why("src"), "the folder is not looked at")
	require.NotEmpty(t, e.Why("dist"))
	repo := gittest.New(t) // without a commit
	repo.Write("build/x", "x")
	repo.Write("gen/x", "x")
	repo.Write(".gitignore", "gen/\n")
	require.NotEmpty(t, why(t, repo.Dir, "build"))
	require.Empty(t, why(t, repo.Dir, "gen"), "nobody has committed the pattern")
	repo.Git("add", "build")
	require.Empty(t, why(t, repo.Dir, "build"), "git tracks it")
}

// TestStates: a state that is not at rest, or not understood, gives no evidence.
func TestStates(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, repo *gittest.Repository){
		"merging":  func(t *testing.T, repo *gittest.Repository) { repo.Write(".git/MERGE_HEAD", "x") },
		"rebasing": func(t *testing.T, repo *gittest.Repository) { repo.Write(".git/rebase-merge/done", "") },
		"picking":  func(t *testing.T, repo *gittest.Repository) { repo.Write(".git/CHERRY_PICK_HEAD", "x") },
		"locked":   func(t *testing.T, repo *gittest.Repository) { repo.Write(".git/index.lock", "") },
		"damaged":  func(t *testing.T, repo *gittest.Repository) { repo.Write(".git/index", "DIRC") },
		"huge": func(t *testing.T, repo *gittest.Repository) {
			require.NoError(t, os.Truncate(filepath.Join(repo.Dir, ".git", "index"), 500_000*100))
		},
		"split": func(t *testing.T, repo *gittest.Repository) { repo.Git("update-index", "--split-index") },
		"sparse": func(t *testing.T, repo *gittest.Repository) {
			repo.Git("sparse-checkout", "set", "--cone", "--sparse-index", "pkg", "gen")
		},
		"no commit": func(t *testing.T, repo *gittest.Repository) {
			repo.Write(".git/HEAD", "ref: refs/heads/none\n")
		},
		"no object": func(t *testing.T, repo *gittest.Repository) {
			require.NoError(t, os.RemoveAll(filepath.Join(repo.Dir, ".git", "objects")))
		},
		"changed ignore": func(t *testing.T, repo *gittest.Repository) {
			repo.Write(".gitignore", "/gen/\n/src/\n/pkg/\n")
			repo.Write("pkg/a.go", "changed")
		},
		"ignored by all": func(t *testing.T, repo *gittest.Repository) {
			repo.Write(".gitignore", strings.Repeat("x/**/**/**/y\n", 30_000))
			repo.Write("pkg/a.go", "changed")
		},
		"not understood": func(t *testing.T, repo *gittest.Repository) {
			repo.Write(".gitignore", "gen/\n[[:alpha:]]x\n")
			repo.Git("commit", "-qam", "x")
			repo.Write("pkg/a.go", "changed")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := sample(t)
			require.NoError(t, os.RemoveAll(filepath.Join(repo.Dir, "pkg", ".env")))
			require.NotEmpty(t, why(t, repo.Dir, "gen"))
			require.NotEmpty(t, why(t, repo.Dir, "pkg"))
			change(t, repo)
			require.Empty(t, why(t, repo.Dir, "gen"))
			require.Empty(t, why(t, repo.Dir, "pkg"))
		})
	}
}

// TestMoreIgnoreFiles: patterns of folders below, negated ones, uncommitted ones.
func TestMoreIgnoreFiles(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write(".gitignore", "*.js\n/out/*\n!/out/keep\n")
	repo.Write("web/.gitignore", "!*.js\n/made\n")
	repo.Commit("one")
	for _, name := range []string{"a.js", "web/b.js", "web/made/x", "out/a/x", "out/keep/x", "self/x"} {
		repo.Write(name, name)
	}
	repo.Write("self/.gitignore", "*\n")
	for name, want := range map[string]string{
		"a.js": ignored + " (.gitignore:1)", "web/b.js": "", "web/made": ignored + " (web/.gitignore:2)", "out/a": ignored + " (.gitignore:2)", "out/keep": "",
		"out": "", "self": "", "self/x": "",
	} {
		require.Equal(t, want, why(t, repo.Dir, name), name)
	}
}

// TestAnotherRepository: a folder may hold the only copy of commits.
func TestAnotherRepository(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	require.NoError(t, os.MkdirAll(filepath.Join(repo.Dir, "gen", "clone", ".git"), 0o755))
	require.Empty(t, why(t, repo.Dir, "gen"))
	require.NoError(t, os.MkdirAll(filepath.Join(repo.Dir, "hollow", ".git"), 0o755))
	require.Empty(t, why(t, repo.Dir, "hollow"))
}

// TestDeepInWhatIsIgnored: a secret and a repository are found at any depth, and what is too
// large to be looked through gives no evidence.
func TestDeepInWhatIsIgnored(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"gen/1/2/3/4/5/x.js": true, "gen/1/2/3/4/5/.env": false, "gen/1/2/3/4/5/clone/.git/HEAD": false, "gen/1/2/3/users.sqlite": false,
		"gen/node_modules/a/b/.env": true,
	} {
		repo := sample(t)
		repo.Write(name, name)
		require.Equal(t, want, why(t, repo.Dir, "gen") != "", name)
	}
	repo := sample(t)
	repo.Write("gen/venv/lib/x", "x")
	e := evidence(t, repo.Dir)
	e.plainLeft, e.entries = 2, 3
	require.Empty(t, e.Why("gen"))
	repo.Write(".gitignore", "venv/\n")
	repo.Commit("venv")
	e = evidence(t, repo.Dir)
	e.plainLeft = 0
	require.NotEmpty(t, e.Why("gen/venv"))
}

// TestRenamedEarlier: a folder that an earlier call gave the name of one that tools make is
// taken for that one.
func TestRenamedEarlier(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	require.Empty(t, why(t, repo.Dir, "notes"))
	require.NoError(t, os.Rename(filepath.Join(repo.Dir, "notes"), filepath.Join(repo.Dir, "venv")))
	require.Equal(t, made, why(t, repo.Dir, "venv"))
}

// TestHomeRepository: the repository of a home folder ignores nearly everything.
func TestHomeRepository(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	e := evidence(t, filepath.Join(repo.Dir, "pkg"))
	e.home, e.temps = safefile.Resolve(repo.Dir), nil
	require.Empty(t, e.Why("../gen"))
	require.Empty(t, e.Why(repo.Dir+"/gen"))
	require.Empty(t, e.Why(repo.Dir+"/src/sub"))
}

// TestFolded: where case does not matter, a pattern and a name mean more.
func TestFolded(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	e := evidence(t, repo.Dir)
	e.fold = true
	require.Equal(t, ignored+" (.gitignore:2)", e.Why("GEN/none"))
	require.Empty(t, e.Why("Staged/New.go"))
	require.True(t, e.repositoryOf(t, repo.Dir).mayTrack(filepath.Join(repo.Dir, "SRC")))
}

func (e *Evidence) repositoryOf(t *testing.T, dir string) *repo {
	t.Helper()
	return e.repository(safefile.Resolve(dir))
}

// TestContentIsCompared: neither the time nor the size of a file says that it is unchanged.
func TestContentIsCompared(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	path := filepath.Join(repo.Dir, "README.md")
	info, err := os.Stat(path)
	require.NoError(t, err)
	repo.Write("README.md", "readme.MD")
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	require.Empty(t, why(t, repo.Dir, "README.md"))
	repo.Write("README.md", "README.md")
	require.NoError(t, os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)))
	require.Equal(t, committed, why(t, repo.Dir, "README.md"))
	repo.Git("update-index", "--assume-unchanged", "README.md")
	repo.Write("README.md", "changed")
	require.Empty(t, why(t, repo.Dir, "README.md"))
	repo.Write("src/a.go", "a\r\n")
	require.Empty(t, why(t, repo.Dir, "src/a.go"))
	repo.Write("src/a.go", "a\n")
	repo.Commit("line")
	repo.Write("src/a.go", "a\r\n")
	require.Equal(t, committed, why(t, repo.Dir, "src/a.go"))
}

// TestLostContent: a commit that names a content which the repository does not have, as a
// partial clone, gives no evidence.
func TestLostContent(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	require.Equal(t, committed, why(t, repo.Dir, "src/a.go"))
	id := strings.TrimSpace(repo.Git("rev-parse", "HEAD:src/a.go"))
	require.NoError(t, os.Remove(filepath.Join(repo.Dir, ".git", "objects", id[:2], id[2:])))
	require.Empty(t, why(t, repo.Dir, "src/a.go"))
}

// TestMade: what the session created, as long as nothing else was put in its place.
func TestMade(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	began := time.Now()
	seen := map[string]time.Time{}
	opts := options
	opts.Made = func(path string) time.Time { return seen[path] }
	repo.Write("scratchpad/a.py", "a")
	repo.Write("scratchpad/b.py", "b")
	ask := func(name string) string {
		e := New(repo.Dir, false, opts)
		defer e.Close()
		return e.Why(name)
	}
	dir := safefile.Resolve(repo.Dir)
	seen[filepath.Join(dir, "scratchpad", "a.py")] = began
	require.Equal(t, created, ask("scratchpad/a.py"))
	require.Empty(t, ask("scratchpad"))
	seen[filepath.Join(dir, "scratchpad", "b.py")] = began
	require.Equal(t, allOf+created, ask("scratchpad"))
	require.NoError(t, os.Chtimes(filepath.Join(dir, "scratchpad", "b.py"), began, began.Add(-time.Hour)))
	require.Empty(t, ask("scratchpad"), "an older file was moved there")
	require.NoError(t, os.Chtimes(filepath.Join(dir, "scratchpad", "b.py"), began, began.Add(2*coarse)))
	require.Empty(t, ask("scratchpad"), "somebody filled it later")
}

// TestIgnoredSinceTheSessionBegan: an agent that writes a pattern and commits it has no
// evidence by it.
func TestIgnoredSinceTheSessionBegan(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	ask := func(began time.Time, name string) string {
		opts := options
		opts.Started = func() time.Time { return began }
		e := New(repo.Dir, false, opts)
		defer e.Close()
		return e.Why(name)
	}
	const day = 24 * time.Hour
	require.NotEmpty(t, ask(time.Time{}, "gen"), "there is no session")
	require.NotEmpty(t, ask(time.Now().Add(day), "gen"))
	require.Empty(t, ask(time.Now().Add(-day), "gen"))
	require.Equal(t, committed, ask(time.Now().Add(-day), "src/sub/b.go"))
	path := filepath.Join(repo.Dir, ".gitignore")
	require.NoError(t, os.Chtimes(path, time.Now().Add(-3*day), time.Now().Add(-3*day)))
	info, err := os.Stat(path)
	require.NoError(t, err)
	if ctime, _ := safefile.ChangeTime(info); ctime != 0 {
		require.Empty(t, ask(time.Now().Add(-day), "gen"), "its time was set back")
	}
}

// TestBounds: what is too much to look through gives no evidence.
func TestBounds(t *testing.T) {
	t.Parallel()
	repo := sample(t)
	e := evidence(t, repo.Dir)
	e.entries = 3
	require.Empty(t, e.Why("src"))
	e = evidence(t, repo.Dir)
	e.content = 5
	require.Empty(t, e.Why("src/sub/b.go"))
	e = evidence(t, repo.Dir)
	for i := range maxPaths {
		e.Why(fmt.Sprint("x", i))
	}
	require.Empty(t, e.Why("README.md"))
	deep := filepath.Join(repo.Dir, "hollow", strings.Repeat("d/", maxDeep+2))
	require.NoError(t, os.MkdirAll(deep, 0o755))
	require.Empty(t, why(t, repo.Dir, "hollow"))
	require.Empty(t, why(t, repo.Dir, strings.Repeat("x", 5000)))
}
