// Package codex is Codex CLI, as of version 0.169.0.
package codex

import (
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Name is the agent's name.
const Name = "codex"

// Agent is Codex CLI. No other agent calls its transcripts rollout-…; where no
// transcript is kept, the number of the turn tells.
var Agent = wire.Agent{
	Name: Name, Title: "Codex",
	Decode: decode, Encode: encode,
	Marks: []wire.Sign{{Spelling: wire.PascalCase, File: "rollout-*.jsonl"}},
	Signs: []wire.Sign{{Spelling: wire.PascalCase, All: []string{"turn_id"}}},
	Abilities: wire.Abilities{
		StaysAtWork:   true,
		ContextBefore: true, ContextAfter: true, TellsEnd: true, TellsResults: true, NumbersCalls: true, HearsPerson: true,
		Timeout: 600 * time.Second, // its configuration schema
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "refuses the call, with a text that says that a person must approve it",
		OnWarn:  "reads it beside the tool's result",
	},
	Tools: wire.Tools{
		Write: []string{"apply_patch"},
		Run:   []string{"local_shell", "exec_command", "write_stdin", "unified_exec", "container.exec", "shell"},
		Read:  []string{"view_image"},
		Harmless: []string{
			"close_agent", "create_goal", "get_context_remaining", "get_goal", "list_mcp_resource_templates", "list_mcp_resources", "new_context", "read_mcp_resource",
			"request_permissions", "request_user_input", "resume_agent", "send_input", "tool_search", "update_goal", "update_plan", "wait", "wait_agent",
		},
		Bookkeeping: []string{"update_plan", "request_user_input", "get_goal", "create_goal", "update_goal", "wait", "tool_search"},
		Patch:       []string{"apply_patch"},
		NoCommand:   []string{"write_stdin"},
		Folders: []wire.ToolKeys{{
			Tools: []string{"exec_command", "local_shell", "shell", "container.exec", "unified_exec"}, Keys: []string{"workdir", "cwd"},
		}},
	},
	Results: wire.Results{InRecord: true},
	Settings: install.Settings{
		Files: files, Form: form, Wants: wants, Before: []string{"PreToolUse"}, Stop: []string{"Stop"}, Steps: steps, Windows: install.Cmd,
		Reach: install.ReachBelow, // TestSubfolder/codex
	},
	Guards:   []string{".codex/config.toml", "~/.codex/config.toml", "~/.codex/plugins/"},
	Sessions: wire.Sessions{Format: Name, Homes: sessionHomes, Files: []string{"sessions/*/*/*/rollout-*.jsonl"}},
	Traces: wire.Traces{
		Programs: []string{"codex"}, Paths: []string{".codex/sessions"}, Repository: []string{".codex"}, Version: true, Processes: []string{"codex"},
		Environment: []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"},
	},
	Starts: wire.Starts{
		Programs:  []string{"codex"},
		Options:   []string{"--dangerously*", "--yolo", "danger-full-access", "--sandbox=danger-full-access", "--ignore-user-config"},
		Tasks:     []string{"exec", "e"},
		Changes:   []string{"mcp add*", "features disable"},
		Variables: []string{"CODEX_HOME"},
	},
	Plugin: wire.Plugin{Find: plugin, Flags: []string{"--agent", Name}, Steps: pluginSteps},
	Canary: wire.Canary{
		Speaks: "responses",
		Args: []string{
			"exec", "--json", "--skip-git-repo-check", "-s", "workspace-write", "-c", `approval_policy="never"`, "-c", `model="gpt-5.5"`,
			"-c", `model_provider="canary"`, "-c", `model_providers.canary.name="canary"`, "-c", `model_providers.canary.base_url="{URL}/v1"`,
			"-c", `model_providers.canary.wire_api="responses"`, "-c", `model_providers.canary.env_key="CANARY_KEY"`,
			"-c", "model_providers.canary.request_max_retries=0", "{PROMPT}",
		},
		Env:  []string{"CANARY_KEY=canary"},
		Tool: "apply_patch", Input: `"*** Begin Patch\n*** Add File: {REL}\n+canary\n*** End Patch\n"`,
	},
	Trial: trial,
	Seen: []wire.Seen{{
		Page: "codex.md", Version: "0.169.0",
		Block:   wire.Claim{Test: "TestCodex/blocked"},
		Ask:     wire.Claim{Test: "TestCodex/asked", Note: "refused with the question"},
		Warn:    wire.Claim{Test: "TestCodex/warned", Note: "with the result"},
		Context: wire.Claim{Recorded: true},
		Stop:    wire.Claim{Test: "TestCodex/harmless"},
	}},
}

func trial(dir, command string) map[string]any {
	event := wire.Trial(dir, "PreToolUse", "Bash", command)
	event["turn_id"] = "trial"
	return event
}
