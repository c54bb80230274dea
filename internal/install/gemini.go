package install

import "path/filepath"

// geminiAgent is Gemini CLI, as of 0.61.0. Its settings may hold comments.
func geminiAgent() agent {
	return agent{
		files: settingsIn(".gemini"),
		form:  func(string) form { return form{dialect: withComments} },
		wants: func(_ string, h Hook) []want { return geminiWants(h) },
		steps: func(s Scope) []string {
			if s == User {
				return nil
			}
			return []string{"Gemini CLI runs the hooks of a folder that it trusts: choose to trust this one when gemini asks"}
		},
	}
}

// settingsIn names the settings file of agents that keep it in one folder.
func settingsIn(folder string) func(Place, Scope) []string {
	return func(p Place, s Scope) []string { return []string{filepath.Join(p.base(s), folder, "settings.json")} }
}

// geminiWants: Gemini CLI counts the timeout in milliseconds. It takes any exit
// status above 1 for a refusal, so that without the ending every call would be
// refused where sentinel is not installed, and a finished turn begun anew.
func geminiWants(h Hook) []want {
	tools := "write_file|replace|run_shell_command"
	if h.Reads {
		tools += "|read_file|read_many_files"
	}
	matcher := "^(" + tools + "|mcp_.*)$"
	other := h.geminiHandler(alwaysOK)
	pre := other
	if h.Strict {
		pre = h.geminiHandler("")
	}
	return []want{
		inGroup("BeforeTool", matcher, pre),
		inGroup("AfterTool", matcher, other),
		inGroup("AfterAgent", "", other),
		inGroup("SessionStart", "", other),
		inGroup("SessionEnd", "", other),
	}
}

func (h Hook) geminiHandler(ending string) object {
	line := h.shell(powershell).line(h.call(0, "--agent", "gemini"))
	return object{{"name", `"sentinel"`}, {"type", `"command"`}, {"command", quote(line + ending)}, {"timeout", h.millis()}}
}
