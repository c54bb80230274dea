package install

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
)

// Claude returns Claude Code's settings with the hook registered for the tools
// that write, run or reach out, before and after they run, for the end of a
// turn, and for the start and the end of a session. Empty settings make a new
// file. Settings that have the hook already, in whatever layout, come back
// unchanged; an entry of an older version is brought up to date where it stands,
// and a second one is taken out.
//
// The error for settings that are not one JSON object, or whose hooks have
// another form than Claude Code's, is a [sentinel.Problem] with line and column.
func Claude(settings []byte, h Hook) ([]byte, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	return form{}.merge(settings, claudeWants(h))
}

// RemoveClaude returns settings without the entries of Sentinel's hook, and
// without the lists and objects that are empty because of that. It returns nil
// when nothing is left: then the file itself can go.
func RemoveClaude(settings []byte) ([]byte, error) {
	return form{}.remove(settings)
}

// claudeAgent is Claude Code, as of 2.1.329.
func claudeAgent() agent {
	return agent{
		files: func(p Place, s Scope) []string {
			if s == User {
				return []string{filepath.Join(p.env("CLAUDE_CONFIG_DIR", filepath.Join(p.Home, ".claude")), "settings.json")}
			}
			return []string{filepath.Join(p.Root, ".claude", "settings.json")}
		},
		form:   func(string) form { return form{} },
		wants:  func(_ string, h Hook) []want { return claudeWants(h) },
		notice: claudeNotes,
	}
}

// claudeWants lists what is registered. A matcher of letters, digits and | alone
// is a list of exact names to Claude Code; any other is a regular expression that
// may match anywhere, so that without ^ and $ `Edit` would also match `TodoEdit`.
// onFailure makes a hook that cannot run count as a block; Claude Code knows it
// for the events that can be blocked, and ignores it elsewhere.
func claudeWants(h Hook) []want {
	tools := "Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell|Monitor"
	if h.Reads {
		tools += "|Read"
	}
	matcher := "^(" + tools + "|mcp__.*)$"
	pre, other := h.claudeHandler(), h.claudeHandler()
	if h.Strict {
		pre = append(pre, pair{"onFailure", `"block"`})
	}
	return []want{
		inGroup("PreToolUse", matcher, pre),
		inGroup("PostToolUse", matcher, other),
		inGroup("PostToolUseFailure", matcher, other), // a tool that failed has no PostToolUse
		inGroup("Stop", "", other),
		inGroup("SessionStart", "", other),
		inGroup("SessionEnd", "", other),
	}
}

// claudeHandler renders the hook's own keys. Claude Code counts the timeout in
// seconds. It names no agent, because Copilot CLI, VS Code and Cursor can be set
// to run the same file. On Windows a path that needs quotes is started without a
// shell: Git Bash and PowerShell, of which either may be the shell there, quote
// differently.
func (h Hook) claudeHandler() object {
	o := object{{"type", `"command"`}}
	call := h.call(0)
	line := posix.line(call)
	switch {
	case h.Args != nil, h.goos() == "windows" && posix.word(call[0]) != call[0] && h.Program != "":
		o = append(o, pair{"command", quote(call[0])}, pair{"args", quote(call[1:])})
	case h.Program != "" || h.Command == "":
		o = append(o, pair{"command", quote(line)})
	default:
		o = append(o, pair{"command", quote(h.Command + h.lateDeadline())})
	}
	return append(o, pair{"timeout", h.seconds()})
}

// lateDeadline is what has to be added to a whole line to set the deadline.
func (h Hook) lateDeadline() string {
	deadline := h.deadline(0)
	if deadline == 0 || strings.Contains(h.Command, "--deadline") {
		return ""
	}
	return " --deadline " + deadline.String()
}

// claudeNotes names settings that keep the hook from running.
func claudeNotes(settings []byte) (notes []string) {
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
