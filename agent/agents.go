package agent

//go:generate go test -run=^(TestGolden|TestWaits|TestTables)$ . -update

import (
	"github.com/agentsentinel/sentinel/agent/internal/amazonq"
	"github.com/agentsentinel/sentinel/agent/internal/claude"
	"github.com/agentsentinel/sentinel/agent/internal/cline"
	"github.com/agentsentinel/sentinel/agent/internal/codex"
	"github.com/agentsentinel/sentinel/agent/internal/copilot"
	"github.com/agentsentinel/sentinel/agent/internal/cursor"
	"github.com/agentsentinel/sentinel/agent/internal/gemini"
	"github.com/agentsentinel/sentinel/agent/internal/kiro"
	"github.com/agentsentinel/sentinel/agent/internal/opencode"
	"github.com/agentsentinel/sentinel/agent/internal/pi"
	"github.com/agentsentinel/sentinel/agent/internal/qwen"
	"github.com/agentsentinel/sentinel/agent/internal/vscode"
	"github.com/agentsentinel/sentinel/agent/internal/windsurf"
)

// builtin are the agents that Sentinel knows, in the order in which they are shown. The
// first one is the default of `sentinel init`. The values are never changed: this table
// and theirs are laid out by the compiler, so that a hook process builds none of them.
var builtin = [...]*Agent{
	&claude.Agent,
	&codex.Agent,
	&copilot.Agent,
	&vscode.Agent,
	&cursor.Agent,
	&gemini.Agent,
	&qwen.Agent,
	&opencode.Agent,
	&pi.Agent,
	&cline.Agent,
	&cline.Program,
	&windsurf.Agent,
	&amazonq.Agent,
	&kiro.Agent,
}

// The formats of the records of sessions that can be read: the values of [Sessions].Format.
// Each is called like the agent that introduced it.
const (
	FormatClaude  = claude.Name
	FormatCodex   = codex.Name
	FormatCopilot = copilot.Name
	FormatGemini  = gemini.Name
	FormatPi      = pi.Name
	FormatQwen    = qwen.Name
	FormatVSCode  = vscode.Name // Copilot CLI's, with marks of the editor
)
