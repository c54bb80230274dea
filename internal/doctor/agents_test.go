package doctor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

// Every agent's hook, as it is registered, is silent and blocks in that agent's
// own way, strict or not, and leaves no trace.
func TestEveryAgentIsTried(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		for _, agent := range (agent.Registry{}).Installable() {
			t.Run(fmt.Sprintf("%s/strict=%v", agent, strict), func(t *testing.T) {
				t.Parallel()
				if agent == "vscode" {
					programtest.SkipOnWine(t, "Copilot CLI reads the same file by PowerShell, which does nothing")
				}
				w := newWorld(t)
				w.write(".claude/sentinel/config.yaml", soundConfig+fmt.Sprintf("fail_open: %v\n", !strict))
				w.init(install.Hook{Strict: strict}, agent)
				found := w.examine()
				require.True(t, doctor.Sound(found), failures(found))
				requireFinding(t, found, "agents", agent, doctor.StatusOK, "hook in ")
				requireFinding(t, found, "agents", agent, doctor.StatusOK, "tried: silent when all is well, blocks in the agent's own way")
				require.NoFileExists(t, w.at(".claude/sentinel/sentinel.log"))
				kept, err := filepath.Glob(w.at("~/.local/state/sentinel/*"))
				require.NoError(t, err)
				require.Equal(t, []string{w.at("~/.local/state/sentinel/key")}, kept, "compiled rules are sealed with it")
			})
		}
	}
}

// The report says what a person must do, and does not count it as a failure.
func TestStepsForAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.init(install.Hook{}, "cursor", "codex", "gemini", "copilot", "vscode")
	found := w.examine()
	require.True(t, doctor.Sound(found), failures(found))
	requireFinding(t, found, "agents", "codex", doctor.StatusInfo, "was not found on this machine")
	requireFinding(t, found, "agents", "codex", doctor.StatusPerson, "trusts")
	requireFinding(t, found, "agents", "codex", doctor.StatusPerson, "/hooks")
	requireFinding(t, found, "agents", "gemini", doctor.StatusPerson, "trusts")
	requireFinding(t, found, "agents", "copilot", doctor.StatusPerson, "trusts")
	for _, f := range found {
		require.False(t, f.Status == doctor.StatusPerson && (f.Name == "cursor" || f.Name == "vscode"), "%v", f)
	}
}

func TestBrokenHooks(t *testing.T) {
	t.Parallel()
	const codex = ".codex/hooks.json"
	for _, c := range []struct {
		name   string
		agent  string
		break_ func(*world)
		status doctor.Status
		words  []string
	}{
		{"not JSON", "codex", func(w *world) { w.write(codex, "{\n  \"hooks\": {,}\n}") }, doctor.StatusFail, []string{"hooks.json:2:13", "sentinel init --agent codex"}},
		{"a folder in its place", "codex", func(w *world) { require.NoError(w, os.MkdirAll(w.at(codex+"/x"), 0o755)) }, doctor.StatusFail, []string{"is a directory"}},
		{"a link out of the repository", "codex", func(w *world) {
			require.NoError(w, os.Mkdir(w.at(".codex"), 0o755))
			w.link(w.write("~/elsewhere.json", "{}"), codex)
		}, doctor.StatusFail, []string{"leads out of the repository"}},
		{"no such program", "codex", func(w *world) {
			w.init(install.Hook{Program: filepath.VolumeName(w.root) + "/nowhere/sentinel"}, "codex")
		}, doctor.StatusFail, []string{"/nowhere/sentinel", "no such program", "nothing is checked"}},
		{"not on the PATH", "codex", func(w *world) { w.env["PATH"] = w.home; w.init(install.Hook{}, "codex") }, doctor.StatusFail, []string{"no such program is on the PATH"}},
		{"relative", "codex", func(w *world) {
			w.init(install.Hook{}, "codex")
			w.replace(codex, "sentinel hook", "./sentinel hook")
		}, doctor.StatusFail, []string{"relative to the folder"}},
		{"not before tools", "codex", func(w *world) {
			w.init(install.Hook{}, "codex")
			w.replace(codex, "PreToolUse", "PreCompact")
		}, doctor.StatusFail, []string{"no hook for PreToolUse", "is not checked"}},
		{"only before tools", "codex", func(w *world) {
			w.init(install.Hook{}, "codex")
			w.replace(codex, `"Stop"`, `"Stopp"`)
		}, doctor.StatusWarn, []string{"no hook for Stop"}},
		{"milliseconds for seconds", "codex", func(w *world) {
			w.init(install.Hook{}, "codex")
			w.replace(codex, `"timeout": 20`, `"timeout": 20000`)
		}, doctor.StatusWarn, []string{"5h33m20s", "seconds"}},
		{"seconds for milliseconds", "gemini", func(w *world) {
			w.init(install.Hook{}, "gemini")
			w.replace(".gemini/settings.json", `"timeout": 20000`, `"timeout": 20`)
		}, doctor.StatusFail, []string{"20ms", "goes on unchecked"}},
		{"less time than the hook takes", "codex", func(w *world) {
			w.init(install.Hook{}, "codex")
			w.replace(codex, `sentinel hook --agent codex`, `sentinel hook --agent codex --deadline 20s`)
		}, doctor.StatusFail, []string{"wait 20s", "up to 20s"}},
		{"a deadline that is none", "codex", func(w *world) {
			w.init(install.Hook{}, "codex")
			w.replace(codex, `sentinel hook --agent codex`, `sentinel hook --agent codex --deadline soon`)
		}, doctor.StatusFail, []string{"no time"}},
		{"less strict than the configuration", "codex", func(w *world) {
			w.init(install.Hook{}, "codex")
			w.write(".claude/sentinel/config.yaml", soundConfig+"fail_open: false\n")
		}, doctor.StatusWarn, []string{"out of date", "sentinel init --agent codex --dry-run"}},
		{"all hooks are off", "claude", func(w *world) {
			w.init(install.Hook{}, "claude")
			w.write(".claude/settings.local.json", `{"disableAllHooks": true}`)
		}, doctor.StatusFail, []string{"settings.local.json", "disableAllHooks"}},
		{"another agent's flag", "codex", func(w *world) {
			w.init(install.Hook{}, "codex")
			w.replace(codex, "--agent codex", "--agent windsurf")
		}, doctor.StatusFail, []string{"tried `sentinel hook --agent windsurf`"}},
		{"a flag that there is not", "codex", func(w *world) {
			w.init(install.Hook{}, "codex")
			w.replace(codex, "--agent codex", "--agent codex --quick")
		}, doctor.StatusFail, []string{"tried", "quick"}},
		{"go run", "codex", func(w *world) {
			w.init(install.Hook{}, "codex")
			w.replace(codex, "sentinel hook", "go run ./cmd/sentinel hook")
		}, doctor.StatusWarn, []string{"hooks.json:7", "compiles Sentinel for every call", "was not run"}},
		{"a script of Cline's is missing", "cline", func(w *world) {
			w.init(install.Hook{}, "cline")
			files, err := filepath.Glob(w.at(".clinerules/hooks/PreToolUse*"))
			require.NoError(w, err)
			require.NoError(w, os.Remove(files[0]))
		}, doctor.StatusFail, []string{"no hook for PreToolUse"}},
		{"a changed plugin", "opencode", func(w *world) {
			w.init(install.Hook{}, "opencode")
			w.replace(".opencode/plugins/sentinel.ts", "const strict = false", "const strict = true ")
		}, doctor.StatusInfo, []string{"not as Sentinel wrote it"}},
		{"an agent of Amazon Q's without it", "amazonq", func(w *world) {
			w.init(install.Hook{}, "amazonq")
			w.write(".amazonq/cli-agents/mine.json", `{"name": "mine"}`)
		}, doctor.StatusWarn, []string{"mine.json is an agent without the hook"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.break_(w)
			found := w.examine()
			requireFinding(t, found, "agents", c.agent, c.status, c.words...)
			require.Equal(t, c.status != doctor.StatusFail, doctor.Sound(found), failures(found))
		})
	}
}

// stub is a program that says that it is this version, and does something else
// when it is to answer an event.
func (w *world) stub(name, hook string) string {
	v, err := json.Marshal(w.version())
	require.NoError(w, err)
	return w.script(name, "[ \"$1\" = version ] && { echo '"+string(v)+"'; exit; }\n"+hook)
}

// The program is tried to see what it does.
func TestWrongPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, hook string
		status     doctor.Status
		words      []string
	}{
		{"lets everything pass", "exit 0", doctor.StatusFail, []string{"a call that a rule blocks is not blocked"}},
		{"stops everything", "echo no >&2; exit 2", doctor.StatusFail, []string{"a harmless call is not let through", "exit status 2", "(no)"}},
		{"speaks another language", `exec sentinel hook --agent cursor`, doctor.StatusFail, []string{"a harmless call is not let through", "{}"}},
		{"talks", "echo hello; exec sentinel \"$@\"", doctor.StatusFail, []string{"hello"}},
		{"crashes", "kill -SEGV $$", doctor.StatusFail, []string{"a harmless call is not let through"}},
		{"works", "exec sentinel \"$@\"", doctor.StatusOK, []string{"tried: silent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.init(install.Hook{Program: w.stub("~/my bin/sentinel", c.hook)}, "codex")
			found := w.examine()
			requireFinding(t, found, "agents", "codex", c.status, c.words...)
			require.Equal(t, c.status == doctor.StatusOK, doctor.Sound(found), failures(found))
		})
	}
}

// A trial does not see the session that doctor runs in, and works in folders
// that are gone afterwards.
func TestTheWorldOfATrial(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env["SENTINEL_JUDGE"], w.env["SENTINEL_CONFIG_DIR"] = "0123", w.at(".claude/sentinel")
	w.env["CLAUDE_PROJECT_DIR"], w.env["BASH_ENV"] = w.root, w.at("evil")
	w.init(install.Hook{Program: w.stub("~/bin/sentinel", `export -p >"$HOME/env"; pwd >>"$HOME/env"; exec sentinel "$@"`)}, "codex")
	found := w.examine()
	require.True(t, doctor.Sound(found), failures(found))
	text, err := os.ReadFile(w.at("~/env"))
	require.NoError(t, err)
	for _, name := range []string{"SENTINEL_JUDGE", "CLAUDE_PROJECT_DIR", "BASH_ENV", w.root} {
		require.NotContains(t, string(text), name)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	dir := lines[len(lines)-1]
	require.Contains(t, dir, "sentinel-doctor-")
	require.NoDirExists(t, dir)
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "SENTINEL_CONFIG_DIR"} {
		require.Regexp(t, name+`=.?`+regexp.QuoteMeta(dir), string(text))
	}
}

func TestAProgramThatHangs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.patience = 2 * time.Second
	w.init(install.Hook{Program: w.stub("~/bin/sentinel", "/bin/sleep 1000; exit 0")}, "codex")
	found := fmt.Sprint(w.examine())
	require.NotContains(t, found, "tried: silent")
	require.Regexp(t, `did not answer within|does not run: .*deadline|no time left`, found) // as busy as the machine is
}

func TestAnotherVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.init(install.Hook{Program: w.script("~/bin/sentinel", `[ "$1" = version ] && { echo '{"version":"v0.0.1","go":"go1.2"}'; exit; }; exec sentinel "$@"`)}, "codex")
	found := w.examine()
	requireFinding(t, found, "agents", "codex", doctor.StatusWarn, "is another version: v0.0.1", "version --all")
	require.True(t, doctor.Sound(found), failures(found))

	w.script("~/bin/sentinel", "echo I am somebody else")
	requireFinding(t, w.examine(), "agents", "codex", doctor.StatusFail, "does not tell its version")
}

// A cloned repository has nothing run that it names.
func TestHostileRepository(t *testing.T) {
	t.Parallel()
	const ran = ": >\"$HOME/ran\""
	for _, c := range []struct {
		name, command string
		words         string
	}{
		{"its own program", "ROOT/tools/sentinel hook", "lies in the repository"},
		{"by a link", "HOME/link/sentinel hook", "lies in the repository"},
		{"a relative one", "./tools/sentinel hook", "relative"},
		{"by a variable", "PATH=ROOT/tools sentinel hook", "composed by hand"},
		{"after it", "sentinel hook; " + ran, "composed by hand"},
		{"in the background", "sentinel hook & " + ran, "composed by hand"},
		{"substituted", "sentinel hook --agent $(" + ran + ")", "composed by hand"},
		{"substituted between quotes", `sentinel hook --agent "$(` + ran + `)"`, "composed by hand"},
		{"redirected", `sentinel hook > "$HOME/ran"`, "composed by hand"},
		{"another program", "ROOT/tools/other-sentinel hook", "composed by hand"},
		{"the Python Sentinel", "python3 ROOT/tools/sentinel.py", "is the Python Sentinel: with both, each call is judged twice"},
		{"another command of ours", "sentinel trust", "composed by hand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.script("tools/sentinel", ran)
			w.script("tools/other-sentinel", ran)
			w.link(w.at("tools"), "~/link")
			command := strings.NewReplacer("ROOT", w.root, "HOME/link", w.at("~/link")).Replace(c.command)
			text, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": []any{map[string]any{"hooks": []any{
				map[string]any{"type": "command", "command": command, "timeout": 20},
			}}}}})
			require.NoError(t, err)
			w.write(".codex/hooks.json", string(text))
			w.write(".claude/settings.json", string(text))
			found := w.examine()
			require.NoFileExists(t, w.at("~/ran"))
			require.Contains(t, fmt.Sprint(found), c.words)
			require.NotContains(t, fmt.Sprint(found), "tried: silent")
		})
	}
}

// A file that others can write is not run either.
func TestProgramsThatOthersCanWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.script("~/open/sentinel", ": >\"$HOME/ran\"")
	w.init(install.Hook{Program: path}, "codex")
	require.NoError(t, os.Chmod(path, 0o777))
	requireFinding(t, w.examine(), "agents", "codex", doctor.StatusFail, "can be written by everybody", "was not run")
	require.NoError(t, os.Chmod(path, 0o755))
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o777))
	requireFinding(t, w.examine(), "agents", "codex", doctor.StatusFail, "a folder that everybody can write", "was not run")
	require.NoFileExists(t, w.at("~/ran"))
}

// A repository that comes with agents' programs, found over the PATH, has none of
// them run.
func TestProgramsOfTheRepositoryOnThePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"claude", "copilot", "codex", "gemini", "sentinel"} {
		w.script("node_modules/.bin/"+name, ": >\"$HOME/ran\"")
	}
	w.onPath("node_modules/.bin")
	w.write(".claude/sentinel/config.yaml", "backend: claude\nfallback: [copilot]\n")
	w.init(install.Hook{}, "codex")
	found := w.examine()
	require.NoFileExists(t, w.at("~/ran"))
	requireFinding(t, found, "agents", "codex", doctor.StatusFail, "lies in the repository")
	requireFinding(t, found, "judges", "claude", doctor.StatusWarn, "was not run")
	requireFinding(t, found, "judges", "copilot", doctor.StatusWarn, "was not run")
}

func TestAgentsOnTheMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("~/bin/gemini", "exit 1")
	w.write("~/lib/node_modules/@google/gemini-cli/package.json", `{"name": "@google/gemini-cli", "version": "0.35.2"}`)
	w.script("~/lib/node_modules/@google/gemini-cli/dist/gemini", "exit 1")
	require.NoError(t, os.Remove(w.at("~/bin/gemini")))
	w.link(w.at("~/lib/node_modules/@google/gemini-cli/dist/gemini"), "~/bin/gemini")
	w.script("~/bin/codex", "echo codex-cli 0.169.0")
	w.script("~/bin/opencode", "exit 1")
	w.onPath("~/bin")
	w.init(install.Hook{}, "gemini", "codex")
	found := w.examine()
	require.True(t, doctor.Sound(found), failures(found))
	requireFinding(t, found, "agents", "gemini", doctor.StatusOK, "~/bin/gemini, version 0.35.2")
	requireFinding(t, found, "agents", "gemini", doctor.StatusWarn, "does not know the question", "0.36")
	requireFinding(t, found, "agents", "codex", doctor.StatusOK, "~/bin/codex, version 0.169.0")
	requireFinding(t, found, "agents", "opencode", doctor.StatusWarn, "no hook of Sentinel's", "sentinel init --agent opencode")

	w.write("~/lib/node_modules/@google/gemini-cli/package.json", `{"name": "@google/gemini-cli", "version": "0.36.0"}`)
	requireNone(t, w.examine(), "agents", "does not know the question")
}

// An agent that runs Claude Code's hooks is not unguarded.
func TestAnAgentThatReadsClaudesSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("~/bin/copilot", "exit 1")
	w.onPath("~/bin")
	w.init(install.Hook{}, "claude")
	requireFinding(t, w.examine(), "agents", "copilot", doctor.StatusInfo, ".claude/settings.json")
}

func TestUsersSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("~/.codex/hooks.json", `{"hooks": {`)
	requireFinding(t, w.examine(), "agents", "codex", doctor.StatusFail, "~/.codex/hooks.json:1:12", "init --agent codex --user")

	targets, err := targets(w, "codex", install.User)
	require.NoError(t, err)
	require.NoError(t, os.Remove(w.at("~/.codex/hooks.json")))
	c, err := install.Plan(targets[0], install.Hook{})
	require.NoError(t, err)
	require.NoError(t, c.Apply())
	found := w.examine()
	require.True(t, doctor.Sound(found), failures(found))
	requireFinding(t, found, "agents", "codex", doctor.StatusOK, "hook in ~/.codex/hooks.json")
}

// A key that one file lacks may be in another.
func TestFilesThatAddUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.init(install.Hook{}, "claude")
	w.replace(".claude/settings.json", "PreToolUse", "PreCompact")
	require.False(t, doctor.Sound(w.examine()))
	w.write(".claude/settings.local.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sentinel hook", "timeout": 20}]}]}}`)
	found := w.examine()
	require.True(t, doctor.Sound(found), failures(found))

	targets, err := targets(w, "claude", install.User)
	require.NoError(t, err)
	c, err := install.Plan(targets[0], install.Hook{})
	require.NoError(t, err)
	require.NoError(t, c.Apply())
	requireFinding(t, w.examine(), "agents", "claude", doctor.StatusInfo, "registered twice")
}

func TestNobodyIsHere(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("the applications of this machine count")
	}
	w := newWorld(t)
	w.env["PATH"] = w.home
	requireFinding(t, w.examine(), "agents", "none", doctor.StatusWarn, "no rule is asked", "sentinel init")
	require.NoError(t, os.RemoveAll(w.at(".claude")))
	requireFinding(t, w.examine(), "agents", "none", doctor.StatusInfo, "no coding agent")
}
