package install

import (
	"path/filepath"
	"strings"
	"time"
)

// clineTimeout is how long Cline's extension waits for a hook; the command-line
// Cline waits longer. It cannot be set.
const clineTimeout = 30 * time.Second

// clineAgent is Cline: the extension, and the command line 3.x. A hook is a
// program that is called like the event.
func clineAgent() agent {
	return agent{
		files: func(p Place, s Scope) (files []string) {
			dir := filepath.Join(p.Root, ".clinerules", "hooks")
			if s == User {
				dir = filepath.Join(p.Home, "Documents", "Cline", "Hooks")
			}
			suffix := ""
			if p.goos() == "windows" {
				suffix = ".ps1"
			}
			for _, event := range []string{"PreToolUse", "PostToolUse", "TaskStart", "UserPromptSubmit", "TaskComplete", "SessionShutdown"} {
				files = append(files, filepath.Join(dir, event+suffix))
			}
			return files
		},
		script: clineScript,
	}
}

// clineScript starts the hook. Cline goes on when a hook fails in whatever way;
// a strict one therefore answers for a sentinel that does not. The refusal ends
// Cline's whole run: it knows no other.
func clineScript(file string, h Hook) script {
	event := strings.TrimSuffix(filepath.Base(file), ".ps1")
	call := h.call(clineTimeout, "--agent", "cline")
	strict := h.Strict && event == "PreToolUse"
	if strings.HasSuffix(file, ".ps1") {
		return script{text: clinePowerShell(powershell.line(call), strict), comment: "#"}
	}
	return script{text: clineShell(posix.line(call), strict), comment: "#"}
}

const (
	clineComment = "# Written by `sentinel init`; `sentinel uninstall` takes it away unless it was changed.\n"
	clineRefusal = `{"cancel":true,"errorMessage":"Sentinel did not answer, and this project is strict. Is it installed? sentinel doctor tells."}`
)

func clineShell(line string, strict bool) string {
	head := "#!/bin/sh\n" + clineComment + digestLine + "\n"
	if !strict {
		return head + "exec " + line + "\n"
	}
	return head + "if answer=$(" + line + "); then\n  printf '%s\\n' \"$answer\"\nelse\n  printf '%s\\n' '" + clineRefusal + "'\nfi\n"
}

func clinePowerShell(line string, strict bool) string {
	head := clineComment + digestLine + "\n"
	if !strict {
		return head + "$input | " + line + "\nexit $LASTEXITCODE\n"
	}
	return head + "$answer = $input | " + line + "\nif ($LASTEXITCODE -eq 0) { $answer } else { '" + clineRefusal + "' }\n"
}
