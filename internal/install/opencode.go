package install

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// opencodePlugin is the plugin with the values of the default hook. It is plain
// JavaScript as well, so that whatever runs it needs no compiler.
//
//go:embed opencode/sentinel.ts
var opencodePlugin string

// opencodeAgent is opencode, as of 1.18.33, which has no command hooks but runs
// every plugin of this folder in its own process.
func opencodeAgent() agent {
	return agent{
		files: func(p Place, s Scope) []string {
			if s == User {
				return []string{filepath.Join(p.env("XDG_CONFIG_HOME", filepath.Join(p.Home, ".config")), "opencode", "plugins", "sentinel.ts")}
			}
			return []string{filepath.Join(p.Root, ".opencode", "plugins", "sentinel.ts")}
		},
		script: func(_ string, h Hook) script { return script{text: opencodeText(h), comment: "//"} },
		steps:  func(Scope) []string { return []string{"opencode loads plugins when it starts: restart it"} },
	}
}

// opencodeText sets the plugin's values.
func opencodeText(h Hook) string {
	program, _ := h.parts()
	deadline := h.deadline(0)
	if deadline == 0 {
		deadline = DefaultDeadline
	}
	return strings.NewReplacer(
		`const program = "sentinel"`, "const program = "+quote(program),
		"const deadlineMs = 15000", fmt.Sprint("const deadlineMs = ", deadline.Milliseconds()),
		"const timeoutMs = 20000", fmt.Sprint("const timeoutMs = ", h.timeout().Milliseconds()),
		"const strict = false", fmt.Sprint("const strict = ", h.Strict),
		"const reads = false", fmt.Sprint("const reads = ", h.Reads),
	).Replace(opencodePlugin)
}

// DefaultDeadline is how long `sentinel hook` takes at most when it is told no
// deadline. It is below [DefaultTimeout], which is what hooks are registered with.
const DefaultDeadline = 15 * time.Second
