// Package plugintest compares the plugins with what `sentinel init` registers, and runs
// those that are programs. It is not in the folder of the plugins, which would then be a
// public package.
package plugintest

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

var update = flag.Bool("update", false, "write the hook files and the plugins in JavaScript anew")

// TestMain runs the tests in the folder of the plugins.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..", "plugin")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return text
}

// registered is what `sentinel init` writes for an agent into an empty repository.
func registered(t *testing.T, name string, h install.Hook) []byte {
	t.Helper()
	root := t.TempDir()
	a, err := agent.Registry{}.Named(name)
	require.NoError(t, err)
	targets, err := a.Targets(install.Place{Root: root, Home: root}, install.Repository)
	require.NoError(t, err)
	c, err := install.Plan(targets[0], h)
	require.NoError(t, err)
	return c.After
}

func golden(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, want, 0o644))
	}
	require.Equal(t, string(want), string(read(t, path)), "run go test ./internal/plugintest -update")
}

// TestHookFiles: a plugin registers the same events, matchers and timeouts as
// init does. Only the command differs, which finds the program first. Gemini CLI and Qwen
// Code install the repository as a whole, and Gemini CLI wants its file in a folder of
// this name there.
func TestHookFiles(t *testing.T) {
	t.Parallel()
	for agent, folders := range map[string]struct{ file, script string }{
		"claude":  {"claude/hooks", `${CLAUDE_PLUGIN_ROOT}/hooks/`},
		"codex":   {"codex/hooks", `${CLAUDE_PLUGIN_ROOT}/hooks/`},
		"copilot": {"copilot/hooks", `${COPILOT_PLUGIN_ROOT}/hooks/`},
		"cursor":  {"cursor/hooks", `${CURSOR_PLUGIN_ROOT}/hooks/`},
		"gemini":  {"../hooks", `${extensionPath}${/}plugin${/}gemini${/}hooks${/}`},
		"qwen":    {"qwen/hooks", `${CLAUDE_PLUGIN_ROOT}/plugin/qwen/hooks/`},
	} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			text := string(registered(t, agent, install.Hook{GOOS: "linux"}))
			launcher := strings.ReplaceAll(`sh \"`+folders.script+`sentinel-hook\" `+agent, "$", "$$")
			text = regexp.MustCompile(`("(?:command|bash)": ")sentinel hook`).ReplaceAllString(text, "${1}"+launcher)
			if agent == "claude" {
				text = strings.Replace(text, "{\n", "{\n  \"description\": \"Sentinel checks what a tool would do before it runs\",\n", 1)
			}
			text = strings.Replace(text, "  \"$version\": 4,\n", "", 1) // of Qwen Code's settings
			golden(t, filepath.Join(folders.file, "hooks.json"), []byte(text))
			require.True(t, json.Valid(read(t, folders.file, "hooks.json")))
			require.FileExists(t, filepath.Join(agent, "hooks", "sentinel-hook"))
		})
	}
}

func TestPluginsAreWhatInitWrites(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"opencode", "pi"} {
		golden(t, filepath.Join(agent, "sentinel.ts"), registered(t, agent, install.Hook{}))
	}
}

// TestManifests: valid JSON, one name everywhere, a version, and sources that exist.
func TestManifests(t *testing.T) {
	t.Parallel()
	type manifest struct{ Name, Version, Description, Hooks string }
	for _, path := range []string{"claude/.claude-plugin/plugin.json", "copilot/plugin.json", "cursor/.cursor-plugin/plugin.json", "../gemini-extension.json", "../qwen-extension.json", "codex/.codex-plugin/plugin.json"} {
		var m manifest
		require.NoError(t, json.Unmarshal(read(t, path), &m), path)
		require.Equal(t, "sentinel", m.Name, path)
		require.NotEmpty(t, m.Version, path)
		require.NotEmpty(t, m.Description, path)
		if m.Hooks != "" {
			folder, _, _ := strings.Cut(path, "/")
			require.FileExists(t, filepath.Join(folder, m.Hooks), path)
		}
	}
	var npm struct {
		Name, Version, Main string
		Files               []string
	}
	require.NoError(t, json.Unmarshal(read(t, "opencode/package.json"), &npm))
	require.Equal(t, "@agentsentinel/opencode", npm.Name)
	require.NotEmpty(t, npm.Version)
	require.Equal(t, []string{npm.Main}, npm.Files)
	require.FileExists(t, filepath.Join("opencode", npm.Main))
	for path, manifest := range map[string]string{
		"../.claude-plugin": ".claude-plugin/plugin.json", "../.plugin": "plugin.json", "../.cursor-plugin": ".cursor-plugin/plugin.json",
	} {
		var m struct {
			Name    string
			Owner   struct{ Name string }
			Plugins []struct{ Name, Source, Version string }
		}
		require.NoError(t, json.Unmarshal(read(t, path, "marketplace.json"), &m), path)
		require.Regexp(t, `^[a-z][a-z0-9-]*$`, m.Name)
		require.NotEmpty(t, m.Owner.Name)
		require.Len(t, m.Plugins, 1)
		require.Equal(t, "sentinel", m.Plugins[0].Name)
		require.NotEmpty(t, m.Plugins[0].Version)
		require.True(t, strings.HasPrefix(m.Plugins[0].Source, "./plugin/"))
		require.FileExists(t, filepath.Join("..", m.Plugins[0].Source, manifest))
	}
}

// TestVersions: all manifests of plugins, wherever the agents look for them, have one version.
func TestVersions(t *testing.T) {
	t.Parallel()
	found := map[string][]string{} // files by version
	var collect func(path string, v any)
	collect = func(path string, v any) {
		switch v := v.(type) {
		case []any:
			for _, each := range v {
				collect(path, each)
			}
		case map[string]any:
			if version, ok := v["version"].(string); ok {
				found[version] = append(found[version], filepath.ToSlash(path))
			}
			for _, each := range v {
				collect(path, each)
			}
		}
	}
	paths, err := filepath.Glob("../*.json")
	require.NoError(t, err)
	for _, dir := range []string{".", "../.agents", "../.claude-plugin", "../.cursor-plugin", "../.plugin"} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".json" && path != "." {
				paths = append(paths, path)
			}
			return err
		}))
	}
	for _, path := range paths {
		var v any
		require.NoError(t, json.Unmarshal(read(t, path), &v), path)
		collect(path, v)
	}
	require.Len(t, found, 1, "raise the version in all manifests at once")
	for _, files := range found {
		require.Len(t, files, 10, "a manifest is new or has no version any more: %q", files)
	}
}

// commands are Sentinel's, with the words that may follow; nil means that any may.
func commands() map[string][]string {
	return map[string][]string{
		"hook": nil, "check": nil, "init": nil, "uninstall": nil, "doctor": nil,
		"rules": {"list", "lint", "new", "schema", "explain", "severity", "promote"},
		"test":  nil, "replay": nil, "learn": nil, "drafts": nil, "promote": nil, "dismiss": nil,
		"stats": nil, "watch": nil, "allow": nil, "pause": nil,
		"config": {"get", "set", "schema"},
		"trust":  nil, "untrust": nil, "audit": nil, "version": nil,
	}
}

// TestSkills: each of the eight has a frontmatter that Claude Code takes, runs
// commands that exist and is allowed to, and says what comes next.
func TestSkills(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("claude/skills/*/SKILL.md")
	require.NoError(t, err)
	var names []string
	for _, path := range found {
		text := string(read(t, path))
		dir := filepath.Base(filepath.Dir(path))
		names = append(names, dir)
		parts := strings.SplitN(text, "---\n", 3)
		require.Len(t, parts, 3, path)
		require.Empty(t, parts[0], path)
		var front map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(parts[1]), &front), path)
		for key := range front {
			require.Contains(t, []string{"name", "description", "argument-hint", "disable-model-invocation", "allowed-tools"}, key, path)
		}
		require.Equal(t, dir, front["name"], path)
		description, _ := front["description"].(string)
		require.NotEmpty(t, description, path)
		require.LessOrEqual(t, len(description), 1024, path)
		require.Contains(t, parts[2], "\n## What comes next\n", path)

		called := regexp.MustCompile("(?m)(?:`|^ *)sentinel ([a-z]+)(?: ([a-z]+))?").FindAllStringSubmatch(parts[2], -1)
		require.NotEmpty(t, called, path)
		allowed := regexp.MustCompile(`Bash\(sentinel ([a-z]+)(?: ([a-z]+))?:\*\)`).FindAllStringSubmatch(front["allowed-tools"].(string), -1)
		require.NotEmpty(t, allowed, path)
		for _, c := range append(called, allowed...) {
			words, ok := commands()[c[1]]
			require.True(t, ok, "%s: there is no command sentinel %s", path, c[1])
			if words != nil && c[2] != "" {
				require.Contains(t, words, c[2], "%s: sentinel %s", path, c[1])
			}
		}
		for _, other := range regexp.MustCompile("`/(sentinel-[a-z]+)").FindAllStringSubmatch(parts[2], -1) {
			require.FileExists(t, filepath.Join("claude/skills", other[1], "SKILL.md"), path)
		}
	}
	require.Equal(t, []string{
		"sentinel-config", "sentinel-dismiss", "sentinel-drafts", "sentinel-init",
		"sentinel-learn", "sentinel-promote", "sentinel-rule", "sentinel-stats",
	}, names)
	for _, decides := range []string{"promote", "dismiss"} {
		require.Contains(t, string(read(t, "claude/skills/sentinel-"+decides+"/SKILL.md")), "disable-model-invocation: true", "only a person decides on a draft")
	}
}

// launched is what sentinel-hook says and how it ends.
func launched(t *testing.T, home, path string, args ...string) (string, int) {
	t.Helper()
	return launchedOn(t, `{"hook_event_name":"sessionStart"}`, "", home, path, args...)
}

// launchedOn is the same for an event in a folder; what is on standard error comes last.
func launchedOn(t *testing.T, event, dir, home, path string, args ...string) (string, int) {
	t.Helper()
	script, err := filepath.Abs("claude/hooks/sentinel-hook")
	require.NoError(t, err)
	cmd := exec.Command("/bin/sh", append([]string{script}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + home, "PATH=" + path}
	cmd.Stdin = strings.NewReader(event)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	out = append(out, stderr.String()...)
	if err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func TestLauncher(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the launcher is a POSIX shell script")
	}
	for _, agent := range []string{"codex", "copilot", "cursor", "gemini", "qwen"} {
		require.True(t, bytes.Equal(read(t, "claude/hooks/sentinel-hook"), read(t, agent, "hooks/sentinel-hook")), "one script for all: %s", agent)
	}
	const system = "/usr/bin:/bin"
	missingHere(t)
	fake := "#!/bin/sh\necho \"$@\"; cat\nexit 2\n"
	for _, where := range []string{"elsewhere", "go/bin", ".local/bin"} {
		home := filepath.Join(t.TempDir(), "a home")
		dir := filepath.Join(home, where)
		require.NoError(t, os.MkdirAll(dir, 0o755))
		programtest.Write(t, filepath.Join(dir, "sentinel"), fake)
		path := system
		if where == "elsewhere" {
			path += ":" + dir
		}
		out, exit := launched(t, home, path, "cursor", "--agent", "cursor")
		require.Equal(t, "hook --agent cursor\n"+`{"hook_event_name":"sessionStart"}`, out, where)
		require.Equal(t, 2, exit, "the answer is handed on")
	}

	for agent, first := range map[string]string{
		"claude":  `{"systemMessage":"Sentinel's plugin is here`,
		"codex":   `{"systemMessage":"Sentinel's plugin is here`,
		"gemini":  `{"systemMessage":"Sentinel's plugin is here`,
		"copilot": `{"additionalContext":"Tell the user: Sentinel's plugin is here`,
		"cursor":  `{"additional_context":"Tell the user: Sentinel's plugin is here`,
	} {
		home := t.TempDir()
		args := []string{agent, "--agent", agent, "--phase", "start"}
		out, exit := launched(t, home, system, args...)
		require.Zero(t, exit, agent)
		require.True(t, strings.HasPrefix(out, first), "%s: %s", agent, out)
		require.True(t, json.Valid([]byte(out)), out)
		require.Contains(t, out, "go install ")
		out, exit = launched(t, home, system, args...)
		require.Zero(t, exit, agent)
		require.Equal(t, map[string]string{"cursor": "{}"}[agent], strings.TrimSpace(out), "%s is told once", agent)
	}
	out, exit := launched(t, t.TempDir(), system, "copilot", "--agent", "copilot", "--phase", "pre")
	require.Zero(t, exit)
	require.Empty(t, out, "nobody would read it there")
}
