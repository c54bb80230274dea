package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/judge/claude"
	"github.com/agentsentinel/sentinel/internal/recursion"
	"github.com/agentsentinel/sentinel/sentineltest"
)

// answerTool is how Claude Code has a model answer in the form of a schema. Only
// the judge's requests offer it.
const answerTool = "StructuredOutput"

func verdict(violation bool, confidence float64, reason string) fakeserver.Step {
	return fakeserver.ToolUse(answerTool, map[string]any{"violation": violation, "confidence": confidence, "reason": reason})
}

// scripted is what Claude Code, the agent's and the judge's, is told about the
// model server. Variables, so that the hook passes them on as it does a person's.
func scripted(server *fakeserver.AnthropicServer) []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + server.URL,
		"ANTHROPIC_API_KEY=dummy",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_ERROR_REPORTING=1",
		"DISABLE_TELEMETRY=1",
	}
}

// onPath is a folder in which the real Claude Code is called claude.
func onPath(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Symlink(claudeCode.installed(t)[0], filepath.Join(dir, "claude")))
	return dir
}

// useClaude makes Claude Code the judge of the rule, and leaves things about that
// a judge must not touch: hooks of the user's and the project's that leave marks,
// instructions for agents, and an MCP server.
func (r *repository) useClaude(failOpen bool) {
	r.t.Helper()
	r.initSentinel()
	config := "backend: claude\ntimeout_ms: 15000 # the machine may be busy with other tests\ncache: {enabled: false}\ncontext: {enabled: false}\nscribe: {enabled: false}\nlog_file: " + logFile + "\n"
	if !failOpen {
		config += "fail_open: false\n"
	}
	r.write(".claude/sentinel/config.yaml", config)
	r.write(".claude/sentinel/rules/judged.yaml", judged)
	res := r.sentinel("", "trust", "--yes") // the configuration is another one than init wrote
	require.Zero(r.t, res.exit, "sentinel trust:\n%s%s", res.stdout, res.stderr)

	mark := func(where string) map[string]any {
		hooks := map[string]any{}
		for _, event := range []string{"SessionStart", "UserPromptSubmit", "Stop"} {
			command := "echo " + where + " " + event + " >> " + filepath.Join(r.home, "marks")
			hooks[event] = []any{map[string]any{"hooks": []any{map[string]string{"type": "command", "command": command}}}}
		}
		return hooks
	}
	data, err := json.Marshal(map[string]any{"hooks": mark("user")})
	require.NoError(r.t, err)
	require.NoError(r.t, os.MkdirAll(filepath.Join(r.home, ".claude"), 0o755))
	require.NoError(r.t, os.WriteFile(filepath.Join(r.home, ".claude", "settings.json"), data, 0o644))
	require.NoError(r.t, os.WriteFile(filepath.Join(r.home, ".claude", "CLAUDE.md"), []byte("MEMORY of the user\n"), 0o644))
	r.write("CLAUDE.md", "MEMORY of the project\n")
	r.write(".mcp.json", `{"mcpServers":{"marker":{"command":"sh","args":["-c","echo mcp >> `+filepath.Join(r.home, "marks")+`"]}}}`)
}

// judgedSession lets Claude Code work through a script, judged by Claude Code.
func (r *repository) judgedSession(judge fakeserver.Step, script ...fakeserver.Step) *session {
	r.t.Helper()
	program := onPath(r.t)
	server := fakeserver.NewAnthropicServer(r.t, script...)
	server.SetToolAnswer(answerTool, judge)
	env := r.env(append(scripted(server), "PATH="+program+string(os.PathListSeparator)+r.bin+string(os.PathListSeparator)+os.Getenv("PATH"))...)
	res := r.run("", env, filepath.Join(program, "claude"), "-p", "Do the task.", "--output-format", "json",
		"--permission-mode", "acceptEdits", "--allowedTools", "Write,Edit,Read,Bash")
	require.Zero(r.t, res.exit, "Claude Code failed:\n%s%s", res.stdout, res.stderr)
	return &session{t: r.t, server: server}
}

// judgements are the bodies of what the judge's model was asked.
func (s *session) judgements() []string {
	var bodies []string
	for _, req := range s.server.Requests() {
		if strings.Contains(string(req.Body), `"`+answerTool+`"`) {
			bodies = append(bodies, string(req.Body))
		}
	}
	return bodies
}

// The judge is started from the agent's own hook, and is an agent of the same
// kind. It judges, once, and does nothing else.
func TestClaudeIsJudgedByClaude(t *testing.T) {
	for name, c := range map[string]struct {
		judge   fakeserver.Step
		blocked bool
	}{
		"violation": {verdict(true, 0.9, "It is full of jargon."), true},
		"clean":     {fakeserver.ToolUse(answerTool, json.RawMessage(`{"violation":false,"confidence":0.9}`)), false},
	} {
		t.Run(name, func(t *testing.T) {
			begin(t)
			r := newRepository(t)
			r.useClaude(false)
			secret := filepath.Join(r.home, "secret.txt")
			require.NoError(t, os.WriteFile(secret, []byte("MEMORY of a secret\n"), 0o600))

			page := "# Page\n\nSee @" + secret + " and @README.md and @" + r.path("README.md") + "\n"
			s := r.judgedSession(c.judge, write(r.path("docs/page.md"), page), fakeserver.Text("Done."))

			result := s.results(1)[0]
			_, written := r.read("docs/page.md")
			assert.Equal(t, c.blocked, result.IsError, result.Text)
			assert.Equal(t, !c.blocked, written)
			if c.blocked {
				assert.Contains(t, result.Text, "It is full of jargon.")
			}
			rec := r.judgements()[result.ID]
			assert.Equal(t, "claude", rec.Backend, "%+v", rec)
			assert.Equal(t, "haiku", rec.Model)
			assert.Equal(t, c.blocked, rec.Violation)
			assert.NotZero(t, rec.OutputTokens)

			asked := s.judgements()
			require.Len(t, asked, 1, "one judgement is one request")
			var req struct {
				Tools     []json.RawMessage
				MaxTokens int `json:"max_tokens"`
				Thinking  any
			}
			require.NoError(t, json.Unmarshal([]byte(asked[0]), &req))
			assert.Len(t, req.Tools, 1, "the judge has tools")
			assert.Equal(t, 300, req.MaxTokens)
			assert.Nil(t, req.Thinking)
			assert.True(t, strings.Contains(asked[0], "Documentation is written in plain words."), "the rule is not in it")
			assert.False(t, strings.Contains(asked[0], "MEMORY"), "the judge reads what it was not shown")
			assert.False(t, strings.Contains(asked[0], "# A project"), "the judge reads what the text mentions")

			marks, err := os.ReadFile(filepath.Join(r.home, "marks"))
			require.NoError(t, err)
			for _, event := range []string{"SessionStart", "UserPromptSubmit", "Stop"} {
				assert.Equal(t, 1, strings.Count(string(marks), "user "+event), "the judge ran hooks:\n%s", marks)
			}
			// What works on the session after it asks the judge, too.
			assert.Eventually(t, func() bool {
				tokens, err := os.ReadDir(filepath.Join(r.home, ".local", "state", "sentinel", "judging"))
				return err == nil && len(tokens) == 0
			}, hang, 20*time.Millisecond, "a token was left")
		})
	}
}

// A failure of the judge never lets the action through where rules are strict.
func TestClaudeIsNotJudged(t *testing.T) {
	for name, c := range map[string]struct {
		judge fakeserver.Step
		says  string
	}{
		"prose":   {fakeserver.Text("Looks fine to me!"), "form asked for"},
		"cut":     {verdict(false, 0.9, "").Stopped("max_tokens"), "cut"},
		"another": {fakeserver.ToolUse(answerTool, json.RawMessage(`{"violation":"no"}`)), "form asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			begin(t)
			r := newRepository(t)
			r.useClaude(false)
			s := r.judgedSession(c.judge, write(r.path("docs/page.md"), "# Page\n"), fakeserver.Text("Done."))

			result := s.results(1)[0]
			_, written := r.read("docs/page.md")
			assert.False(t, written)
			assert.True(t, result.IsError)
			assert.Contains(t, result.Text, "could not be judged")
			rec := r.judgements()[result.ID]
			assert.Equal(t, "unavailable", rec.Outcome)
			assert.Contains(t, rec.Error, c.says)
		})
	}
}

// A hook that was started from a judge stays silent, and no other process can make it so.
func TestHookOfAJudge(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	program := filepath.Join(r.bin, "sentinel")
	hook := func(variable string) result {
		return r.run(r.event("git push --force"), r.env(variable), program, "hook")
	}
	variable, leave, err := recursion.Enter(filepath.Join(r.home, ".local", "state", "sentinel"))
	require.NoError(t, err)
	assert.Equal(t, result{}, hook(variable))
	leave()
	for _, value := range []string{variable, recursion.Variable + "=1", recursion.Variable + "=" + strings.Repeat("0", 32)} {
		assert.Equal(t, 2, hook(value).exit, "%s switches Sentinel off", value)
	}
}

// The real program keeps the contract of a backend.
func TestContractOfClaude(t *testing.T) {
	begin(t)
	program := claudeCode.installed(t)[0]
	r := newRepository(t)
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		server := fakeserver.NewAnthropicServer(t)
		server.SetToolAnswer(answerTool, verdict(true, 0.9, "it is one"))
		return backend.Timed(claude.New(&claude.Options{Path: program, StateDir: t.TempDir(), Env: r.env(scripted(server)...)}))
	})
}
