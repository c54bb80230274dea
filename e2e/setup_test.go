package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain removes what the tests share.
func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := built(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// begin obeys SENTINEL_E2E. Every test calls it first.
func begin(t *testing.T) {
	t.Helper()
	switch os.Getenv("SENTINEL_E2E") {
	case "off":
		t.Skip("SENTINEL_E2E=off")
	case "require":
		t.Cleanup(func() {
			if t.Skipped() {
				t.Error("skipped, although SENTINEL_E2E=require")
			}
		})
	}
}

// built makes the command, once, and returns the folder it lies in.
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "sentinel-e2e-"); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", dir, "../cmd/sentinel").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building cmd/sentinel: %w\n%s", err, out)
	}
	return dir, nil
})

// claudeCode returns the binary that .ci/agents installed. Its version is the
// one that .ci/claude-code pins.
func claudeCode(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Claude Code is driven on Unix only: the scripts of these tests are for a POSIX shell")
	}
	var pinned struct{ Dependencies map[string]string }
	data, err := os.ReadFile("../.ci/claude-code/package.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &pinned))
	version := pinned.Dependencies["@anthropic-ai/claude-code"]

	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		require.NoError(t, err)
		cache = filepath.Join(home, ".cache")
	}
	// The package for this platform is the only one that is installed.
	pattern := filepath.Join(cache, "sentinel-ci", "claude-code-"+version, "node_modules", "@anthropic-ai", "claude-code-*", "claude")
	found, err := filepath.Glob(pattern)
	require.NoError(t, err)
	if len(found) == 0 {
		t.Skipf("Claude Code %s is not installed: run .ci/agents (needs npm); looked for %s", version, pattern)
	}
	return found[0]
}

// repository is a fresh git repository with a fresh home folder beside it, both
// known to nobody else.
type repository struct {
	t         *testing.T
	dir, home string
	bin       string // folder of the command under test
}

// newRepository has one commit: README.md and sub/keep.txt.
func newRepository(t *testing.T) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	bin, err := built()
	require.NoError(t, err)
	// Agents report paths with symbolic links resolved, as macOS has in its
	// temporary folder.
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &repository{t: t, dir: filepath.Join(top, "repo"), home: filepath.Join(top, "home"), bin: bin}
	require.NoError(t, os.Mkdir(r.home, 0o755))
	r.write("README.md", "# A project\n")
	r.write("sub/keep.txt", "keep\n")
	r.git("init", "--quiet", "--initial-branch=main")
	r.commit("first")
	return r
}

// env is the whole environment of whatever runs in the repository. The proxy
// that does not exist keeps everything but loopback out of reach.
func (r *repository) env(more ...string) []string {
	const nowhere = "http://127.0.0.1:9"
	return append([]string{
		"PATH=" + r.bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + r.home,
		"XDG_CACHE_HOME=" + filepath.Join(r.home, ".cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(r.home, ".config"),
		"XDG_STATE_HOME=" + filepath.Join(r.home, ".local", "state"),
		"USERPROFILE=" + r.home,
		"LOCALAPPDATA=" + filepath.Join(r.home, "AppData", "Local"),
		"APPDATA=" + filepath.Join(r.home, "AppData", "Roaming"),
		"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"TMPDIR=" + os.TempDir(),
		"TEMP=" + os.TempDir(),
		"GIT_CONFIG_NOSYSTEM=1",
		"HTTPS_PROXY=" + nowhere,
		"HTTP_PROXY=" + nowhere,
		"NO_PROXY=127.0.0.1,localhost",
	}, more...)
}

// result is what a program left behind.
type result struct {
	stdout, stderr string
	exit           int
}

// run starts a program in the repository and waits for it.
func (r *repository) run(stdin string, env []string, argv ...string) result {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.dir, env, strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		require.NoError(r.t, err, "starting %v", argv)
	}
	require.NoError(r.t, ctx.Err(), "%v did not end:\n%s%s", argv, stdout.String(), stderr.String())
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// sentinel runs the command under test.
func (r *repository) sentinel(stdin string, args ...string) result {
	r.t.Helper()
	program := filepath.Join(r.bin, "sentinel")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	return r.run(stdin, r.env(), append([]string{program}, args...)...)
}

// initSentinel sets Sentinel up as a person does, with no model whatever
// servers this machine has.
func (r *repository) initSentinel() {
	r.t.Helper()
	res := r.sentinel("", "init", "--agent", "claude", "--backend", "builtin")
	require.Zero(r.t, res.exit, "sentinel init:\n%s%s", res.stdout, res.stderr)
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	res := r.run("", r.env(), append([]string{"git"}, args...)...)
	require.Zero(r.t, res.exit, "git %v:\n%s%s", args, res.stdout, res.stderr)
	return strings.TrimSpace(res.stdout)
}

func (r *repository) commit(message string) {
	r.t.Helper()
	r.git("add", "--all")
	r.git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "-m", message)
}

// path makes an absolute path of one with slashes.
func (r *repository) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *repository) write(name, text string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
	require.NoError(r.t, os.WriteFile(r.path(name), []byte(text), 0o644))
}

// read returns a file's text; ok is false if there is no such file.
func (r *repository) read(name string) (text string, ok bool) {
	r.t.Helper()
	data, err := os.ReadFile(r.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	require.NoError(r.t, err)
	return string(data), true
}

// files returns everything in the repository but git's own.
func (r *repository) files() map[string]string {
	r.t.Helper()
	files := make(map[string]string)
	require.NoError(r.t, filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		name, err := filepath.Rel(r.dir, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], _ = r.read(filepath.ToSlash(name))
		return nil
	}))
	return files
}

// record is a line of the telemetry, as its documentation names the keys.
type record struct {
	RuleID     string `json:"rule_id"`
	Target     string
	Level      string
	Outcome    string
	Violation  bool
	Confidence float64
	Threshold  float64
	Reason     string
	Backend    string
	Model      string
	Verdict    string
	Error      string
	CallID     string `json:"call_id"`
	NearMiss   bool   `json:"near_miss"`

	OutputTokens int `json:"output_tokens"`
}

const logFile = ".claude/sentinel/sentinel.log"

// records returns the telemetry. Every line must be whole.
func (r *repository) records() []record {
	r.t.Helper()
	var all []record
	text, _ := r.read(logFile)
	for line := range strings.Lines(text) {
		var rec record
		require.NoError(r.t, json.Unmarshal([]byte(line), &rec), "torn line in the log: %q", line)
		all = append(all, rec)
	}
	return all
}
