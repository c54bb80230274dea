package e2e

import "testing"

// gemini is given a model by name, since it would ask one which model to take.
var gemini = agent{
	name: "gemini", pkg: "@google/gemini-cli", program: "@google/gemini-cli/bundle/gemini.js", node: true,
	settings: func(r *repository) {
		r.writeHome(".gemini/settings.json", `{
			"security": {"auth": {"selectedType": "gemini-api-key"}},
			"privacy": {"usageStatisticsEnabled": false},
			"telemetry": {"enabled": false},
			"general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}
		}`)
	},
	start: func(_ *repository, model string) (args, env []string) {
		return []string{"-p", prompt, "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-o", "stream-json"}, []string{
			"GEMINI_API_KEY=dummy",
			"GEMINI_CLI_TRUST_WORKSPACE=true",
			"GOOGLE_GEMINI_BASE_URL=" + model,
		}
	},
	write: func(r *repository, name, content string) call {
		return call{"write_file", map[string]any{"file_path": r.path(name), "content": content}}
	},
	shell: func(command string) call {
		return call{"run_shell_command", map[string]any{"command": command, "description": "Run it"}}
	},
	search: func(in, glob string) call {
		args := map[string]any{"pattern": "KEY", "dir_path": in}
		if glob != "" {
			args["include_pattern"] = glob
		}
		return call{"grep_search", args}
	},
	serves: func(r *repository, node, script string) []string {
		r.addHome(".gemini/settings.json", `"mcpServers": {"tracker": {"command": "`+node+`", "args": ["`+script+`"], "trust": true}}`)
		return nil
	},
	served: func(tool string) string { return "mcp_tracker_" + tool },
	spawn:  []turn{calling(call{"invoke_agent", map[string]any{"agent_name": "generalist", "prompt": errand}})},
	stays:  true,
	stop:   `"hook_event_name":"AfterAgent"`,
	waits:  "Hook system message: Sentinel asks:",
}

func TestGemini(t *testing.T) { gemini.test(t) }
