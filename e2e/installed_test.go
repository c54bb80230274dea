package e2e

import (
	"archive/zip"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// A container is a root of its own: the programs and libraries of this machine's system, a
// package manager that knows of no package, and an empty home folder with a blank and an
// umlaut in its name.
type container struct {
	t          *testing.T
	root, home string
	binds, env []string
}

const release = "0.0.1-snapshot" // as .ci/run makes it

func newContainer(t *testing.T, dist string) *container {
	t.Helper()
	c := &container{t: t, root: t.TempDir(), home: "/home/Jörg Ö"}
	for _, dir := range []string{c.home, c.home + "/tmp", "/usr/bin", "/var/lib/dpkg/info", "/var/lib/dpkg/updates", "/etc", "/var/log", "/var/cache"} {
		require.NoError(t, os.MkdirAll(c.root+dir, 0o755))
	}
	for _, link := range [][2]string{{"host/bin", "/bin"}, {"host/sbin", "/sbin"}, {"usr/lib", "/lib"}, {"usr/lib64", "/lib64"}, {"../../host/bin/env", "/usr/bin/env"}} {
		require.NoError(t, os.Symlink(link[0], c.root+link[1]))
	}
	require.NoError(t, os.WriteFile(c.root+"/var/lib/dpkg/status", nil, 0o644))
	require.NoError(t, os.WriteFile(c.root+"/etc/passwd", []byte("root:x:0:0::/root:/bin/sh\nu:x:1000:1000::"+c.home+":/bin/sh\n"), 0o644))
	c.bind("/usr/bin", "/host/bin")
	c.bind("/usr/sbin", "/host/sbin")
	c.bind("/usr/lib", "/host/lib") // of npm, which is a link to ../lib
	for _, dir := range []string{"/usr/lib", "/usr/lib64", "/usr/share/nodejs", "/usr/share/dpkg", "/etc/ld.so.cache"} {
		c.bind(dir, dir)
	}
	c.bind(dist, "/release")
	c.setenv("HOME="+c.home, "TMPDIR="+c.home+"/tmp", "PATH=/usr/bin:/host/bin:/host/sbin", "LANG=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost", "NPM_CONFIG_OFFLINE=true", "NPM_CONFIG_UPDATE_NOTIFIER=false")
	return c
}

// bind shows a path of this machine, where there is one, and makes it read-only.
func (c *container) bind(from, to string) {
	c.binds = append(c.binds, "--ro-bind-try", from, to)
}

func (c *container) setenv(more ...string) { c.env = append(c.env, more...) }

// run runs a command in a folder of the container.
func (c *container) run(uid, dir string, argv ...string) (output string, ok bool) {
	c.t.Helper()
	args := slices.Concat([]string{"--bind", c.root, "/"}, c.binds, []string{
		"--proc", "/proc", "--dev", "/dev", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--uid", uid, "--gid", uid,
		"--die-with-parent", "--new-session", "--clearenv", "--chdir", dir,
	})
	for _, e := range c.env {
		name, value, _ := strings.Cut(e, "=")
		args = append(args, "--setenv", name, value)
	}
	out, err := exec.CommandContext(c.t.Context(), "bwrap", slices.Concat(args, []string{"--"}, argv)...).CombinedOutput()
	return string(out), err == nil
}

func (c *container) must(argv ...string) string {
	c.t.Helper()
	out, ok := c.run("1000", c.home, argv...)
	require.True(c.t, ok, "%v: %s", argv, out)
	return out
}

// sh runs lines of a shell, as a person enters them.
func (c *container) sh(lines ...string) string {
	c.t.Helper()
	return c.must("sh", "-euc", strings.Join(lines, "\n"))
}

// stopsForcedPush: `sentinel init`, and a forced push by Claude Code is stopped.
func (c *container) stopsForcedPush(sentinel string) {
	c.t.Helper()
	c.sh("git config --global user.name n; git config --global user.email e@example.invalid",
		"git init -q --bare remote", "git init -q -b main 'my repo'", "cd 'my repo'", "echo x >a; git add a; git commit -qm one",
		"git remote add origin ../remote; git push -q origin main; git commit -q --amend -m other",
		sentinel+" init --agent claude --user=false --backend builtin")
	before := c.must("git", "-C", "remote", "rev-parse", "main")

	server := fakeserver.NewAnthropicServer(c.t, bash("git push --force origin main"), fakeserver.Text("It was refused."))
	program := claudeCode.installed(c.t)
	c.bind(program[0], "/opt/claude")
	args, env := claudeCode.start(nil, server.URL)
	c.setenv(env...)
	out, ok := c.run("1000", c.home+"/my repo", append([]string{"/opt/claude"}, args...)...)
	require.True(c.t, ok, out)
	results := server.ToolResults()
	require.Len(c.t, results, 1, out)
	require.True(c.t, results[0].IsError, results[0].Text)
	require.Contains(c.t, results[0].Text, "force-with-lease")
	require.Equal(c.t, before, c.must("git", "-C", "remote", "rev-parse", "main"), "the push went through")
}

// hook is the command that is registered.
func (c *container) hook() string {
	return c.sh("grep -o 'command\": .*' 'my repo/.claude/settings.json'")
}

// TestInstalled: each way to install, in an empty root, ends with a forced push that is
// stopped in a real agent. SENTINEL_RELEASE is a checkout in which goreleaser has worked.
func TestInstalled(t *testing.T) {
	made := os.Getenv("SENTINEL_RELEASE")
	if made == "" {
		t.Skip("SENTINEL_RELEASE is not set: .ci/run installs makes a release and runs this")
	}
	dist := filepath.Join(made, "dist")
	began := func(t *testing.T) {
		start := time.Now()
		t.Cleanup(func() { t.Logf("from an empty root to the first block: %s", time.Since(start).Round(time.Second)) })
	}

	t.Run("archive", func(t *testing.T) {
		site := t.TempDir()
		require.NoError(t, os.CopyFS(site, os.DirFS("../packaging")))
		for _, name := range []string{"checksums.txt", "sentinel_" + release + "_linux_amd64.tar.gz"} {
			require.NoError(t, os.Link(filepath.Join(dist, name), filepath.Join(site, name)))
		}
		server := httptest.NewServer(http.FileServer(http.Dir(site)))
		t.Cleanup(server.Close)
		began(t)
		c := newContainer(t, dist)
		c.sh("curl -fsSL " + server.URL + "/install.sh | sh -s -- --version " + release + " --from " + server.URL)
		c.stopsForcedPush(`"$HOME/.local/bin/sentinel"`)
		require.Contains(t, c.hook(), c.home+"/.local/bin/sentinel")
	})

	t.Run("npx", func(t *testing.T) {
		if _, err := exec.LookPath("npm"); err != nil {
			t.Skip("npm is not installed")
		}
		packed := t.TempDir()
		script := "node packaging/npm/build.mjs " + release + " dist '" + packed + "/out' && cd '" + packed + "' && npm pack --silent ./out/agentsentinel-cli-linux-x64 ./out/sentinel-guard"
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = made
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		began(t)
		c := newContainer(t, packed)
		node, err := exec.LookPath("node")
		require.NoError(t, err)
		if dir := filepath.Dir(filepath.Dir(node)); dir != "/usr" {
			c.bind(dir, dir)
			c.setenv("PATH=" + filepath.Dir(node) + ":/usr/bin:/host/bin")
		}
		c.stopsForcedPush("npm exec --yes --package=/release/sentinel-guard-" + release + ".tgz --package=/release/agentsentinel-cli-linux-x64-" + release + ".tgz -- sentinel")
		require.Contains(t, c.hook(), "/@agentsentinel/cli-linux-x64/bin/sentinel")
	})

	t.Run("deb", func(t *testing.T) {
		if _, err := exec.LookPath("dpkg"); err != nil {
			t.Skip("dpkg is not installed")
		}
		began(t)
		c := newContainer(t, dist)
		out, ok := c.run("0", "/", "dpkg", "--install", "/release/sentinel-guard_"+release+"_linux_amd64.deb")
		require.True(t, ok, out)
		require.Contains(t, c.sh("sentinel version; sentinel-audit --version"), "0.0.1")
		c.stopsForcedPush("sentinel")
		require.Contains(t, c.hook(), `"sentinel hook"`)
	})

	t.Run("go install", func(t *testing.T) {
		proxy := t.TempDir()
		publish(t, made, filepath.Join(proxy, "github.com/agentsentinel/sentinel/@v"), "v0.0.1")
		began(t)
		c := newContainer(t, dist)
		c.bind(goEnv(t, "GOROOT"), "/opt/go")
		c.bind(filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download"), "/modules")
		c.bind(proxy, "/proxy")
		c.setenv("GOPROXY=file:///proxy,file:///modules", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOFLAGS=-modcacherw -trimpath",
			"CGO_ENABLED=0", "PATH=/opt/go/bin:/usr/bin:/host/bin")
		c.must("go", "install", "github.com/agentsentinel/sentinel/cmd/sentinel@latest")
		require.Contains(t, c.sh("go/bin/sentinel version"), "v0.0.1")
		c.stopsForcedPush(`"$HOME/go/bin/sentinel"`)
		require.Contains(t, c.hook(), c.home+"/go/bin/sentinel")
	})
}

// publish lays the module out as a proxy for modules serves it.
func publish(t *testing.T, checkout, dir, version string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	write := func(name string, data []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	mod, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	require.NoError(t, err)
	write("list", []byte(version+"\n"))
	write(version+".info", []byte(`{"Version":"`+version+`","Time":"2026-01-01T00:00:00Z"}`))
	write(version+".mod", mod)
	listed, err := exec.Command("git", "-C", checkout, "ls-files", "-z").Output()
	require.NoError(t, err)
	names := strings.Split(strings.TrimRight(string(listed), "\x00"), "\x00")
	var nested []string
	for _, name := range names {
		if dir, is := strings.CutSuffix(name, "/go.mod"); is {
			nested = append(nested, dir+"/")
		}
	}
	packed, err := os.Create(filepath.Join(dir, version+".zip"))
	require.NoError(t, err)
	defer packed.Close()
	z := zip.NewWriter(packed)
	for _, name := range names {
		if slices.ContainsFunc(nested, func(dir string) bool { return strings.HasPrefix(name, dir) }) {
			continue
		}
		if info, err := os.Lstat(filepath.Join(checkout, name)); err != nil || !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(checkout, name))
		require.NoError(t, err)
		w, err := z.Create("github.com/agentsentinel/sentinel@" + version + "/" + name)
		require.NoError(t, err)
		_, err = w.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
}
