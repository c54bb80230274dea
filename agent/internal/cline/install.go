package cline

import (
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/install"
)

// files: a hook is a program that is called like the event.
func files(p install.Place, s install.Scope) (files []string) {
	dir := filepath.Join(p.Root, ".clinerules", "hooks")
	if s == install.User {
		dir = filepath.Join(p.Home, "Documents", "Cline", "Hooks")
	}
	suffix := ""
	if p.System() == "windows" {
		suffix = ".ps1"
	}
	for _, event := range []string{"PreToolUse", "PostToolUse", "TaskStart", "UserPromptSubmit", "TaskComplete", "SessionShutdown"} {
		files = append(files, filepath.Join(dir, event+suffix))
	}
	return files
}

// script starts the hook. Cline goes on when a hook fails in whatever way; a strict one
// therefore answers for a sentinel that does not. The refusal ends Cline's whole run: it
// knows no other.
func script(file string, h install.Hook) install.Script {
	event := strings.TrimSuffix(filepath.Base(file), ".ps1")
	call := h.Call(timeout, "--agent", Name)
	strict := h.Strict && event == "PreToolUse"
	if strings.HasSuffix(file, ".ps1") {
		return install.Script{Text: powerShell(install.PowerShell.Line(call), install.ProgramName(h.Name), strict), Comment: "#"}
	}
	return install.Script{Text: shell(install.Posix.Line(call), install.ProgramName(h.Name), strict), Comment: "#"}
}

// comment says who has written a script.
func comment(program string) string {
	return "# Written by `" + program + " init`; `" + program + " uninstall` takes it away unless it was changed.\n"
}

// refusal is the answer of a script whose program gives none.
func refusal(program string) string {
	return `{"cancel":true,"errorMessage":"Sentinel did not answer, and this project is strict. Is it installed? ` + program + ` doctor tells."}`
}

func shell(line, program string, strict bool) string {
	head := "#!/bin/sh\n" + comment(program) + install.DigestLine + "\n"
	if !strict {
		return head + "exec " + line + "\n"
	}
	return head + "if answer=$(" + line + "); then\n  printf '%s\\n' \"$answer\"\nelse\n  printf '%s\\n' '" + refusal(program) + "'\nfi\n"
}

func powerShell(line, program string, strict bool) string {
	head := comment(program) + install.DigestLine + "\n"
	if !strict {
		return head + "$input | " + line + "\nexit $LASTEXITCODE\n"
	}
	return head + "$answer = $input | " + line + "\nif ($LASTEXITCODE -eq 0) { $answer } else { '" + refusal(program) + "' }\n"
}

// readScript finds the command of a script like those of [script].
func readScript(file, text, own string) (e install.Entry, ok bool) {
	e = install.Entry{Event: strings.TrimSuffix(filepath.Base(file), ".ps1"), Shell: install.Posix, Timeout: timeout}
	before, after := []string{"\nexec ", "\nif answer=$("}, []string{"\n", "); then\n"}
	if strings.HasSuffix(file, ".ps1") {
		e.Shell = install.PowerShell
		before, after = []string{"\n$input | ", "\n$answer = $input | "}, []string{"\n", "\n"}
	}
	for i := range before {
		_, rest, found := strings.Cut(text, before[i])
		if !found {
			continue
		}
		if line, _, found := strings.Cut(rest, after[i]); found && install.IsOurs(own, line, nil) {
			e.Command, e.Line = line, strings.Count(text[:len(text)-len(rest)], "\n")+1
			return e, true
		}
	}
	return e, false
}
