package project_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// A second agent that no hook guards is asked about; one with its hooks is not.
func TestSecondAgent(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{"packages/api/x": ""})
	for verdict, lines := range map[sentinel.Verdict]string{
		sentinel.VerdictAsk: `
			claude --bare -p 'fix it'
			claude -p hi --setting-sources ''
			claude --setting-sources= -p hi
			claude --settings '{}' -p hi
			claude --settings '{"disableAllHooks":true}' -p hi
			claude --settings=/tmp/x.json -p hi
			claude --dangerously-skip-permissions -p hi
			claude --permission-mode bypassPermissions -p hi
			HOME=/tmp/x claude -p hi
			XDG_STATE_HOME=/tmp/x claude -p hi
			export XDG_STATE_HOME=/tmp/x; codex exec hi
			env SENTINEL_CONFIG_DIR=/tmp/x claude -p hi
			env CLAUDE_CONFIG_DIR=/tmp/x claude -p hi
			cd /tmp && claude -p 'cd /repo && git push --force'
			(cd .. && claude --print 'x')
			claude mcp add x -- sh -c 'rm -rf src'
			claude mcp add-json x '{"command":"sh"}'
			claude plugin disable sentinel
			npx claude --bare -p hi
			npx -y @anthropic-ai/claude-code@latest --bare -p hi
			npm exec @google/gemini-cli -- --yolo
			bunx @qwen-code/qwen-code@0.1 -y hi
			npx @openai/codex@latest --yolo
			nohup claude --bare -p hi &
			bash -c 'claude --bare -p hi'
			codex --dangerously-bypass-approvals-and-sandbox exec 'x'
			codex exec --yolo 'x'
			codex exec -c features.hooks=false 'x'
			codex exec -s danger-full-access x
			CODEX_HOME=/tmp/x codex exec hi
			cd /tmp; codex exec 'x'
			codex mcp add x -- sh
			gemini --yolo -p x
			gemini -y -p x
			gemini --approval-mode yolo -p x
			gemini hooks disable-all
			gemini extensions uninstall sentinel
			qwen --yolo -p hi
			copilot --allow-all-tools -p hi
			copilot --yolo -p hi
			cursor-agent -f -p hi
			cd /tmp && opencode run hi
			tmux new-session -d 'claude --bare -p hi'`,
		sentinel.VerdictAllow: `
			claude --version
			claude --help
			claude -p 'explain main.go'
			npx @anthropic-ai/claude-code@latest -p 'explain main.go'
			npm install -g @anthropic-ai/claude-code@latest
			claude mcp list
			claude doctor
			codex exec 'explain'
			codex --version
			cd packages/api && claude -p 'explain'
			cd ` + d.dir + ` && claude -p 'explain'
			cd /tmp && claude --version
			export EDITOR=vi; claude -p 'explain'
			export XDG_STATE_HOME=/tmp/x; make
			gemini -p 'explain --yolo'
			gemini --version
			copilot -p 'explain'
			echo claude --bare
			git commit -m 'claude --bare is asked about'
			grep -rn -- --yolo docs
			opencode run hi
			cat ~/.claude/settings.json`,
	} {
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); line != "" {
				require.Equal(t, verdict, d.decide(command(d.dir, line)).Verdict, line)
			}
		}
	}
}

// A call that Sentinel's own rules cannot decide is asked about, in an open project too.
func TestOwnRulesAreNotOpen(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/config.yaml": "backend: builtin\nfail_open: true\n"})
	many := strings.Repeat("a ", 3000)
	require.Equal(t, sentinel.VerdictAsk, d.decide(command(d.dir, "claude "+many+"--bare")).Verdict)
	require.Equal(t, sentinel.VerdictAllow, d.decide(command(d.dir, "echo "+many+"--bare")).Verdict)
}
