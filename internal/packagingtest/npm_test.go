package packagingtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

// A machine is an empty home folder with npm.
type machine struct {
	t    *testing.T
	home string
	env  []string
}

func fresh(t *testing.T, path string) machine {
	home := t.TempDir()
	return machine{t, home, []string{
		"HOME=" + home, "PATH=" + path, "TMPDIR=" + t.TempDir(),
		"NPM_CONFIG_OFFLINE=true", "NPM_CONFIG_AUDIT=false", "NPM_CONFIG_FUND=false", "NPM_CONFIG_UPDATE_NOTIFIER=false",
	}}
}

// run runs a command with standard input and returns its standard output, its standard
// error and its exit status.
func (m machine) run(dir, stdin string, argv ...string) (stdout, stderr string, status int) {
	m.t.Helper()
	cmd := exec.Command("env", argv...) // which looks for the program on the machine's PATH
	var out, errs strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, m.env, strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		m.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func (m machine) must(dir string, argv ...string) string {
	m.t.Helper()
	out, errs, status := m.run(dir, "", argv...)
	require.Zero(m.t, status, "%v: %s%s", argv, out, errs)
	return out
}

// tools are the paths of programs, and a PATH of their folders.
func tools(t *testing.T, names ...string) (path string) {
	t.Helper()
	var dirs []string
	for _, name := range names {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Skip(name + " is not installed")
		}
		dirs = append(dirs, filepath.Dir(program))
	}
	return strings.Join(append(dirs, "/usr/bin", "/bin"), string(os.PathListSeparator))
}

// dist is a folder as goreleaser leaves it, with the programs of this platform alone.
func dist(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir, "../../cmd/sentinel")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	artifacts := []map[string]string{{"type": "Archive", "path": "x.tar.gz", "goos": runtime.GOOS, "goarch": runtime.GOARCH}}
	for _, name := range programs {
		path := filepath.Join(dir, name)
		if name != "sentinel" {
			programtest.Write(t, path, "#!/bin/sh\nexit 0\n")
		}
		artifacts = append(artifacts, map[string]string{"type": "Binary", "path": path, "goos": runtime.GOOS, "goarch": runtime.GOARCH})
	}
	text, err := json.Marshal(artifacts)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "artifacts.json"), text, 0o644))
	return dir
}

// TestNPM installs the packages as npm does from the registry, and runs a hook.
func TestNPM(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths here are those of POSIX systems")
	}
	m := fresh(t, tools(t, "node", "npm", "git"))
	work := t.TempDir()
	script, err := filepath.Abs(filepath.Join("..", "..", "packaging", "npm", "build.mjs"))
	require.NoError(t, err)
	names := strings.Fields(m.must(work, "node", script, "1.2.3", dist(t), work))
	require.Len(t, names, 3)

	install := []string{"npm", "install", "--global", "--ignore-scripts", "--prefix", m.home}
	for _, name := range names {
		dir := filepath.Join(work, strings.NewReplacer("@", "", "/", "-").Replace(name))
		var manifest struct {
			Version, Main         string
			Scripts, Dependencies map[string]string
		}
		text, err := os.ReadFile(filepath.Join(dir, "package.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &manifest))
		require.Equal(t, "1.2.3", manifest.Version, name)
		if manifest.Main != "" {
			require.FileExists(t, filepath.Join(dir, manifest.Main), name)
		}
		require.Empty(t, manifest.Scripts, "no package runs a script when it is installed")
		require.Empty(t, manifest.Dependencies)
		packed := strings.Fields(m.must(work, "npm", "pack", "--silent", dir))
		install = append(install, filepath.Join(work, packed[len(packed)-1]))
	}
	m.must(work, install...)
	require.FileExists(t, filepath.Join(m.home, "lib", "node_modules", "@agentsentinel", "opencode", "sentinel.ts"))
	m.env[1] = "PATH=" + filepath.Join(m.home, "bin") + string(os.PathListSeparator) + strings.TrimPrefix(m.env[1], "PATH=")
	require.Contains(t, m.must(work, "sentinel", "version"), runtime.GOOS+"/"+runtime.GOARCH)
	guards(t, m)

	require.NoError(t, os.RemoveAll(filepath.Join(m.home, "lib", "node_modules", "@agentsentinel")))
	_, errs, status := m.run(work, "", "sentinel", "version")
	require.Equal(t, 1, status)
	require.Contains(t, errs, "is not installed. Install without --omit=optional")
}

// guards: `sentinel init` registers the program itself, not npm's command, and the hook
// that it registers stops a forced push.
func guards(t *testing.T, m machine) {
	t.Helper()
	repo := filepath.Join(m.home, "a repository")
	m.must(m.home, "git", "init", "-q", repo)
	m.must(repo, "sentinel", "init", "--agent", "claude", "--user=false")
	text, err := os.ReadFile(filepath.Join(repo, ".claude", "settings.json"))
	require.NoError(t, err)
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	require.NoError(t, json.Unmarshal(text, &settings))
	require.NotEmpty(t, settings.Hooks["PreToolUse"])
	command := settings.Hooks["PreToolUse"][0].Hooks[0].Command
	require.Contains(t, command, "cli-"+runtime.GOOS)
	require.NotContains(t, command, "sentinel.cjs")
	require.NotContains(t, command, "npx")
	event := `{"session_id":"s","cwd":` + string(must(json.Marshal(repo))) + `,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force origin main"}}`
	out, errs, _ := m.run(repo, event, "sh", "-c", command)
	require.Contains(t, out+errs, "overwrite")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
