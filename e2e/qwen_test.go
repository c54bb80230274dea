package e2e

import "testing"

var qwen = agent{
	name: "qwen", pkg: "@qwen-code/qwen-code", program: "@qwen-code/qwen-code/cli.js", node: true,
	start: func(r *repository, model string) (args, env []string) {
		r.writeHome("qwen.json", `{
			"$version": 4,
			"privacy": {"usageStatisticsEnabled": false},
			"telemetry": {"enabled": false},
			"general": {"enableAutoUpdate": false, "disableAutoUpdate": true}
		}`)
		return []string{
				prompt, "--approval-mode", "yolo", "-o", "stream-json", "--auth-type", "openai",
				"--openai-base-url", model + "/v1", "--openai-api-key", "dummy", "-m", "scripted-model",
			}, []string{
				"HTTP_PROXY=", "HTTPS_PROXY=", // it would take loopback through them, too
				"QWEN_CODE_SYSTEM_SETTINGS_PATH=" + r.home + "/qwen.json",
			}
	},
	write: func(r *repository, name, content string) call {
		return call{"write_file", map[string]any{"file_path": r.path(name), "content": content}}
	},
	shell: func(command string) call {
		return call{"run_shell_command", map[string]any{"command": command, "description": "Run it", "is_background": false}}
	},
	search: func(in, glob string) call {
		args := map[string]any{"pattern": "KEY", "path": in}
		if glob != "" {
			args["glob"] = glob
		}
		return call{"grep_search", args}
	},
	serves: func(r *repository, node, script string) []string {
		r.addHome("qwen.json", `"mcpServers": {"tracker": {"command": "`+node+`", "args": ["`+script+`"], "trust": true}}`)
		return nil
	},
	served: func(tool string) string { return "mcp__tracker__" + tool },
	spawn:  []turn{calling(call{"agent", map[string]any{"description": "Run it", "prompt": errand, "subagent_type": "general-purpose"}})},
	stays:  true, unbriefed: true, untold: true, unheard: true,
	stop: `"hook_event_name":"Stop"`,
}

func TestQwen(t *testing.T) { qwen.test(t) }
