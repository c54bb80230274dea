package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

// trap is a program that leaves a mark when it runs.
type trap struct {
	t          *testing.T
	file, mark string
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the trap is a shell script")
	}
	dir := t.TempDir()
	p := &trap{t: t, file: filepath.Join(dir, "trap"), mark: filepath.Join(dir, "mark")}
	programtest.Write(t, p.file, "#!/bin/sh\necho \"$0 $*\" >>"+p.mark+"\n")
	return p
}

func (p *trap) requireSilent(what string) {
	p.t.Helper()
	text, err := os.ReadFile(p.mark)
	require.ErrorIs(p.t, err, os.ErrNotExist, "%s ran: %s", what, text)
}

func (p *trap) requireSprung(what string) {
	p.t.Helper()
	require.FileExists(p.t, p.mark, "the trap of %s is none: the test shows nothing", what)
	require.NoError(p.t, os.Remove(p.mark))
}

// A folder whose configuration, hooks and attributes name programs for everything
// that git could run while it is cloned, read, and asked for its changes.
func TestHostileFolder(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	o := newOrigin(t)
	o.write("a.txt", "one")
	o.write(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n")
	o.write(".gitmodules", "[submodule \"s\"]\n\tpath = s\n\turl = ext::"+trap.file+"\n\tupdate = !"+trap.file+"\n")
	o.write(".lfsconfig", "[lfs]\n\turl = https://127.0.0.1:1/\n")
	o.commit("first")
	for _, hook := range []string{"post-checkout", "pre-commit", "post-merge", "reference-transaction", "post-index-change", "pre-auto-gc", "post-rewrite", "fsmonitor-watchman", "update", "pre-receive"} {
		file := filepath.Join(o.dir, ".git", "hooks", hook)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.Symlink(trap.file, file))
	}
	config := "[core]\n\tfsmonitor = " + trap.file + "\n\thooksPath = " + filepath.Join(o.dir, ".git", "hooks") + "\n\tsshCommand = " + trap.file +
		"\n\tpager = " + trap.file + "\n\teditor = " + trap.file + "\n\taskPass = " + trap.file + "\n\talternateRefsCommand = " + trap.file +
		"\n[uploadpack]\n\tpackObjectsHook = " + trap.file + "\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = " + trap.file +
		"\n[diff]\n\texternal = " + trap.file + "\n[diff \"evil\"]\n\ttextconv = " + trap.file + "\n\tcommand = " + trap.file +
		"\n[filter \"evil\"]\n\tclean = " + trap.file + "\n\tsmudge = " + trap.file + "\n\tprocess = " + trap.file + "\n\trequired = true" +
		"\n[credential]\n\thelper = " + trap.file + "\n[alias]\n\tlog = !" + trap.file + "\n\tls-tree = !" + trap.file +
		"\n[protocol \"ext\"]\n\tallow = always\n[url \"ext::" + trap.file + " \"]\n\tinsteadOf = " + o.dir + "\n"
	file := filepath.Join(o.dir, ".git", "config")
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(before, config...), 0o644))
	o.write("a.txt", "two")

	why, text := reason(t, o.dir, CloneOptions{})
	require.Equal(t, ReasonMalformed, why, "git's fsck knows the .gitmodules: %s", text)
	trap.requireSilent("something of the folder")
	r := o.clone(&CloneOptions{NoFsck: true})
	require.Equal(t, 1, r.Subject().Dirty)
	Investigate(t.Context(), r, parse(t, `
  - {id: g, type: git}
  - {id: t, type: text, files: {include: ["**"]}, regex: o}
  - {id: s, type: secret}
`), nil)
	require.NoError(t, r.Close())
	trap.requireSilent("something of the folder")

	cmd := exec.Command("git", "status")
	cmd.Dir = o.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	_ = cmd.Run()
	trap.requireSprung("git status")
}

// The user's own environment and configuration do not reach git.
func TestHostileEnvironment(t *testing.T) {
	trap := newTrap(t)
	o := newOrigin(t)
	o.write("a.txt", "one")
	o.write(".gitattributes", "* filter=lfs\n")
	o.commit("first")
	home := t.TempDir()
	hooks := filepath.Join(home, "hooks")
	require.NoError(t, os.MkdirAll(hooks, 0o755))
	for _, hook := range []string{"post-checkout", "reference-transaction"} {
		require.NoError(t, os.Symlink(trap.file, filepath.Join(hooks, hook)))
	}
	global := filepath.Join(home, ".gitconfig")
	require.NoError(t, os.WriteFile(global, []byte("[core]\n\thooksPath = "+hooks+"\n[init]\n\ttemplateDir = "+home+
		"\n[filter \"lfs\"]\n\tsmudge = "+trap.file+"\n\tprocess = "+trap.file+"\n[protocol \"ext\"]\n\tallow = always\n[uploadpack]\n\tpackObjectsHook = "+trap.file+"\n"), 0o644))
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_GLOBAL": global, "GIT_CONFIG_SYSTEM": global, "GIT_TEMPLATE_DIR": home,
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": hooks,
		"GIT_SSH_COMMAND": trap.file, "GIT_EXTERNAL_DIFF": trap.file, "GIT_PAGER": trap.file, "GIT_ASKPASS": trap.file, "GIT_PROXY_COMMAND": trap.file,
		"GIT_TRACE": filepath.Join(home, "trace"), "GIT_ALLOW_PROTOCOL": "ext:file:https",
	} {
		t.Setenv(name, value)
	}
	r := o.clone(nil)
	Investigate(t.Context(), r, parse(t, `  - {id: g, type: git}`), nil)
	trap.requireSilent("something of the environment")
	require.NoFileExists(t, filepath.Join(home, "trace"))

	cmd := exec.Command("git", "clone", "--quiet", o.dir, filepath.Join(home, "plain"))
	_ = cmd.Run()
	trap.requireSprung("git clone")
}

// The transport that runs programs is refused by us, and by git as we run it.
func TestTransports(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	target := "ext::" + trap.file + " %S x"
	why, _ := reason(t, target, CloneOptions{})
	require.Equal(t, ReasonAddress, why)

	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, configFile), []byte("[protocol \"ext\"]\n\tallow = always\n"), 0o600))
	g, err := findGit(t.Context(), home)
	require.NoError(t, err)
	for _, protocol := range []string{"https", "file", "none"} {
		_, err = g.run(t.Context(), protocol, "-c", "protocol.ext.allow=always", "ls-remote", "--", target)
		require.ErrorContains(t, err, "not allowed")
	}
	_, err = g.run(t.Context(), "https", "-c", "protocol.file.allow=always", "ls-remote", "--", "file://"+home)
	require.ErrorContains(t, err, "not allowed")
	trap.requireSilent("a transport")

	cmd := exec.Command("git", "-c", "protocol.ext.allow=always", "ls-remote", target)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	_ = cmd.Run()
	trap.requireSprung("ext::")
}

// A clone that has left something out never fetches it, whatever its source says.
func TestNothingIsFetchedLater(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	o := newOrigin(t)
	o.write("large", strings.Repeat("x", 300))
	o.write("small", "small")
	o.commit("first")
	partial := filepath.Join(t.TempDir(), "partial")
	o.git("-c", "uploadpack.allowFilter=true", "clone", "--quiet", "--bare", "--no-local", "--filter=blob:limit=100", "--config", "remote.origin.promisor=true", "file://"+o.dir, partial)
	o.git("--git-dir="+partial, "config", "remote.origin.url", "ext::"+trap.file)
	o.git("--git-dir="+partial, "config", "remote.origin.uploadpack", trap.file)
	o.git("--git-dir="+partial, "config", "protocol.ext.allow", "always")
	// Its own side lacks the object: that it cannot be given is an error, or it is left out.
	if r, err := Clone(t.Context(), partial, &CloneOptions{TempDir: t.TempDir(), MaxBlob: 100}); err == nil {
		_, err = r.Read(t.Context(), "large")
		require.ErrorIs(t, err, ErrNotAvailable)
		require.NoError(t, r.Close())
	}
	trap.requireSilent("a lazy fetch")
}

func TestDirty(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	for _, name := range []string{"changed", "removed", "same", "crlf.txt", "linked"} {
		o.write(name, "text\n")
	}
	o.write("pointer.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
	o.write(".gitignore", "ignored\n")
	o.commit("first")
	o.write("changed", "other")
	require.NoError(t, os.Remove(filepath.Join(o.dir, "removed")))
	o.write("crlf.txt", "text\r\n")
	o.write("pointer.bin", "the file itself")
	o.write("ignored", "x")
	o.write("excluded", "x")
	o.write("new/one", "x")
	o.write("new/two", "x")
	require.NoError(t, os.MkdirAll(filepath.Join(o.dir, ".git", "info"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(o.dir, ".git", "info", "exclude"), []byte("excluded\n"), 0o644))
	index, err := os.ReadFile(filepath.Join(o.dir, ".git", "index"))
	require.NoError(t, err)

	r := o.clone(nil)
	require.Equal(t, 4, r.Subject().Dirty, "changed, removed, new/one, new/two")
	e := whole(t, Investigate(t.Context(), r, parse(t, `  - {id: g, type: git}`), nil), ProbeUncommitted)
	require.Equal(t, "not_available", e.Outcome.String())
	require.Contains(t, e.Summary, "4 files")
	after, err := os.ReadFile(filepath.Join(o.dir, ".git", "index"))
	require.NoError(t, err)
	require.Equal(t, index, after, "the folder was worked on")

	tree := filepath.Join(t.TempDir(), "linked")
	o.git("worktree", "add", "--quiet", "-b", "side", tree)
	require.NoError(t, os.WriteFile(filepath.Join(tree, "same"), []byte("changed"), 0o644))
	s := clone(t, tree, nil).Subject()
	require.Equal(t, 1, s.Dirty)
	require.Equal(t, "side", s.Branch)

	unborn := newOrigin(t)
	unborn.write("all", "text\n")
	require.Equal(t, 1, unborn.clone(nil).Subject().Dirty, "there is no commit yet")
}
