package hook

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
)

// gemini is the command hook of Gemini CLI, as of version 0.61.0.
type gemini struct{}

// Name returns "gemini".
func (gemini) Name() string { return "gemini" }

// timeout is 60 seconds (DEFAULT_HOOK_TIMEOUT in hookRunner.js).
func (gemini) timeout(sentinel.Phase) time.Duration { return 60 * time.Second }

// Decode reads one event. Gemini CLI writes an MCP tool as mcp_server_tool, from
// which nobody can tell where the server's name ends; it says so beside it, and
// the tool is called mcp__server__tool in the event.
func (gemini) Decode(stdin []byte) (sentinel.Event, error) {
	in, err := parsePayload(stdin)
	if err != nil {
		return sentinel.Event{}, err
	}
	ev, name, err := common(in, "gemini")
	if err != nil {
		return sentinel.Event{}, err
	}
	ev.Phase = geminiPhase(name)
	if ev.Phase != sentinel.PhasePre && ev.Phase != sentinel.PhasePost {
		return ev, nil
	}
	if ev.Tool, err = calledTool(in); err != nil {
		return sentinel.Event{}, err
	}
	if id, ok := geminiMCP(in["mcp_context"]); ok {
		ev.Tool.Name = id
	}
	if response, ok := in.get("tool_response"); ok && ev.Phase == sentinel.PhasePost {
		ev.Tool.Output = outputUnder(response, "llmContent")
		_, ev.Tool.Failed = object(response).get("error")
	}
	return ev, nil
}

func geminiPhase(event string) sentinel.Phase {
	switch event {
	case "BeforeTool":
		return sentinel.PhasePre
	case "AfterTool":
		return sentinel.PhasePost
	case "AfterAgent":
		return sentinel.PhaseStop
	case "SessionStart":
		return sentinel.PhaseStart
	case "SessionEnd":
		return sentinel.PhaseEnd
	case "BeforeAgent":
		return sentinel.PhasePrompt
	}
	return sentinel.PhaseUnknown
}

// geminiMCP is the name of an MCP tool with its server told apart. A context
// that does not name both is no reason to leave the call unjudged.
func geminiMCP(context json.RawMessage) (name string, ok bool) {
	in := object(context)
	server, errServer := in.need("server_name")
	tool, errTool := in.need("tool_name")
	if errServer != nil || errTool != nil {
		return "", false
	}
	return "mcp__" + server + "__" + tool, true
}

// geminiOut is an answer. Gemini CLI reads no permissionDecision.
type geminiOut struct {
	Decision      string     `json:"decision,omitempty"`
	Reason        string     `json:"reason,omitempty"`
	SystemMessage string     `json:"systemMessage,omitempty"`
	Specific      *claudeOut `json:"hookSpecificOutput,omitempty"`
}

// Encode answers by JSON at exit 0. Before a tool Gemini CLI drops all context,
// which is kept for the event after it.
func (gemini) Encode(ev sentinel.Event, d sentinel.Decision) Answer {
	switch ev.Phase {
	case sentinel.PhasePre:
		return geminiPre(ev, d)
	case sentinel.PhasePost:
		return geminiContext("AfterTool", d)
	case sentinel.PhaseStart:
		return geminiContext("SessionStart", d)
	case sentinel.PhasePrompt:
		return geminiContext("BeforeAgent", d)
	}
	return Answer{Kept: d.Context()}
}

// geminiPre shows a notice to the user, except beside a question or a denial:
// what they show is about the call, so the notice is kept with the context.
func geminiPre(ev sentinel.Event, d sentinel.Decision) (ans Answer) {
	switch {
	case proceeds(d):
		if notice := takeNotice(&d); notice != "" {
			ans = stdoutJSON(geminiOut{SystemMessage: notice})
		}
	case d.Verdict == sentinel.VerdictAsk && !geminiSkipsQuestion(ev.Tool.Name):
		// The dialog shows the system message; the reason is for the record.
		ans = stdoutJSON(geminiOut{Decision: "ask", Reason: question(d), SystemMessage: question(d)})
	default:
		ans = stdoutJSON(geminiOut{Decision: "deny", Reason: denial(d)})
	}
	ans.Kept = d.Context()
	return ans
}

// geminiSkipsQuestion knows the tools that run without a question although the
// hook answers "ask": the user may have trusted an MCP server, and then Gemini
// CLI has no dialog for its tools.
func geminiSkipsQuestion(tool string) bool { return strings.HasPrefix(tool, "mcp_") }

func geminiContext(event string, d sentinel.Decision) Answer {
	out := geminiOut{SystemMessage: takeNotice(&d)}
	if context := join(d.Context()); context != "" {
		out.Specific = &claudeOut{HookEventName: event, AdditionalContext: context}
	}
	if out == (geminiOut{}) {
		return Answer{}
	}
	return stdoutJSON(out)
}

// marks knows the names of events that Gemini CLI alone has, and the folder of
// its transcripts, since the names of the others are common.
func (gemini) marks(in payload) bool {
	if !pascalCase(in) {
		return false
	}
	switch name, _ := in.text("hook_event_name"); name {
	case "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress":
		return true
	}
	transcript, err := in.text("transcript_path")
	return err == nil && strings.Contains(slashed(transcript), "/.gemini/")
}

// sends also knows the end of a session with time and transcript: of the agents
// that send the time, VS Code has no such event and Copilot CLI sends no path.
func (g gemini) sends(in payload) bool {
	if g.marks(in) {
		return true
	}
	name, _ := in.text("hook_event_name")
	return name == "SessionEnd" && in.has("timestamp") && in.has("transcript_path") && !in.has("cursor_version", "conversation_id") &&
		!codex{}.marks(in) && !qwen{}.marks(in)
}
