package install_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/rule"
)

// A variant is one of the ways in which every agent's hook is written down.
type variant struct {
	name string
	hook install.Hook
}

func variants() []variant {
	const spaced = "/opt/my tools/sentinel"
	const windows = `C:\Program Files\Sentinel\sentinel.exe`
	return []variant{
		{"plain", install.Hook{GOOS: "linux"}},
		{"strict", install.Hook{GOOS: "linux", Strict: true, Reads: true, Timeout: 45 * time.Second, Program: spaced}},
		{"windows", install.Hook{GOOS: "windows", Strict: true, Program: windows, Timeout: 10 * time.Second}},
	}
}

// place is a repository and a home below one new folder.
func place(t *testing.T, goos string) install.Place {
	t.Helper()
	dir := t.TempDir()
	p := install.Place{Root: filepath.Join(dir, "repo"), Home: filepath.Join(dir, "home"), GOOS: goos}
	require.NoError(t, os.MkdirAll(p.Root, 0o755))
	return p
}

// written is what becomes of a repository without anything: every file under its
// slash-separated name.
func written(t *testing.T, agent string, p install.Place, h install.Hook) map[string]string {
	t.Helper()
	targets, err := targetsOf(p, agent, install.Repository)
	require.NoError(t, err)
	require.NotEmpty(t, targets)
	files := map[string]string{}
	for _, tg := range targets {
		c, err := install.Plan(tg, h)
		require.NoError(t, err)
		require.True(t, c.Changed())
		require.NoFileExists(t, tg.File, "a plan changes nothing")
		rel, err := filepath.Rel(p.Root, tg.File)
		require.NoError(t, err)
		files[filepath.ToSlash(rel)] = string(c.After)
	}
	return files
}

// TestAgentsGolden compares every byte that is written for every agent: on
// Unix, strict with a path that has to be quoted, and on Windows.
func TestAgentsGolden(t *testing.T) {
	t.Parallel()
	for _, agent := range agents.Installable() {
		for _, v := range variants() {
			t.Run(agent+"/"+v.name, func(t *testing.T) {
				t.Parallel()
				files := written(t, agent, place(t, v.hook.GOOS), v.hook)
				var b strings.Builder
				for _, name := range slices.Sorted(mapKeys(files)) {
					fmt.Fprintf(&b, "=== %s\n%s", name, files[name])
				}
				golden(t, filepath.Join(folderOf(t, agent), "testdata", "settings", agent+"."+v.name), []byte(b.String()))
			})
		}
	}
}

func mapKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// applyAll does for an agent what init does, and reports how many files changed.
func applyAll(t *testing.T, agent string, p install.Place, s install.Scope, plan func(install.Target) (install.Change, error)) (changed int) {
	t.Helper()
	targets, err := targetsOf(p, agent, s)
	require.NoError(t, err)
	for _, tg := range targets {
		c, err := plan(tg)
		require.NoError(t, err)
		if c.Changed() {
			changed++
		}
		require.NoError(t, c.Apply())
	}
	return changed
}

func putIn(h install.Hook) func(install.Target) (install.Change, error) {
	return func(tg install.Target) (install.Change, error) { return install.Plan(tg, h) }
}

// tree is every file below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files[path] = content(t, path)
		}
		return err
	}))
	return files
}

// TestAgentsInAndOut: putting in twice is once, whatever the hook was before, and
// taking out leaves nothing.
func TestAgentsInAndOut(t *testing.T) {
	t.Parallel()
	for _, agent := range agents.Installable() {
		for _, scope := range []install.Scope{install.Repository, install.User} {
			t.Run(fmt.Sprint(agent, scope), func(t *testing.T) {
				t.Parallel()
				p := place(t, runtime.GOOS)
				plain, strict := install.Hook{GOOS: runtime.GOOS}, variants()[1].hook
				if runtime.GOOS == "windows" {
					strict = variants()[2].hook
				}
				require.Positive(t, applyAll(t, agent, p, scope, putIn(plain)))
				once := tree(t, filepath.Dir(p.Root))
				require.Zero(t, applyAll(t, agent, p, scope, putIn(plain)), "a second time changes nothing")

				require.Positive(t, applyAll(t, agent, p, scope, putIn(strict)))
				require.NotEqual(t, once, tree(t, filepath.Dir(p.Root)))
				require.Positive(t, applyAll(t, agent, p, scope, putIn(plain)))
				require.Equal(t, once, tree(t, filepath.Dir(p.Root)), "back to the first hook, byte for byte")

				require.Positive(t, applyAll(t, agent, p, scope, install.PlanRemoval))
				require.Empty(t, tree(t, filepath.Dir(p.Root)))
				require.Zero(t, applyAll(t, agent, p, scope, install.PlanRemoval))
			})
		}
	}
}

// TestAgentsAllAtOnce: agents that share a file or a folder do not disturb each
// other.
func TestAgentsAllAtOnce(t *testing.T) {
	t.Parallel()
	p := place(t, "")
	for _, agent := range agents.Installable() {
		applyAll(t, agent, p, install.Repository, putIn(install.Hook{}))
	}
	for _, agent := range agents.Installable() {
		require.Zero(t, applyAll(t, agent, p, install.Repository, putIn(install.Hook{})), agent)
	}
	for _, agent := range agents.Installable() {
		applyAll(t, agent, p, install.Repository, install.PlanRemoval)
	}
	require.Empty(t, tree(t, p.Root))
}

// merged are settings files that are there before the hook is: in the folder of each
// agent, called like it.
const merged = "../../agent/internal/*/testdata/merge/"

// TestAgentsKeepWhatIsThere puts the hook into each of those settings files, compares every
// byte, and takes it out again.
func TestAgentsKeepWhatIsThere(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(merged + "*.before")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".before")
		agent, _, _ := strings.Cut(name, "-")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := content(t, file)
			p := place(t, "linux")
			targets, err := targetsOf(p, agent, install.Repository)
			require.NoError(t, err)
			tg := targets[0]
			require.NoError(t, os.MkdirAll(filepath.Dir(tg.File), 0o755))
			require.NoError(t, os.WriteFile(tg.File, []byte(before), 0o644))

			c, err := install.Plan(tg, install.Hook{GOOS: "linux"})
			require.NoError(t, err)
			golden(t, strings.TrimSuffix(file, ".before")+".after", c.After)
			require.NoError(t, c.Apply())
			again, err := install.Plan(tg, install.Hook{GOOS: "linux"})
			require.NoError(t, err)
			require.False(t, again.Changed(), "a second time changes nothing:\n%s", again.Diff())

			require.NoError(t, os.Remove(tg.File+".before-sentinel"), "there was something to keep")
			bare, err := install.PlanRemoval(tg)
			require.NoError(t, err)
			if !strings.Contains(name, "reshaped") {
				require.Equal(t, before, string(bare.After), "taking it out restores every byte, even without the copy")
			}
			require.NotContains(t, string(bare.After), "sentinel hook")

			require.NoError(t, os.WriteFile(tg.File+".before-sentinel", []byte(before), 0o644))
			removal, err := install.PlanRemoval(tg)
			require.NoError(t, err)
			require.NoError(t, removal.Apply())
			require.Equal(t, before, content(t, tg.File))
			require.NoFileExists(t, tg.File+".before-sentinel")
		})
	}
}

// TestCommentsInOurEntries: a comment in an entry of ours makes it no other.
func TestCommentsInOurEntries(t *testing.T) {
	t.Parallel()
	targets, err := targetsOf(place(t, "linux"), "gemini", install.Repository)
	require.NoError(t, err)
	tg := targets[0]
	c, err := install.Plan(tg, install.Hook{GOOS: "linux"})
	require.NoError(t, err)
	require.NoError(t, c.Apply())
	noted := strings.ReplaceAll(content(t, tg.File), `"type": "command",`, `"type": "command", // Sentinel's`)
	require.NoError(t, os.WriteFile(tg.File, []byte(noted), 0o644))
	c, err = install.Plan(tg, install.Hook{GOOS: "linux"})
	require.NoError(t, err)
	require.False(t, c.Changed(), c.Diff())
}

func TestAgentsRefuseBrokenFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ agent, text, want string }{
		{"cursor", "{\n  \"version\": 1,\n  // mine\n}", ":3:3: comments are not allowed in this file; take it out"},
		{"cursor", `{"version": 1, "hooks": []}`, `:1:25: "hooks" must be an object of events`},
		{"cursor", `{"hooks": {}, "hooks": {}}`, `:1:15: the key "hooks" stands twice`},
		{"gemini", "{\n  \"a\": 1,\n}", ":3:1: broken JSON: invalid character '}' looking for beginning of object key string; is there a comma too many before it?"},
		{"gemini", "{\n  /* mine\n}", ":2:3: this comment does not end"},
		{"gemini", "{\n  \"a\": # 1\n}", ":2:8: comments are not allowed in this file; take it out"},
		{"codex", `{"hooks": {"Stop": 1}}`, `:1:20: the hooks of "Stop" must be a list`},
		{"kiro", `{"hooks": {}}`, `:1:11: "hooks" must be a list`},
		{"windsurf", `[]`, ":1:1: the file must hold one JSON object"},
		{"copilot", "\xff", ":1:1: broken JSON"},
		{"qwen", `{"hooks": "none"}`, `:1:11: "hooks" must be an object of events`},
	} {
		t.Run(tt.agent+tt.want, func(t *testing.T) {
			t.Parallel()
			p := place(t, "linux")
			targets, err := targetsOf(p, tt.agent, install.Repository)
			require.NoError(t, err)
			file := targets[0].File
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o644))
			for _, plan := range []func(install.Target) (install.Change, error){putIn(install.Hook{}), install.PlanRemoval} {
				_, err := plan(targets[0])
				require.ErrorAs(t, err, new(rule.Problem))
				require.ErrorContains(t, err, file+tt.want)
			}
			require.Equal(t, tt.text, content(t, file))
		})
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	env := map[string]string{"CODEX_HOME": abs("/c"), "COPILOT_HOME": "relative", "XDG_CONFIG_HOME": abs("/x"), "CLAUDE_CONFIG_DIR": abs("/cl")}
	for _, tt := range []struct {
		agent string
		place install.Place
		scope install.Scope
		want  string // the first file
	}{
		{"claude", install.Place{}, install.Repository, "/repo/.claude/settings.json"},
		{"claude", install.Place{}, install.User, "/home/.claude/settings.json"},
		{"claude", install.Place{Getenv: func(k string) string { return env[k] }}, install.User, "/cl/settings.json"},
		{"copilot", install.Place{}, install.User, "/home/.copilot/hooks/sentinel.json"},
		{"copilot", install.Place{Getenv: func(k string) string { return env[k] }}, install.User, "/home/.copilot/hooks/sentinel.json"},
		{"vscode", install.Place{}, install.Repository, "/repo/.github/hooks/sentinel.json"},
		{"cursor", install.Place{}, install.User, "/home/.cursor/hooks.json"},
		{"windsurf", install.Place{}, install.User, "/home/.codeium/windsurf/hooks.json"},
		{"cline", install.Place{}, install.Repository, "/repo/.clinerules/hooks/PreToolUse"},
		{"cline", install.Place{GOOS: "windows"}, install.User, "/home/Documents/Cline/Hooks/PreToolUse.ps1"},
		{"amazonq", install.Place{}, install.Repository, "/repo/.amazonq/cli-agents/sentinel.json"},
		{"q", install.Place{}, install.User, "/home/.aws/amazonq/cli-agents/sentinel.json"},
		{"kiro", install.Place{}, install.Repository, "/repo/.kiro/hooks/sentinel.json"},
		{"codex", install.Place{}, install.User, "/home/.codex/hooks.json"},
		{"codex", install.Place{Getenv: func(k string) string { return env[k] }}, install.User, "/c/hooks.json"},
		{"codex", install.Place{Getenv: func(k string) string { return env[k] }}, install.Repository, "/repo/.codex/hooks.json"},
		{"gemini", install.Place{}, install.User, "/home/.gemini/settings.json"},
		{"qwen", install.Place{}, install.Repository, "/repo/.qwen/settings.json"},
		{"opencode", install.Place{}, install.User, "/home/.config/opencode/plugins/sentinel.ts"},
		{"opencode", install.Place{Getenv: func(k string) string { return env[k] }}, install.User, "/x/opencode/plugins/sentinel.ts"},
	} {
		tt.place.Root, tt.place.Home = abs("/repo"), abs("/home")
		tt.place.GOOS = cmp.Or(tt.place.GOOS, "linux")
		targets, err := targetsOf(tt.place, tt.agent, tt.scope)
		require.NoError(t, err)
		require.Equal(t, filepath.FromSlash(abs(tt.want)), targets[0].File, "%s %v", tt.agent, tt.scope)
		for _, tg := range targets {
			require.Equal(t, tt.agent, tg.Agent)
			require.Equal(t, tt.scope == install.Repository, tg.Root != "")
		}
	}
	_, err := targetsOf(install.Place{Root: abs("/r"), Home: abs("/h")}, "nobody", install.Repository)
	require.ErrorContains(t, err, `agent "nobody"`)
	_, err = agents.Named("nobody")
	require.ErrorContains(t, err, `agent "nobody"`)
	require.ErrorContains(t, err, "opencode")
	_, err = targetsOf(install.Place{Root: abs("/r"), Home: ""}, "cursor", install.User)
	require.ErrorContains(t, err, "is not an absolute path")
}

// abs makes an absolute path of one that begins with a slash, on Windows too.
func abs(path string) string {
	if runtime.GOOS == "windows" {
		return `C:` + filepath.FromSlash(path)
	}
	return path
}

// TestTargetsOfAgentFiles: Amazon Q and Kiro keep hooks in the files of agents,
// and each file gets them.
func TestTargetsOfAgentFiles(t *testing.T) {
	t.Parallel()
	for agent, dir := range map[string]string{"amazonq": ".amazonq/cli-agents", "kiro": ".kiro/agents"} {
		p := place(t, "linux")
		folder := filepath.Join(p.Root, filepath.FromSlash(dir))
		require.NoError(t, os.MkdirAll(folder, 0o755))
		dev := filepath.Join(folder, "dev [x].json")
		require.NoError(t, os.WriteFile(dev, []byte(`{"name": "dev", "tools": ["fs_read"]}`+"\n"), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "notes.md"), nil, 0o644))
		require.Equal(t, 2, applyAll(t, agent, p, install.Repository, putIn(install.Hook{})))
		require.Contains(t, content(t, dev), `"preToolUse"`)
		require.Equal(t, 2, applyAll(t, agent, p, install.Repository, install.PlanRemoval))
		require.Len(t, tree(t, p.Root), 2)
		require.Equal(t, `{"name": "dev", "tools": ["fs_read"]}`+"\n", content(t, dev))
	}
}

// TestTargetsStayInTheRepository: a repository cannot have us write elsewhere.
func TestTargetsStayInTheRepository(t *testing.T) {
	t.Parallel()
	p := place(t, "")
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(p.Root, ".cursor")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.Root, ".clinerules"), []byte("be kind"), 0o644))
	for agent, want := range map[string]string{"cursor": ".cursor is a symbolic link", "cline": ".clinerules is a file, and "} {
		targets, err := targetsOf(p, agent, install.Repository)
		require.NoError(t, err)
		_, err = install.Plan(targets[0], install.Hook{})
		require.ErrorContains(t, err, want)
		c, err := install.PlanRemoval(targets[0])
		require.NoError(t, err)
		require.False(t, c.Changed(), "there is nothing to take out")
		r, err := install.Look(targets[0], install.Hook{})
		require.NoError(t, err)
		require.False(t, r.Found)
	}
	require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "hooks.json"), []byte("{}"), 0o644))
	targets, err := targetsOf(p, "cursor", install.Repository)
	require.NoError(t, err)
	_, err = install.PlanRemoval(targets[0])
	require.ErrorContains(t, err, ".cursor is a symbolic link")
	require.NoError(t, os.Remove(filepath.Join(elsewhere, "hooks.json")))
	_, err = install.Plan(install.Target{Agent: "cursor", Settings: settingsOf("cursor"), Root: p.Root, File: filepath.Join(elsewhere, "hooks.json")}, install.Hook{})
	require.ErrorContains(t, err, "does not lie in")
	require.Empty(t, tree(t, elsewhere))
}

func TestTimeoutUnits(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"claude": `"timeout": 90`, "copilot": `"timeoutSec": 90`, "cursor": `"timeout": 90`, "amazonq": `"timeout_ms": 90000`,
		"kiro": `"timeout": 90`, "codex": `"timeout": 90`, "gemini": `"timeout": 90000`, "qwen": `"timeout": 90000`,
		"opencode": "const timeoutMs = 90000",
	} {
		for name, text := range written(t, agent, place(t, "linux"), install.Hook{Timeout: 90 * time.Second, GOOS: "linux"}) {
			require.Regexp(t, want+`\b`, text, name)
			if agent != "opencode" {
				require.Contains(t, text, "--deadline 1m29s", name)
			}
		}
	}
	// Those whose timeout cannot be set are not told to take longer than they have.
	for agent, want := range map[string]string{"cline": "--deadline 29s", "windsurf": ""} {
		for name, text := range written(t, agent, place(t, "linux"), install.Hook{Timeout: 90 * time.Second, GOOS: "linux"}) {
			require.Equal(t, want != "", strings.Contains(text, "--deadline"), name)
			require.Contains(t, text, want, name)
		}
	}
	for timeout, want := range map[time.Duration]string{time.Second: "500ms", 2500 * time.Millisecond: "1.5s", 10 * time.Second: "9s"} {
		for _, text := range written(t, "codex", place(t, "linux"), install.Hook{Timeout: timeout, GOOS: "linux"}) {
			require.Contains(t, text, "--deadline "+want+`"`)
		}
	}
}

// TestMatchers holds for which tools an agent starts the hook.
func TestMatchers(t *testing.T) {
	t.Parallel()
	matcher := regexp.MustCompile(`"matcher": "(.*)"`)
	for _, tt := range []struct {
		agent           string
		yes, reads, not []string
	}{
		{"claude", []string{"Write", "mcp__a__b"}, []string{"Read", "Grep"}, []string{"Glob", "xWrite"}},
		{"copilot", []string{"create", "bash", "apply_patch", "github-mcp-server-push"}, []string{"view", "grep", "rg", "Grep"}, []string{"glob", "report_intent", "recreate"}},
		{"codex", []string{"Bash", "apply_patch", "mcp__a__b"}, nil, []string{"update_plan", "spawn_agent"}},
		{"gemini", []string{"write_file", "replace", "run_shell_command", "mcp_a_b"}, []string{"read_file", "grep_search"}, []string{"glob", "overwrite_file", "google_web_search"}},
		{"qwen", []string{"write_file", "edit", "run_shell_command", "monitor", "notebook_edit", "mcp__a__b"}, []string{"read_file", "grep_search"}, []string{"glob", "todo_write"}},
		{"cursor", []string{"Write", "Delete", "StrReplace"}, []string{"Read", "Grep"}, []string{"List", "Shell", "MCP:query", "TodoWrite"}},
		{"kiro", []string{"fs_write", "execute_bash", "@postgres/query"}, []string{"fs_read", "grepSearch"}, []string{"fileSearch", "introspect"}},
	} {
		for _, reads := range []bool{false, true} {
			for _, text := range written(t, tt.agent, place(t, "linux"), install.Hook{GOOS: "linux", Reads: reads}) {
				found := matcher.FindStringSubmatch(text) // of the event before a tool, which comes first
				require.NotNil(t, found)
				pattern := found[1]
				if tt.agent == "copilot" {
					pattern = "^(?:" + pattern + ")$"
				}
				re := regexp.MustCompile(pattern)
				for _, tool := range tt.yes {
					require.True(t, re.MatchString(tool), "%s: %s", tt.agent, tool)
				}
				for _, tool := range tt.reads {
					require.Equal(t, reads, re.MatchString(tool), "%s: %s", tt.agent, tool)
				}
				for _, tool := range tt.not {
					require.False(t, re.MatchString(tool), "%s: %s", tt.agent, tool)
				}
			}
		}
	}
}

// TestSearchesAreShown: a hook that is called for tools that read files is called for those
// that search them, and another is not.
func TestSearchesAreShown(t *testing.T) {
	t.Parallel()
	matcher := regexp.MustCompile(`"matcher": "(.*)"`)
	readers := regexp.MustCompile(`const readers = new Set\((.*)\)`)
	for _, a := range agents.All() {
		if a.Name == "vscode" {
			continue // it ignores the matcher
		}
		for _, reads := range []bool{false, true} {
			for _, text := range written(t, a.Name, place(t, "linux"), install.Hook{GOOS: "linux", Reads: reads}) {
				for _, tool := range a.Tools.Search {
					if found := matcher.FindStringSubmatch(text); found != nil {
						pattern := "^(?:" + strings.TrimSuffix(strings.TrimPrefix(found[1], "^"), "$") + ")$"
						require.Equal(t, reads, regexp.MustCompile(pattern).MatchString(tool), "%s: %s", a.Name, tool)
					} else if found := readers.FindStringSubmatch(text); found != nil {
						require.Contains(t, found[1], strconv.Quote(tool), a.Name)
					}
				}
			}
		}
	}
}

func TestPlanRefusesProgram(t *testing.T) {
	t.Parallel()
	for _, h := range []install.Hook{
		{Program: "/usr/bin/guard"}, {Program: "/a\n/sentinel"}, {Program: `C:\100%\sentinel.exe`, GOOS: "windows"}, {Timeout: 2 * time.Hour},
	} {
		for _, agent := range []string{"claude", "cursor", "opencode", "cline"} {
			targets, err := targetsOf(place(t, "linux"), agent, install.Repository)
			require.NoError(t, err)
			_, err = install.Plan(targets[0], h)
			require.Error(t, err, "%s %+v", agent, h)
		}
	}
}

// FuzzAgents holds for every form of file and any text: what is not ours keeps
// its meaning and its comments, twice is as once, and taking out leaves none.
func FuzzAgents(f *testing.F) {
	files, err := filepath.Glob(merged + "*")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		for i := range len(forms()) {
			f.Add(i, text)
		}
	}
	f.Add(1, []byte("{ /* a */ \"hooks\": { // b\n } }"))
	f.Add(1, []byte("{\"hooks\": {\"BeforeTool\": [ /* x */ ]}} // end"))
	f.Fuzz(func(t *testing.T, n int, text []byte) {
		form := formOf(n)
		after, err := form.merge(t, text)
		if err != nil {
			return
		}
		again, err := form.merge(t, after)
		require.NoError(t, err, "%q", after)
		require.Equal(t, string(after), string(again))
		removed, err := form.RemoveOurs(after)
		require.NoError(t, err)
		require.Equal(t, form.Others(text), form.Others(removed), "%q\n%q", after, removed)
		if !bytes.Contains(bytes.ToLower(text), []byte("sentinel")) && !bytes.ContainsRune(text, '\\') && form.Same(text, text) {
			require.True(t, form.Same(text, removed), "%q\n%q", text, removed)
		}
		once, err := form.RemoveOurs(removed)
		require.NoError(t, err)
		require.True(t, bytes.Equal(removed, once))
	})
}
