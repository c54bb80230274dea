package doctor_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/sentinelcmd"
)

// The tests run the real command: it is on the PATH as sentinel.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sentinel": func() { os.Exit(sentinelcmd.Main(nil)) }})
}

// A world is a repository, a person's home folder, and what a test does to them.
type world struct {
	*testing.T
	root, home string
	env        map[string]string // besides that of the tests
	patience   time.Duration
}

const (
	soundConfig = "backend: builtin\nlog_file: .claude/sentinel/sentinel.log\n"
	soundRule   = "trigger: bash\nscope: [\"git push*\"]\nbackend: builtin\nwhen: \"true\"\nmessage: no\n"
)

// newWorld is a repository with a rule and without an agent. Nothing but sentinel
// is on the PATH.
func newWorld(t *testing.T) *world {
	t.Helper()
	program, err := exec.LookPath("sentinel")
	require.NoError(t, err)
	w := &world{T: t, root: resolved(t, t.TempDir()), home: resolved(t, t.TempDir()), patience: 3 * time.Minute}
	w.env = map[string]string{"PATH": filepath.Dir(program)}
	if runtime.GOOS == "windows" { // where cmd.exe is
		w.env["PATH"] += string(os.PathListSeparator) + filepath.Join(os.Getenv("SystemRoot"), "System32")
	}
	require.NoError(t, os.Mkdir(filepath.Join(w.root, ".git"), 0o755))
	w.write(".claude/sentinel/config.yaml", soundConfig)
	w.write(".claude/sentinel/rules/push.yaml", soundRule)
	return w
}

func resolved(t *testing.T, dir string) string {
	dir, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	return dir
}

// at is a path in the repository, or after ~/ in the home folder.
func (w *world) at(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(w.home, filepath.FromSlash(rest))
	}
	return filepath.Join(w.root, filepath.FromSlash(name))
}

func (w *world) write(name, text string) string {
	return w.put(name, text, 0o644)
}

func (w *world) put(name, text string, mode fs.FileMode) string {
	path := w.at(name)
	require.NoError(w, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w, os.WriteFile(path, []byte(text), mode))
	require.NoError(w, os.Chmod(path, mode))
	return path
}

// onPath puts a folder in front of the PATH.
func (w *world) onPath(name string) {
	w.env["PATH"] = w.at(name) + string(os.PathListSeparator) + w.env["PATH"]
}

// script puts a program of the test's own into the world.
func (w *world) script(name, text string) string {
	if runtime.GOOS == "windows" {
		w.Skip("no sh")
	}
	path := w.at(name)
	require.NoError(w, os.MkdirAll(filepath.Dir(path), 0o755))
	programtest.Write(w, path, "#!/bin/sh\n"+text+"\n")
	return path
}

// link makes a symbolic link, where people may.
func (w *world) link(to, name string) {
	if err := os.Symlink(to, w.at(name)); err != nil {
		if runtime.GOOS == "windows" {
			w.Skip(err)
		}
		require.NoError(w, err)
	}
}

// init registers the hook of agents, as `sentinel init` does.
func (w *world) init(h install.Hook, agents ...string) {
	for _, agent := range agents {
		targets, err := targets(w, agent, install.Repository)
		require.NoError(w, err)
		for _, t := range targets {
			if h.Strict || t.Settings.Script != nil || t.Settings.Windows == install.PowerShell {
				programtest.SkipOnWine(w, "PowerShell does nothing, and in a file cmd.exe runs what is behind || whatever was before it")
			}
			c, err := install.Plan(t, h)
			require.NoError(w, err)
			require.NoError(w, c.Apply())
		}
	}
}

// replace edits a file.
func (w *world) replace(name, old, with string) {
	text, err := os.ReadFile(w.at(name))
	require.NoError(w, err)
	require.Contains(w, string(text), old)
	w.write(name, strings.ReplaceAll(string(text), old, with))
}

// environ is the environment of programs, with the world's home folder.
func (w *world) environ() []string {
	var env []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if _, own := w.env[name]; !own && name != "HOME" && name != "USERPROFILE" && !strings.HasPrefix(name, "XDG_") {
			env = append(env, variable)
		}
	}
	for name, value := range w.env {
		env = append(env, name+"="+value)
	}
	return append(env, "HOME="+w.home)
}

func (w *world) getenv(name string) string {
	for _, variable := range w.environ() {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

func (w *world) options() doctor.Options {
	self, err := os.Executable()
	require.NoError(w, err)
	return doctor.Options{
		Dir: w.root, Root: w.root, Home: w.home, Self: self, Version: w.version(),
		Project: project.Environment(w.getenv), Environ: w.environ(), Patience: w.patience,
	}
}

// version is what the command says of itself.
func (w *world) version() doctor.Version {
	v, err := ownVersion()
	require.NoError(w, err)
	return v
}

var ownVersion = sync.OnceValues(func() (v doctor.Version, err error) {
	out, err := exec.Command("sentinel", "version", "--json").Output()
	return v, errors.Join(err, json.Unmarshal(out, &v))
})

// examine examines the world. Whatever its files contain, the report is
// safe to print.
func (w *world) examine() []doctor.Finding {
	w.Helper()
	found := doctor.Examine(w.Context(), w.options())
	for _, f := range found {
		for _, text := range []string{f.Area, f.Name, f.What, f.Do} {
			require.NotContains(w, text, "\x1b")
			require.NotContains(w, text, "\n")
		}
		require.Contains(w, doctor.Areas(), f.Area)
		require.NotEmpty(w, f.Name)
		require.NotEmpty(w, f.What)
		require.NotContains(w, f.What, "internal error")
	}
	return found
}

// trust does what `sentinel trust` does.
func (w *world) trust() {
	w.Helper()
	o := w.options().Project
	for _, f := range project.Open([]string{w.root}, o).Folders {
		require.NoError(w, f.Trust(o.StateDir))
	}
}

// failures are the findings that are wrong, as lines.
func failures(found []doctor.Finding) string {
	var lines []string
	for _, f := range found {
		if f.Status == doctor.StatusFail {
			lines = append(lines, f.Area+" "+f.Name+": "+f.What)
		}
	}
	return strings.Join(lines, "\n")
}

// requireFinding wants a finding with these words.
func requireFinding(t *testing.T, found []doctor.Finding, area, name string, status doctor.Status, words ...string) {
	t.Helper()
	var near []string
	for _, f := range found {
		if f.Area != area {
			continue
		}
		near = append(near, string(f.Status)+" "+f.Name+": "+f.What+" → "+f.Do)
		if f.Name != name || f.Status != status {
			continue
		}
		all := true
		for _, word := range words {
			all = all && strings.Contains(f.What+" → "+f.Do, word)
		}
		if all {
			if status == doctor.StatusFail || status == doctor.StatusWarn || status == doctor.StatusPerson {
				require.NotEmpty(t, f.Do, "it says what to do")
			}
			return
		}
	}
	t.Errorf("no finding %s %s: %s %q; there are\n%s", area, name, status, words, strings.Join(near, "\n"))
}

// requireNone wants no finding with this word in an area.
func requireNone(t *testing.T, found []doctor.Finding, area, word string) {
	t.Helper()
	for _, f := range found {
		if f.Area == area {
			require.NotContains(t, f.What, word)
		}
	}
}

// targets are the settings files of an agent.
func targets(w *world, name string, s install.Scope) ([]install.Target, error) {
	a, err := agent.Registry{}.Named(name)
	require.NoError(w, err)
	return a.Targets(install.Place{Root: w.root, Home: w.home}, s)
}
