package e2e

import "testing"

// opencode would install the types of its plugins by npm next to our plugin: npm
// is told that there is no network.
var opencode = agent{
	unread: true,
	name:   "opencode", pkg: "opencode-linux-x64-baseline", program: "opencode-linux-x64-baseline/bin/opencode",
	start: func(r *repository, model string) (args, env []string) {
		r.writeHome(".npmrc", "offline=true\nfetch-retries=0\n")
		r.writeHome("opencode.json", `{
			"model": "scripted/scripted-model",
			"small_model": "scripted/scripted-model",
			"autoupdate": false,
			"share": "disabled",
			"permission": {"edit": "allow", "bash": "allow"},
			"provider": {"scripted": {
				"npm": "@ai-sdk/openai-compatible",
				"options": {"baseURL": "`+model+`/v1", "apiKey": "dummy"},
				"models": {"scripted-model": {"name": "Scripted", "tool_call": true, "limit": {"context": 200000, "output": 8000}}}
			}}
		}`)
		return []string{"run", "--format", "json", prompt}, []string{
			"OPENCODE_CONFIG=" + r.home + "/opencode.json",
			"OPENCODE_DISABLE_AUTOUPDATE=1",
			"OPENCODE_DISABLE_MODELS_FETCH=1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD=1",
			"NPM_CONFIG_OFFLINE=true",
			"NPM_CONFIG_FETCH_RETRIES=0",
		}
	},
	write: func(r *repository, name, content string) call {
		return call{"write", map[string]any{"filePath": r.path(name), "content": content}}
	},
	shell: func(command string) call {
		return call{"bash", map[string]any{"command": command, "description": "Run it"}}
	},
	search: func(in, glob string) call {
		args := map[string]any{"pattern": "KEY", "path": in}
		if glob != "" {
			args["include"] = glob
		}
		return call{"grep", args}
	},
	serves: func(r *repository, node, script string) []string {
		r.addHome("opencode.json", `"mcp": {"tracker": {"type": "local", "command": ["`+node+`", "`+script+`"], "enabled": true}}`)
		return nil
	},
	served: func(tool string) string { return "tracker_" + tool },
	spawn:  []turn{calling(call{"task", map[string]any{"description": "Run it", "prompt": errand, "subagent_type": "general"}})},
	stop:   `"hook_event_name":"session.idle"`,
	leaves: ".opencode/.gitignore",
}

func TestOpencode(t *testing.T) { opencode.test(t) }
