// Package plugin writes the programs that agents without command hooks load: plain
// JavaScript, which starts `sentinel hook` for each event.
package plugin

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/install"
)

// common is the part that all plugins share, with the values of the default hook.
//
//go:embed common.ts
var common string

// Form says in what unit the values of a plugin are.
func Form(string) install.Form { return install.Form{Unit: time.Millisecond} }

// Script is the plugin of an agent: its own text, whose head ends in the line of the
// digest, and below that the common part with the values of the hook. limit is what the
// agent waits at most; 0 means that it waits for ever.
func Script(agent, own string, h install.Hook, limit time.Duration) install.Script {
	program, _ := h.Parts()
	deadline := h.Deadline(limit)
	if deadline == 0 {
		deadline = install.DefaultDeadline
	}
	wait := h.Wait()
	if limit > 0 {
		wait = min(wait, limit)
	}
	shared := strings.NewReplacer(
		`const agent = ""`, "const agent = "+install.Quote(agent),
		`const program = "sentinel"`, "const program = "+install.Quote(program),
		"const deadlineMs = 15000", fmt.Sprint("const deadlineMs = ", deadline.Milliseconds()),
		"const timeoutMs = 20000", fmt.Sprint("const timeoutMs = ", wait.Milliseconds()),
		"const strict = false", fmt.Sprint("const strict = ", h.Strict),
		"const reads = false", fmt.Sprint("const reads = ", h.Reads),
		`const further = ""`, "const further = "+install.Quote(strings.Join(h.Tools, "|")),
	).Replace(common)
	text := strings.Replace(own, install.DigestLine+"\n", install.DigestLine+"\n"+shared, 1)
	return install.Script{Comment: "//", Text: strings.ReplaceAll(text, "`sentinel ", "`"+install.ProgramName(h.Name)+" ")}
}

// ReadScript finds the values of a plugin that [Script] wrote, and the command that it
// runs with them.
func ReadScript(agent, text, own string) (e install.Entry, ok bool) {
	value := func(name string, v any) bool {
		_, rest, found := strings.Cut(text, "\nconst "+name+" = ")
		line, _, _ := strings.Cut(rest, "\n")
		line, _, _ = strings.Cut(line, " //")
		return found && json.Unmarshal([]byte(line), v) == nil
	}
	e = install.Entry{Event: install.PluginEvent}
	var deadline, timeout float64
	if !value("program", &e.Command) || !install.IsSentinel(own, e.Command) || !value("deadlineMs", &deadline) || !value("timeoutMs", &timeout) {
		return e, false
	}
	e.Args = []string{"hook", "--agent", agent, "--deadline", fmt.Sprintf("%.0fms", deadline)}
	e.Timeout = install.TimeoutOf(fmt.Sprint(timeout), time.Millisecond)
	return e, true
}
