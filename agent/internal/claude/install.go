package claude

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// home is the folder of the user's settings and sessions.
func home(p install.Place) string { return p.Env("CLAUDE_CONFIG_DIR", p.UnderHome(".claude")) }

func files(p install.Place, s install.Scope) []string {
	if s == install.User {
		return []string{filepath.Join(home(p), "settings.json")}
	}
	return []string{filepath.Join(p.Root, ".claude", "settings.json")}
}

// readFiles: those of the machine count for everybody, whatever else is said.
func readFiles(p install.Place, s install.Scope) []string {
	if s == install.Repository {
		return []string{filepath.Join(p.Root, ".claude", "settings.local.json")}
	}
	dir := "/etc/claude-code"
	switch p.System() {
	case "darwin":
		dir = "/Library/Application Support/ClaudeCode"
	case "windows":
		dir = `C:\Program Files\ClaudeCode`
	}
	more, _ := filepath.Glob(filepath.Join(dir, "managed-settings.d", "*.json"))
	return append([]string{filepath.Join(dir, "managed-settings.json")}, more...)
}

func form(string) install.Form { return install.Form{} }

// wants lists what is registered: the tools that write, run or reach out, before and
// after they run and before a person is asked about them, the end of a turn, prompts, the start and the end of a session, and changes of
// settings and watched files. Copilot CLI, which can run the same file, names the tool
// of an MCP server server-tool; no tool of Claude Code's own has a hyphen. A matcher
// of letters, digits and | alone is a list of exact names to Claude Code; any other is
// a regular expression that may match anywhere, so that without ^ and $ `Edit` would
// also match `TodoEdit`. onFailure makes a hook that cannot run count as a block;
// Claude Code knows it for the events that can be blocked, and ignores it elsewhere.
func wants(_ string, h install.Hook) []install.Want {
	matcher := "^(" + h.Matching("Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell|Monitor", "Read|Grep") + "|mcp__.*|.*-.*)$"
	other := handler(h)
	pre := other
	if h.Strict {
		pre = pre.With("onFailure", "block")
	}
	return []install.Want{
		install.InGroup("PreToolUse", matcher, pre),
		install.InGroup("PermissionRequest", matcher, other),
		install.InGroup("PostToolUse", matcher, other),
		install.InGroup("PostToolUseFailure", matcher, other), // a tool that failed has no PostToolUse
		install.InGroup("Stop", "", other),
		install.InGroup("SessionStart", "", other),
		install.InGroup("UserPromptSubmit", "", other),
		install.InGroup("SubagentStart", "", other),
		install.InGroup("SessionEnd", "", other),
		install.InGroup("ConfigChange", "", other),
		install.InGroup("FileChanged", "", other), // a matcher would name files of the folder
	}
}

// handler renders the hook's own keys. Claude Code counts the timeout in seconds. The
// command names no agent, because Copilot CLI, VS Code and Cursor can be set to run the
// same file. On Windows a path that needs quotes is started without a shell: the shell
// there may be Git Bash or PowerShell, and they quote differently.
func handler(h install.Hook) install.Object {
	o := install.Object{}.With("type", "command")
	call := h.Call(0)
	switch {
	case h.Args != nil, h.System() == "windows" && install.Posix.Word(call[0]) != call[0] && h.Program != "":
		o = o.With("command", call[0]).With("args", call[1:])
	case h.Program != "" || h.Command == "":
		o = o.With("command", install.Posix.Line(call))
	default:
		o = o.With("command", h.Command+lateDeadline(h))
	}
	return o.With("timeout", h.Seconds())
}

// lateDeadline is what has to be added to a whole line to set the deadline.
func lateDeadline(h install.Hook) string {
	deadline := h.Deadline(0)
	if deadline == 0 || strings.Contains(h.Command, "--deadline") {
		return ""
	}
	return " --deadline " + deadline.String()
}

// Off names settings that keep the hook from running. Other agents know them too.
func Off(settings []byte) (notes []string) {
	var s struct {
		DisableAllHooks       bool `json:"disableAllHooks"`
		AllowManagedHooksOnly bool `json:"allowManagedHooksOnly"`
	}
	if json.Unmarshal(bytes.TrimPrefix(settings, []byte("\xef\xbb\xbf")), &s) != nil {
		return nil // a value of another type; Claude Code ignores it too
	}
	if s.DisableAllHooks {
		notes = append(notes, `"disableAllHooks" is true in this file: no hook runs, Sentinel's neither`)
	}
	if s.AllowManagedHooksOnly {
		notes = append(notes, `"allowManagedHooksOnly" is true in this file: only hooks of managed settings run`)
	}
	return notes
}

// plugin is the settings file that enables the plugin: the first that names it decides.
func plugin(p install.Place) string {
	candidates := append(readFiles(p, install.Repository), files(p, install.Repository)...)
	for _, file := range append(candidates, files(p, install.User)...) {
		var settings struct {
			EnabledPlugins map[string]any `json:"enabledPlugins"`
		}
		if data, err := safefile.Read(file, maxSettings); err != nil || json.Unmarshal(data, &settings) != nil {
			continue // the settings check reports what is wrong with the file
		}
		if on, named := wire.Enabled(settings.EnabledPlugins); on {
			return file
		} else if named {
			return ""
		}
	}
	return ""
}

// maxSettings bounds a settings file that is only looked at, in bytes.
const maxSettings = 1 << 20
