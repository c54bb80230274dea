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

// built makes the commands, once, and returns the folder they lie in.
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "sentinel-e2e-"); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", dir, "../cmd/sentinel", "../cmd/sentinel-audit").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the commands: %w\n%s", err, out)
	}
	return dir, nil
})

// nodeProgram returns node, which some agents are written for.
func nodeProgram(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	return node
}

// repository is a fresh git repository with a fresh home folder next to it;
// only this test knows both.
type repository struct {
	t         *testing.T
	dir, home string
	bin       string      // folder of the command under test
	missing   bool        // agents do not find sentinel
	from      string      // the folder below dir that programs are started in; "" for dir
	started   []*exec.Cmd // programs that may have left processes running
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
	require.NoError(t, os.Mkdir(r.tmp(), 0o755))
	t.Cleanup(func() { // before the folders go: what runs still writes here
		if endHome(r.home) {
			return
		}
		workBehindEnds(bin)
		for _, cmd := range r.started {
			endGroup(cmd)
		}
	})
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
	path := os.Getenv("PATH")
	if !r.missing {
		path = r.bin + string(os.PathListSeparator) + path
	}
	return append([]string{
		"PATH=" + path,
		"HOME=" + r.home,
		"XDG_CACHE_HOME=" + filepath.Join(r.home, ".cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(r.home, ".config"),
		"XDG_STATE_HOME=" + filepath.Join(r.home, ".local", "state"),
		"USERPROFILE=" + r.home,
		"LOCALAPPDATA=" + filepath.Join(r.home, "AppData", "Local"),
		"APPDATA=" + filepath.Join(r.home, "AppData", "Roaming"),
		"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"TMPDIR=" + r.tmp(),
		"TEMP=" + r.tmp(),
		"GIT_CONFIG_NOSYSTEM=1",
		"HTTPS_PROXY=" + nowhere,
		"HTTP_PROXY=" + nowhere,
		"NO_PROXY=127.0.0.1,localhost",
	}, more...)
}

// tmp is the folder for temporary files, next to the repository.
func (r *repository) tmp() string { return filepath.Join(filepath.Dir(r.dir), "tmp") }

// result is the outcome of a program.
type result struct {
	stdout, stderr string
	exit           int
}

// hang is after what time a program is thought to hang. Seconds are usual, and
// the machine may be busy.
const hang = 5 * time.Minute

// run starts a program in the repository and waits for it.
func (r *repository) run(stdin string, env []string, argv ...string) result {
	r.t.Helper()
	return r.runUntil("", stdin, env, argv...)
}

// runUntil is run, but ends a program that has written text to its standard
// error. "" is never written.
func (r *repository) runUntil(text, stdin string, env []string, argv ...string) result {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), hang)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	stdout, stderr := new(strings.Builder), &watched{text: text, seen: cancel}
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.path(r.from), env, strings.NewReader(stdin), stdout, stderr
	cmd.WaitDelay = 10 * time.Second // for a process outside of our groups that holds the output open
	ownGroup(cmd)
	err := cmd.Run()
	if cmd.Process != nil {
		r.started = append(r.started, cmd)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		require.NoError(r.t, err, "running %v", argv)
	}
	require.NotErrorIs(r.t, ctx.Err(), context.DeadlineExceeded, "%v did not end:\n%s%s", argv, stdout, stderr)
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// watched is an output that says when a text has been written.
type watched struct {
	strings.Builder
	text string
	seen func()
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.Builder.Write(p)
	if w.text != "" && strings.Contains(w.String(), w.text) {
		w.seen()
	}
	return n, err
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

// initSentinel sets Sentinel up for agents, Claude Code unless others are named,
// as a person does, with no model whatever servers this machine has.
func (r *repository) initSentinel(agents ...string) {
	r.t.Helper()
	if len(agents) == 0 {
		agents = []string{"claude"}
	}
	args := []string{"init", "--backend", "builtin"}
	for _, agent := range agents {
		args = append(args, "--agent", agent)
	}
	res := r.sentinel("", args...)
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

// write writes a file of the repository. Rules and configuration count as accepted by
// the user, without whom those that init has pinned would stay in force.
func (r *repository) write(name, text string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
	require.NoError(r.t, os.WriteFile(r.path(name), []byte(text), 0o644))
	if strings.HasPrefix(name, ".claude/sentinel/") {
		require.NoError(r.t, os.RemoveAll(filepath.Join(r.home, ".local", "state", "sentinel", "pins")))
	}
}

// writeHome writes a file below the home folder.
func (r *repository) writeHome(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.home, filepath.FromSlash(name))
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r.t, os.WriteFile(path, []byte(text), 0o644))
}

// addHome adds a member to a JSON object in a file below the home folder.
func (r *repository) addHome(name, member string) {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.home, filepath.FromSlash(name)))
	require.NoError(r.t, err)
	_, rest, ok := strings.Cut(string(data), "{")
	require.True(r.t, ok)
	r.writeHome(name, "{"+member+","+rest)
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
	Mode     string
	AskedFor string `json:"asked_for"`

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
