package repo

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// reason returns why a clone failed, and checks that no part of it stays.
func reason(t *testing.T, target string, o CloneOptions) (Reason, string) {
	t.Helper()
	o.TempDir = t.TempDir()
	o.patient()
	r, err := Clone(t.Context(), target, &o)
	require.Nil(t, r)
	var failed *CloneError
	require.ErrorAs(t, err, &failed)
	left, readErr := os.ReadDir(o.TempDir)
	require.NoError(t, readErr)
	require.Empty(t, left, "the temporary folder stays")
	return failed.Reason, err.Error()
}

func TestCloneFolder(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write("README.md", "# Read me\n")
	o.write("cmd/main.go", "package main\n")
	hash := o.commit("first")
	var steps []string
	r := o.clone(&CloneOptions{Progress: func(step string) { steps = append(steps, step) }})

	s := r.Subject()
	real, err := filepath.EvalSymlinks(o.dir)
	require.NoError(t, err)
	require.Equal(t, []string{"origin", "", real, hash, "main"}, []string{s.Name, s.URL, s.Local, s.Commit, s.Branch})
	require.Zero(t, s.Dirty)
	require.Equal(t, []string{"go"}, s.Languages)
	require.Equal(t, map[string]int64{"go": 13}, r.Languages())
	require.Equal(t, []string{"README.md", "cmd/main.go"}, r.Paths())
	require.Equal(t, int64(10), r.Files()[0].Size)
	require.True(t, r.Has("**/*.go"))
	require.True(t, r.Has("*.go"))
	require.False(t, r.Has("./*.go"))
	require.False(t, r.Has("["))
	content, err := r.Read(t.Context(), "README.md")
	require.NoError(t, err)
	require.Equal(t, "# Read me\n", string(content))
	_, err = r.Read(t.Context(), "none")
	require.ErrorIs(t, err, ErrNoFile)
	require.Equal(t, []string{"cloning", "reading the tree"}, steps)
}

// A close while others read gives them an error, not a hang.
func TestClose(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write("a", "a")
	o.commit("first")
	r := o.clone(nil)
	_, err := r.Read(t.Context(), "a")
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if content, err := r.Read(t.Context(), "a"); err != nil || string(content) != "a" {
					require.ErrorIs(t, err, errClosed)
				}
			}
		})
	}
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	group.Wait()
	_, err = r.Read(t.Context(), "a")
	require.ErrorIs(t, err, errClosed)
	unread := o.clone(nil)
	require.NoError(t, unread.Close())
	_, err = unread.Read(t.Context(), "a")
	require.ErrorIs(t, err, errClosed)
}

func TestCloneStrangeRepositories(t *testing.T) {
	t.Parallel()
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		r := newOrigin(t).clone(nil)
		require.Empty(t, r.Files())
		require.Empty(t, r.Subject().Commit)
	})
	t.Run("HEAD names no branch", func(t *testing.T) {
		t.Parallel()
		o := newOrigin(t)
		o.commit("first")
		o.git("symbolic-ref", "HEAD", "refs/heads/nowhere")
		why, text := reason(t, o.dir, CloneOptions{})
		require.Equal(t, ReasonBranch, why)
		require.Contains(t, text, "a branch that does not exist")
	})
	t.Run("detached HEAD", func(t *testing.T) {
		t.Parallel()
		o := newOrigin(t)
		first := o.commit("first")
		o.commit("second")
		o.git("checkout", "--quiet", first)
		s := o.clone(nil).Subject()
		require.Equal(t, first, s.Commit)
		require.Empty(t, s.Branch)
	})
	t.Run("two roots", func(t *testing.T) {
		t.Parallel()
		o := newOrigin(t)
		o.write("a", "a")
		o.commit("first root")
		o.git("checkout", "--quiet", "--orphan", "other")
		o.write("b", "b")
		o.commit("second root")
		o.git("checkout", "--quiet", "main")
		o.git("merge", "--quiet", "--allow-unrelated-histories", "--message=join", "other")
		rb := parse(t, `  - {id: g, type: git}`)
		g := whole(t, Investigate(t.Context(), o.clone(nil), rb, nil), "g")
		require.Equal(t, 3, g.Values["commit_count"])
	})
	t.Run("bare", func(t *testing.T) {
		t.Parallel()
		o := newOrigin(t)
		o.write("a", "a")
		o.commit("first")
		bare := filepath.Join(t.TempDir(), "bare.git")
		o.git("clone", "--quiet", "--bare", o.dir, bare)
		s := clone(t, bare, nil).Subject()
		require.Equal(t, "bare.git", s.Name)
		require.Zero(t, s.Dirty)
	})
	t.Run("within a repository", func(t *testing.T) {
		t.Parallel()
		o := newOrigin(t)
		o.write("sub/a", "a")
		why, text := reason(t, filepath.Join(o.dir, "sub"), CloneOptions{})
		require.Equal(t, ReasonAddress, why)
		require.Contains(t, text, "give the repository's root")
	})
	t.Run("broken", func(t *testing.T) {
		t.Parallel()
		needGit(t)
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
		why, _ := reason(t, dir, CloneOptions{})
		require.Equal(t, ReasonNotFound, why)
	})
}

// Names are data: they are listed as they are, and read by their object's hash.
func TestStrangeNames(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	hash := o.gitIn([]byte("content"), "hash-object", "-w", "--stdin")
	names := []string{"new\nline", "\x1b[31mred", "tab\there", "quo\"te", "$(touch x)", "-option", "\u202egnp.exe", "\xff\xfe", " space ", "a;b|c&d", `back\slash`}
	var tree strings.Builder
	for _, name := range names {
		tree.WriteString("100644 blob " + hash + "\t" + name + "\x00")
	}
	treeHash := o.gitIn([]byte(tree.String()), "mktree", "-z")
	o.git("update-ref", "refs/heads/main", o.git("commit-tree", "-m", "names", treeHash))
	r := o.clone(nil)
	require.ElementsMatch(t, names, r.Paths())
	for _, name := range names {
		content, err := r.Read(t.Context(), name)
		require.NoError(t, err, "%q", name)
		require.Equal(t, "content", string(content))
	}
}

func TestLinksAndSubmodules(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write("dir/file", "content")
	for link, target := range map[string]string{"in": "dir/file", "dir/up": "../dir/file", "out": "/etc/passwd", "dir/out": "../../secret", "git": ".git/config"} {
		require.NoError(t, os.Symlink(target, filepath.Join(o.dir, link)))
	}
	first := o.commit("links")
	o.git("update-index", "--add", "--cacheinfo", "160000,"+first+",sub")
	o.git("commit", "--quiet", "-m", "submodule")
	r := o.clone(nil)
	for _, path := range []string{"out", "in", "sub"} {
		_, err := r.Read(t.Context(), path)
		require.ErrorIs(t, err, ErrNotRegular)
	}
	all := Investigate(t.Context(), r, parse(t, `  - {id: t, type: text, files: {include: ["**"]}, regex: "root:|content"}`), nil)
	require.Equal(t, 1, whole(t, all, "t").Values["count"], "a link was followed")

	links := whole(t, all, ProbeSymlink)
	require.Equal(t, "false", links.Outcome.String())
	require.EqualValues(t, map[string]any{"count": 5, "outside": 3}, links.Values)
	outcomes := map[string]string{}
	for _, e := range parts(all, ProbeSymlink) {
		outcomes[e.Location.Path] = e.Outcome.String() + " " + e.Snippet
	}
	require.Equal(t, map[string]string{
		"in": "true dir/file", "dir/up": "true ../dir/file", "out": "false /etc/passwd", "dir/out": "false ../../secret", "git": "false .git/config",
	}, outcomes)
	sub := whole(t, all, ProbeSubmodule)
	require.Equal(t, "not_available", sub.Outcome.String())
	require.Equal(t, "sub", parts(all, ProbeSubmodule)[0].Location.Path)
	require.Empty(t, sub.Criteria)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write("large.txt", strings.Repeat("needle\n", 100))
	o.write("small.txt", "needle\n")
	o.write("c", "c")
	o.commit("first commit of the files")
	o.write("small.txt", "needle\nmore\n")
	o.commit("second commit of the files")

	why, text := reason(t, o.dir, CloneOptions{MaxFiles: 2})
	require.Equal(t, ReasonSize, why)
	require.Contains(t, text, "more than 2 files")
	why, _ = reason(t, o.dir, CloneOptions{MaxBytes: 1})
	require.Equal(t, ReasonSize, why)
	why, _ = reason(t, o.dir, CloneOptions{Timeout: time.Nanosecond})
	require.Equal(t, ReasonTimeout, why)

	// A file that is too large is not fetched, and does not become a fact.
	r := o.clone(&CloneOptions{MaxBlob: 100})
	_, err := r.Read(t.Context(), "large.txt")
	require.ErrorIs(t, err, ErrNotAvailable)
	i, ok := r.find("large.txt")
	require.True(t, ok)
	require.Equal(t, int64(-1), r.Files()[i].Size)
	all := Investigate(t.Context(), r, parse(t, `
  - {id: none, type: text, files: {include: ["*.txt"]}, regex: absent, expect: {count: {max: 0}}}
  - {id: few, type: text, files: {include: ["*.txt"]}, regex: needle, expect: {count: {max: 0}}}
  - {id: some, type: text, files: {include: ["*.txt"]}, regex: needle, expect: {count: {min: 1}}}
  - {id: many, type: text, files: {include: ["*.txt"]}, regex: needle, expect: {count: {min: 5}}}
  - {id: only, type: text, file: large.txt, regex: needle}
  - {id: g, type: git}
`), nil)
	outcomes := map[string]string{}
	for _, id := range []string{"none", "few", "some", "many", "only"} {
		outcomes[id] = whole(t, all, id).Outcome.String()
	}
	require.Equal(t, map[string]string{"none": "not_available", "few": "false", "some": "true", "many": "not_available", "only": "not_available"}, outcomes)
	require.Contains(t, whole(t, all, "none").Summary, "not examined: large.txt (too large to be examined)")
	// The large file is in the history too, where git would give up.
	require.Equal(t, 0.667, whole(t, all, "g").Values["largest_add_share"], "2 lines in the first commit, 1 in the second")
}

// Of a history that is too large the latest commits are taken, and its figures are
// not known.
func TestShallow(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	noise := make([]byte, 300<<10)
	state := uint32(1)
	for i := range noise {
		state = state*1664525 + 1013904223
		noise[i] = byte(state >> 24)
	}
	o.write("noise.bin", string(noise))
	o.commit("something large")
	o.write("noise.bin", "")
	for range 3 {
		o.commit("something small")
	}
	r := o.clone(&CloneOptions{MaxBytes: 200 << 10, depth: 2})
	require.True(t, r.shallow)
	all := Investigate(t.Context(), r, parse(t, `
  - {id: g, type: git, metrics: [commit_count], expect: {commit_count: {min: 4}}}
  - {id: h, type: git, metrics: [commit_count], expect: {commit_count: {min: 2}}}
`), nil)
	require.Equal(t, "not_available", whole(t, all, "g").Outcome.String())
	require.Contains(t, whole(t, all, "g").Summary, "only the latest of them are there")
	require.Equal(t, "true", whole(t, all, "h").Outcome.String())
}

// A folder that is a shallow clone itself, as on build machines, does not say how
// long its history is.
func TestShallowFolder(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	for range 3 {
		o.commit("one of three that are there")
	}
	o.git("clone", "--quiet", "--depth=1", "--template=", "file://"+o.dir, "shallow")
	all := Investigate(t.Context(), clone(t, filepath.Join(o.dir, "shallow"), nil), parse(t, "  - {id: g, type: git, expect: {commit_count: {min: 3}}}"), nil)
	require.Equal(t, "not_available", whole(t, all, "g").Outcome.String())
	require.Contains(t, whole(t, all, "g").Summary, "only the latest of them are there")
}

func TestWatchSize(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pack"), make([]byte, 100), 0o600))
	watched, stop := watchSize(t.Context(), dir, 50)
	defer stop()
	<-watched.Done()
	require.ErrorIs(t, context.Cause(watched), errSize)
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.commit("first")
	ctx, cancel := context.WithCancel(t.Context())
	temp := t.TempDir()
	_, err := Clone(ctx, o.dir, &CloneOptions{TempDir: temp, Progress: func(string) { cancel() }})
	var failed *CloneError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, ReasonCancelled, failed.Reason)
	require.ErrorIs(t, err, context.Canceled)
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}

// The observer of the progress may panic: still no folder is left.
func TestProgressPanics(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.commit("first")
	for _, step := range []string{"cloning", "reading the tree"} {
		temp := t.TempDir()
		require.PanicsWithValue(t, step, func() {
			_, _ = Clone(t.Context(), o.dir, &CloneOptions{TempDir: temp, Progress: func(at string) {
				if at == step {
					panic(step)
				}
			}})
		})
		left, err := os.ReadDir(temp)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// server serves the folder of repositories as code hosts do.
type server struct {
	*httptest.Server
	options CloneOptions
}

func newServer(t *testing.T, root string, wrap func(http.Handler) http.Handler) *server {
	t.Helper()
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	var handler http.Handler = &cgi.Handler{
		Path: git, Args: []string{"http-backend"}, Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME=" + root},
	}
	if wrap != nil {
		handler = wrap(handler)
	}
	s := &server{Server: httptest.NewTLSServer(handler)}
	t.Cleanup(s.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	require.NoError(t, os.WriteFile(ca, text, 0o600))
	s.options = CloneOptions{
		CAFile: ca, AllowPrivate: true,
		// The certificate is for example.com. No name server is asked: git is held to
		// the address that was looked at.
		resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	}
	return s
}

func (s *server) url(path string) string {
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return "https://example.com:" + port + path
}

func TestCloneHTTPS(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write("a", "over https")
	o.write("large", strings.Repeat("x", 300))
	hash := o.commit("first")
	o.git("config", "uploadpack.allowFilter", "true")
	root := t.TempDir()
	o.git("clone", "--quiet", "--bare", o.dir, filepath.Join(root, "r.git"))
	o.git("--git-dir="+filepath.Join(root, "r.git"), "config", "uploadpack.allowFilter", "true")
	o.git("init", "--quiet", "--bare", filepath.Join(root, "empty.git"))
	redirect := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			switch {
			case strings.HasPrefix(req.URL.Path, "/moved.git/"):
				http.Redirect(w, req, strings.Replace(req.URL.String(), "/moved.git/", "/r.git/", 1), http.StatusMovedPermanently)
			case strings.HasPrefix(req.URL.Path, "/r/"):
				http.Redirect(w, req, strings.Replace(req.URL.String(), "/r/", "/r.git/", 1), http.StatusMovedPermanently)
			case strings.HasPrefix(req.URL.Path, "/closed/"):
				w.Header().Set("WWW-Authenticate", "Basic")
				w.WriteHeader(http.StatusUnauthorized)
			case strings.HasPrefix(req.URL.Path, "/page/"):
				w.Write([]byte("a page"))
			case strings.HasPrefix(req.URL.Path, "/nonsense/"):
				w.WriteHeader(http.StatusNotFound)
				w.Write([]byte("\x1b[31mnonsense"))
			default:
				next.ServeHTTP(w, req)
			}
		})
	}
	s := newServer(t, root, redirect)
	for _, path := range []string{"/r.git", "/r.git/", "/r", "/r/"} {
		options := s.options
		options.MaxBlob = 100
		r := clone(t, s.url(path), &options)
		require.Equal(t, hash, r.Subject().Commit)
		require.Equal(t, "r", r.Subject().Name)
		require.Equal(t, s.url("/r.git"), r.Subject().URL, path)
		content, err := r.Read(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, "over https", string(content))
		_, err = r.Read(t.Context(), "large")
		require.ErrorIs(t, err, ErrNotAvailable, "it is not fetched later either")
	}
	for path, want := range map[string]Reason{"/moved.git": ReasonRedirect, "/none.git": ReasonNotFound, "/closed/x": ReasonNotFound, "/nonsense/x": ReasonNotFound, "/page/x": ReasonNotFound} {
		why, text := reason(t, s.url(path), s.options)
		require.Equal(t, want, why, text)
		require.NotContains(t, text, "\x1b")
	}
	empty := clone(t, s.url("/empty.git"), &s.options)
	require.Empty(t, empty.Subject().Commit)
	private := s.options
	private.AllowPrivate = false
	why, text := reason(t, s.url("/r.git"), private)
	require.Equal(t, ReasonHost, why)
	require.Contains(t, text, "private network")
	unknown := s.options
	unknown.CAFile = ""
	why, _ = reason(t, s.url("/r.git"), unknown)
	require.Equal(t, ReasonFailed, why, "a certificate of nobody's is taken")
	lost := s.options
	lost.resolve = func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }
	why, _ = reason(t, s.url("/r.git"), lost)
	require.Equal(t, ReasonHost, why)
}

// A server that takes the question and never answers.
func TestServerNeverAnswers(t *testing.T) {
	t.Parallel()
	needGit(t)
	asked, over := make(chan struct{}, 10), make(chan struct{})
	s := newServer(t, t.TempDir(), func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- struct{}{}; <-over })
	})
	defer close(over)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	options := s.options
	options.TempDir = t.TempDir()
	_, err := Clone(ctx, s.url("/r.git"), &options)
	var failed *CloneError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, ReasonCancelled, failed.Reason)

	options.Timeout = time.Millisecond
	_, err = Clone(t.Context(), s.url("/r.git"), &options)
	require.ErrorAs(t, err, &failed)
	require.Equal(t, ReasonTimeout, failed.Reason)
	left, err := os.ReadDir(options.TempDir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for stderr, want := range map[string]Reason{
		"error: object 12: zeroPaddedFilemode: contains zero-padded file modes\nfatal: fsck error in packed object": ReasonMalformed,
		"fatal: unable to access 'https://h/': The requested URL returned error: 301":                               ReasonRedirect,
		"fatal: detected dubious ownership in repository at '/x'":                                                   ReasonOwner,
		"fatal: repository 'https://h/x/' not found":                                                                ReasonNotFound,
		"fatal: could not read Username for 'https://h': terminal prompts disabled":                                 ReasonNotFound,
		"fatal: the remote end hung up unexpectedly":                                                                ReasonFailed,
		"": ReasonFailed,
	} {
		err := &gitError{command: "clone", exit: 128, stderr: []byte(stderr)}
		require.Equal(t, want, err.classify().Reason, stderr)
	}
	err := &gitError{command: "clone", exit: 128, stderr: []byte("warning: w\nremote: \x1b[31mred\none\ntwo\x00\nthree\n")}
	require.Equal(t, "git clone: one; two; three", err.Error())
	err.stderr = nil
	require.Equal(t, "git clone failed with exit status 128", err.Error())
}

// An object that git's fsck refuses is not taken, unless that is wanted.
func TestMalformedObjects(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	blob := o.gitIn([]byte("x"), "hash-object", "-w", "--stdin")
	raw, err := exec.Command("git", "-C", o.dir, "rev-parse", blob).Output()
	require.NoError(t, err)
	var entry strings.Builder
	entry.WriteString("0100644 a\x00") // a mode with a zero before it
	hexed := strings.TrimSpace(string(raw))
	for i := 0; i < len(hexed); i += 2 {
		var b byte
		for _, c := range []byte(hexed[i : i+2]) {
			b = b<<4 | (c&0xf + c>>6*9)
		}
		entry.WriteByte(b)
	}
	tree := o.gitIn([]byte(entry.String()), "hash-object", "-w", "--literally", "-t", "tree", "--stdin")
	o.git("update-ref", "refs/heads/main", o.git("commit-tree", "-m", "odd", tree))
	why, text := reason(t, o.dir, CloneOptions{})
	require.Equal(t, ReasonMalformed, why, text)
	require.Contains(t, text, "--no-fsck")
	r := o.clone(&CloneOptions{NoFsck: true})
	require.Equal(t, []string{"a"}, r.Paths())
}
