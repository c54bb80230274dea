package project_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// A command that could let an agent through is asked about, in any spelling; a text
// that only mentions one is not.
func TestOwnCommands(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{})
	for verdict, lines := range map[sentinel.Verdict]string{
		sentinel.VerdictAsk: `
			sentinel allow K7QX
			echo y | sentinel allow K7QX
			script -qc 'sentinel allow K7QX' /dev/null
			env -u CLAUDECODE setsid -f sentinel pause 8h
			tmux send-keys -t 0 'sentinel allow K7QX' Enter
			screen -S x -X stuff 'sentinel allow K7QX\n'
			expect -c 'spawn sentinel allow K7QX; expect y; send y'
			python3 -c "import pty; pty.spawn(['sentinel','allow','K7QX'])"
			echo 'sentinel allow K7QX' | at now
			(crontab -l; echo '* * * * * sentinel pause 8h') | crontab -
			wezterm cli send-text 'sentinel pause 8h'
			kitty @ send-text 'sentinel allow K7QX'
			xdotool type 'sentinel allow K7QX'
			osascript -e 'tell app "Terminal" to do script "sentinel allow K7QX"'
			$(which sentinel) allow K7QX
			sentinel rules new --id a --trigger bash --scope 'ls*' --when true --yes
			sentinel rules --json=false new --yes=true --id a
			sentinel rules new --id a $OPTIONS
			cp $(command -v sentinel) /tmp/x
			ln -s ~/go/bin/sentinel /tmp/x
			mv /usr/local/bin/sentinel /tmp/x`,
		sentinel.VerdictAllow: `
			which sentinel
			sentinel rules new --id a --trigger bash --scope 'ls*' --when true
			sentinel check --bash 'ls'
			sentinel doctor
			echo 'run sentinel allow K7QX in a terminal of your own'
			git commit -m 'say how sentinel allow works'
			grep -rn 'sentinel pause' docs
			tmux new-session -d 'npm run dev'
			crontab -l
			cp -r .claude/sentinel /tmp/backup
			mv internal/sentinel internal/guard
			ls bin/sentinel`,
	} {
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); line != "" {
				require.Equal(t, verdict, d.decide(command(d.dir, line)).Verdict, line)
			}
		}
	}
}

// Sentinel's folders are guarded whatever they are called, and so is the program.
func TestOwnFiles(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{})
	for _, name := range []string{"state", "we[i]rd {x", "a*b", "[!x]", "{", "[", `back\slash`} {
		if runtime.GOOS == "windows" && strings.ContainsAny(name, `*\`) {
			continue // no name there
		}
		d.opts.StateDir = filepath.Join(filepath.Dir(d.dir), name, "sentinel")
		require.NoError(t, os.MkdirAll(d.opts.StateDir, 0o700))
		ev := write(d.dir, filepath.Join(d.opts.StateDir, "paused"))
		require.Equal(t, sentinel.VerdictAsk, d.decide(ev).Verdict, name)
		p := project.Open([]string{d.dir}, &d.opts)
		dec, err := p.Evaluate(t.Context(), command(d.dir, "ls"))
		require.NoError(t, err, name)
		require.Equal(t, sentinel.VerdictAllow, dec.Verdict, name)
	}
	self, err := os.Executable()
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictAsk, d.decide(write(d.dir, self)).Verdict)
	require.Equal(t, sentinel.VerdictAsk, d.decide(command(d.dir, "rm -f '"+self+"'")).Verdict)
}

// A process with the key can seal what counts as the user's word.
func TestOwnKey(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{})
	key := filepath.Join(d.opts.StateDir, "key")
	for line, want := range map[string]sentinel.Verdict{
		"cat '" + key + "'":                                 sentinel.VerdictAsk,
		"cp '" + key + "' /tmp/k":                           sentinel.VerdictAsk,
		"python3 -c \"open('" + key + "').read()\"":         sentinel.VerdictAsk,
		"cat '" + filepath.Join(d.opts.StateDir, "x") + "'": sentinel.VerdictAllow,
		"cat key": sentinel.VerdictAllow,
	} {
		require.Equal(t, want, d.decide(command(d.dir, line)).Verdict, line)
	}
}

// Without any rules Sentinel's own ones hold all the same, and ask about nothing
// that is not Sentinel's.
func TestOwnRulesNeedNoFolder(t *testing.T) {
	t.Parallel()
	dir := tree{
		"repo/README.md": "", "repo/.claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"sentinel hook"}]}]}}`,
		"repo/.cursor/hooks.json": `{}`, "home/.codex/hooks.json": `{"hooks":[{"command":"/usr/bin/sentinel hook"}]}`, "home/.gemini/settings.json": "{}",
	}.write(t)
	repo, home := filepath.Join(dir, "repo"), filepath.Join(dir, "home")
	o := project.Options{StateDir: filepath.Join(home, ".local/state/sentinel"), Home: home, ForAgent: true}
	for _, tt := range []struct {
		ev   sentinel.Event
		want sentinel.Verdict
	}{
		{write(repo, "README.md"), sentinel.VerdictAllow},
		{command(repo, "git push --force"), sentinel.VerdictAllow},
		{command(repo, "rm -f *.tmp"), sentinel.VerdictAllow},
		{command(repo, "rm -rf .cursor"), sentinel.VerdictAllow},
		{write(repo, ".cursor/hooks.json"), sentinel.VerdictAllow},
		{write(repo, ".claude/settings.local.json"), sentinel.VerdictAllow},
		{write(repo, "docs/.claude/settings.json"), sentinel.VerdictAllow},
		{write(repo, filepath.Join(home, ".gemini/settings.json")), sentinel.VerdictAllow},
		{command(repo, "cat .claude/settings.json"), sentinel.VerdictAllow},
		{command(repo, strings.Repeat("echo $(", 200)+"ls"+strings.Repeat(")", 200)), sentinel.VerdictAllow},

		{command(repo, "sentinel trust"), sentinel.VerdictAsk},
		{command(repo, "sentinel accept --yes"), sentinel.VerdictAsk},
		{write(repo, ".claude/settings.json"), sentinel.VerdictAsk},
		{command(repo, "rm -rf .claude"), sentinel.VerdictAsk},
		{command(repo, "mv .claude/settings.json /tmp/x"), sentinel.VerdictAsk},
		{writing(repo, ".claude/settings.local.json", `{"disableAllHooks": true}`), sentinel.VerdictAsk},
		{write(repo, filepath.Join(home, ".codex/hooks.json")), sentinel.VerdictAsk},
		{command(repo, "rm -rf "+filepath.Join(home, ".codex")), sentinel.VerdictAsk},
		{write(repo, ".claude/sentinel/rules/a.yaml"), sentinel.VerdictAsk},
		{write(repo, filepath.Join(o.StateDir, "pins/x")), sentinel.VerdictAsk},
	} {
		p := project.Open([]string{repo}, &o)
		require.Empty(t, p.Folders)
		d, err := p.Evaluate(t.Context(), tt.ev)
		require.NoError(t, err)
		require.Equal(t, tt.want, d.Verdict, "%s %s: %s", tt.ev.Tool.Name, tt.ev.Tool.Args, d.Reason())
	}
}

func writing(dir, path, content string) sentinel.Event {
	args, _ := json.Marshal(map[string]string{"file_path": path, "content": content})
	return sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: dir, Tool: sentinel.ToolCall{Name: "Write", Args: args}}
}

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
