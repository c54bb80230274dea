package explain

import (
	"github.com/agentsentinel/sentinel"
)

// What agents do with an answer, by their own protocols: docs/agents has them byte
// for byte.
const (
	readsBeside = "reads it beside the tool's result"
	readsAfter  = "reads it with the tool's result"
	mustApprove = "refuses the call, with a text that says that a person must approve it"
)

// agentsDo is what becomes of a violation in each agent.
func agentsDo(spec *sentinel.RuleSpec) []Agent {
	if spec.Shadow {
		return []Agent{}
	}
	type row struct{ agents, ask, warn string }
	rows := []row{
		{"claude", "asks its user; where nobody can be asked (claude -p) the call is refused", readsBeside},
		{"codex", mustApprove, readsBeside},
		{"copilot", "asks its user; where nobody can be asked the call is refused", readsAfter},
		{"vscode", "asks its user", readsAfter},
		{"cursor", "asks its user about commands and MCP tools; anything else is refused", readsAfter},
		{"gemini", "asks its user; an MCP call is refused", readsAfter},
		{"qwen", "asks its user; in the mode yolo the call is refused", readsAfter},
		{"opencode", mustApprove, readsAfter},
		{"cline", "ends the run, with a text that says that a person must approve it", readsAfter},
		{"windsurf", mustApprove, "does not read it: the person does"},
		{"amazonq", mustApprove, "reads it with the next prompt"},
		{"kiro", mustApprove, "reads it with the next prompt"},
	}
	out := make([]Agent, len(rows))
	for i, r := range rows {
		out[i] = Agent{Agent: r.agents}
		switch spec.Severity {
		case sentinel.SeverityInfo, sentinel.SeverityWarn:
			out[i].Does = r.warn
		case sentinel.SeverityAsk:
			out[i].Does = r.ask
		default:
			out[i].Does = "does not run the call; the agent reads why"
			if r.agents == "cline" {
				out[i].Does = "ends the run; the model is not told why"
			}
		}
	}
	return out
}
