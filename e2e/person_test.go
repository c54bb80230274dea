package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// A question is one that Claude Code asks its user.
type question struct {
	Tool  string `json:"tool_name"`
	Input struct {
		Command string
		Path    string `json:"file_path"`
	}
	Reason string `json:"decision_reason"`
}

// claudeWithPerson is claude with a person there who says yes to the questions that they
// look at, by the protocol of the programs that Claude Code is a part of. It asks while the
// hook before the question still runs, and goes by the first answer.
func (r *repository) claudeWithPerson(looks func(question) bool, script ...fakeserver.Step) (asked []question, server *fakeserver.AnthropicServer) {
	r.t.Helper()
	r.setSpy()
	server = fakeserver.NewAnthropicServer(r.t, script...)
	cmd := exec.CommandContext(r.t.Context(), claudeCode.installed(r.t)[0], "-p", "--output-format", "stream-json", "--input-format", "stream-json", "--verbose",
		"--permission-prompt-tool", "stdio", "--permission-mode", "default")
	cmd.Dir = r.dir
	cmd.Env = r.env("ANTHROPIC_BASE_URL="+server.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=0",
		"DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_TELEMETRY=1", "PATH="+filepath.Join(r.spyDir(), "bin")+":"+strings.TrimPrefix(r.env()[0], "PATH="))
	in, err := cmd.StdinPipe()
	require.NoError(r.t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(r.t, err)
	ownGroup(cmd)
	require.NoError(r.t, cmd.Start())
	r.started = append(r.started, cmd)
	_, err = io.WriteString(in, `{"type":"user","message":{"role":"user","content":"`+prompt+`"}}`+"\n")
	require.NoError(r.t, err)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var ev struct {
			Type    string
			ID      string `json:"request_id"`
			Request json.RawMessage
		}
		require.NoError(r.t, json.Unmarshal(lines.Bytes(), &ev), lines.Text())
		switch ev.Type {
		case "control_request":
			var q question
			var raw struct{ Input json.RawMessage }
			require.NoError(r.t, json.Unmarshal(ev.Request, &q))
			require.NoError(r.t, json.Unmarshal(ev.Request, &raw))
			if asked = append(asked, q); !looks(q) {
				continue
			}
			yes := map[string]any{"behavior": "allow", "updatedInput": raw.Input}
			answer := map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": ev.ID, "response": yes}}
			_, err := in.Write(append(mustJSON(answer), '\n'))
			require.NoError(r.t, err)
		case "result":
			in.Close()
		}
	}
	require.NoError(r.t, cmd.Wait())
	return asked, server
}

// trashed are the files in the trash of the user.
func (r *repository) trashed(name string) []string {
	found, err := filepath.Glob(filepath.Join(r.home, ".local", "state", "sentinel-trash", "*", "*", name))
	require.NoError(r.t, err)
	return found
}

// A person's yes runs the command that loses nothing, where that was offered, and the
// hook before the question is silent.
func TestClaudeIsOfferedUndo(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.write("src/a.ts", "a\n")
	r.write("src/b.ts", "b\n")
	r.initSentinel()
	r.write(".claude/sentinel/config.yaml", "backend: builtin\noffer_undo: true\n")
	for _, name := range []string{"recursive-delete", "delete-many"} {
		r.write(".claude/sentinel/rules/"+name+".yaml", "mode: \"off\"\ntrigger: bash\nbackend: builtin\nwhen: \"true\"\n")
	}
	r.write(".claude/sentinel/rules/ask.yaml", "trigger: bash\nseverity: ask\nundo: any\nscope: [\"rm *\"]\nbackend: builtin\nwhen: \"true\"\nmessage: Look first.\n")

	asked, server := r.claudeWithPerson(func(question) bool { return true }, bash("rm -r src"), fakeserver.Text("Done."))
	require.Len(t, asked, 1)
	assert.Contains(t, asked[0].Reason, "Your yes runs this instead, which loses nothing:\nmkdir -p ")
	assert.True(t, strings.HasSuffix(asked[0].Reason, asked[0].Input.Command), "the person is asked about what runs: %+v", asked[0])
	require.False(t, server.ToolResults()[0].IsError, server.ToolResults()[0].Text)
	_, exists := r.read("src/a.ts")
	assert.False(t, exists)
	assert.Len(t, r.trashed("src/b.ts"), 1)
	questions := slices.DeleteFunc(r.hooks(), func(h spied) bool { return !strings.Contains(h.event, `"PermissionRequest"`) })
	require.Len(t, questions, 1)
	assert.Empty(t, questions[0].stdout+questions[0].stderr)
	r.verify(1, true)
}

// A call that the hook before the tool has not seen is stopped before a person is asked.
func TestClaudeNetBelowTheHook(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)
	settings, _ := r.read(".claude/settings.json")
	r.write(".claude/settings.json", strings.Replace(settings, `"PreToolUse"`, `"PreCompact"`, 1))

	secret := r.path("src/billing/invoice.ts")
	_, server := r.claudeWithPerson(func(q question) bool { return q.Input.Path != secret },
		write(secret, "export const total = 0\n"), write(r.path("src/app.ts"), "x\n"), fakeserver.Text("Done."))
	results := server.ToolResults()
	require.Len(t, results, 2)
	assert.True(t, results[0].IsError)
	assert.Contains(t, results[0].Text, billingText)
	_, exists := r.read("src/billing/invoice.ts")
	assert.False(t, exists)
	assert.False(t, results[1].IsError, results[1].Text)
}

// codexWithPerson lets Codex work in a session that may write nothing by itself, with a
// person there who says yes to every question, by the protocol of the editors that Codex is
// a part of.
func codexWithPerson(r *repository, script ...turn) (asked []string, model *scriptedModel) {
	r.t.Helper()
	r.setSpy()
	model = newScriptedModel(r.t, script...)
	_, env := codex.start(r, model.url)
	approveHooks(r, env)
	cmd := exec.CommandContext(r.t.Context(), codex.installed(r.t)[0], "app-server")
	cmd.Dir, cmd.Env = r.dir, r.env(append(env, "PATH="+filepath.Join(r.spyDir(), "bin")+":"+os.Getenv("PATH"))...)
	in, err := cmd.StdinPipe()
	require.NoError(r.t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(r.t, err)
	ownGroup(cmd)
	require.NoError(r.t, cmd.Start())
	r.started = append(r.started, cmd)
	send := func(format string, args ...any) {
		_, err := fmt.Fprintf(in, format+"\n", args...)
		require.NoError(r.t, err)
	}
	send(`{"id":"hello","method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}`)
	send(`{"method":"initialized"}`)
	send(`{"id":"start","method":"thread/start","params":{"cwd":%q,"approvalPolicy":"on-request","sandbox":"read-only"}}`, r.dir)
	for lines := json.NewDecoder(out); ; {
		var msg struct {
			ID     json.RawMessage
			Method string
			Result struct{ Thread struct{ ID string } }
		}
		require.NoError(r.t, lines.Decode(&msg))
		switch {
		case msg.Method == "turn/completed":
			require.NoError(r.t, in.Close())
			require.NoError(r.t, cmd.Wait())
			return asked, model
		case msg.Method != "" && msg.ID != nil:
			asked = append(asked, msg.Method)
			send(`{"id":%s,"result":{"decision":"accept"}}`, msg.ID)
		case string(msg.ID) == `"start"`:
			send(`{"id":"turn","method":"turn/start","params":{"threadId":%q,"input":[{"type":"text","text":%q}]}}`, msg.Result.Thread.ID, prompt)
		}
	}
}

// The net below the hook holds in Codex, and is silent where the hook before the tool has
// answered for the call.
func TestCodexNetBelowTheHook(t *testing.T) {
	for _, seen := range []bool{true, false} {
		t.Run(fmt.Sprintf("seen %t", seen), func(t *testing.T) {
			r := codex.ready(t, map[string]string{"protect-billing": protectBilling})
			calls := []call{codex.write(r, "src/billing/invoice.ts", "export {}\n"), codex.write(r, "src/app.ts", "x\n"), {"exec_command", map[string]any{
				"cmd": "echo 1 > src/other.ts", "sandbox_permissions": "require_escalated", "justification": "It is needed.",
			}}}
			if !seen {
				r.write(".codex/hooks.json", strings.Replace(r.files()[".codex/hooks.json"], `"PreToolUse"`, `"PreCompact"`, 1))
			}
			asked, _ := codexWithPerson(r, calling(calls[0]), calling(calls[1]), calling(calls[2]), says("Done."))
			_, exists := r.read("src/billing/invoice.ts")
			assert.False(t, exists)
			assert.Len(t, asked, 2, "%v", asked)
			questions, denied := 0, 0
			for _, h := range r.hooks() {
				if strings.Contains(h.event, `"PermissionRequest"`) {
					questions++
					denied += strings.Count(h.stdout, `"behavior":"deny"`)
				}
			}
			want := map[bool][]int{true: {2, 0}, false: {3, 1}}[seen] // what was denied before the tool comes to no question
			assert.Equal(t, want, []int{questions, denied})
		})
	}
}
