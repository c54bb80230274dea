package opencode

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/install"
)

// plugin is the plugin with the values of the default hook. It is plain JavaScript as
// well, so that it needs no compiler.
//
//go:embed sentinel.ts
var plugin string

// files: opencode runs every plugin of this folder in its own process.
func files(p install.Place, s install.Scope) []string {
	if s == install.User {
		return []string{filepath.Join(p.Env("XDG_CONFIG_HOME", filepath.Join(p.Home, ".config")), "opencode", "plugins", "sentinel.ts")}
	}
	return []string{filepath.Join(p.Root, ".opencode", "plugins", "sentinel.ts")}
}

// form says in what unit the plugin's values are.
func form(string) install.Form { return install.Form{Unit: time.Millisecond} }

func steps(install.Place, install.Scope) []install.Step {
	return []install.Step{{What: "opencode loads plugins when it starts", Do: "restart it"}}
}

// script sets the plugin's values.
func script(_ string, h install.Hook) install.Script {
	program, _ := h.Parts()
	deadline := h.Deadline(0)
	if deadline == 0 {
		deadline = install.DefaultDeadline
	}
	return install.Script{Comment: "//", Text: strings.NewReplacer(
		`const program = "sentinel"`, "const program = "+install.Quote(program),
		"const deadlineMs = 15000", fmt.Sprint("const deadlineMs = ", deadline.Milliseconds()),
		"const timeoutMs = 20000", fmt.Sprint("const timeoutMs = ", h.Wait().Milliseconds()),
		"const strict = false", fmt.Sprint("const strict = ", h.Strict),
		"const reads = false", fmt.Sprint("const reads = ", h.Reads),
		`const further = ""`, "const further = "+install.Quote(strings.Join(h.Tools, "|")),
	).Replace(plugin)}
}

// readScript finds the values of a plugin that [script] wrote, and the command that it
// runs with them.
func readScript(_, text string) (e install.Entry, ok bool) {
	value := func(name string, v any) bool {
		_, rest, found := strings.Cut(text, "\nconst "+name+" = ")
		line, _, _ := strings.Cut(rest, "\n")
		line, _, _ = strings.Cut(line, " //")
		return found && json.Unmarshal([]byte(line), v) == nil
	}
	e = install.Entry{Event: install.PluginEvent}
	var deadline, timeout float64
	if !value("program", &e.Command) || !install.IsSentinel(e.Command) || !value("deadlineMs", &deadline) || !value("timeoutMs", &timeout) {
		return e, false
	}
	e.Args = []string{"hook", "--agent", Name, "--deadline", fmt.Sprintf("%.0fms", deadline)}
	e.Timeout = install.TimeoutOf(fmt.Sprint(timeout), time.Millisecond)
	return e, true
}
