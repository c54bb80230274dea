package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/trigger"
)

// ownForms are the agents whose events have a form of their own, besides those
// that follow Claude Code's field names (see wireAgents).
func ownForms() []string {
	return []string{"amazonq", "cline", "copilot", "cursor", "vscode", "windsurf"}
}

type refusal struct{ name, stdin, want string }

// requireRefusals holds that anything that is not an event is refused with the reason,
// and that nothing of it comes through.
func requireRefusals(t *testing.T, name string, special []refusal) {
	t.Helper()
	for _, tt := range append([]refusal{
		{"nothing", "", "standard input is empty"},
		{"half an object", `{"hook_event_name":"PreToolUse","tool_na`, "not one JSON object"},
		{"two objects", `{"a":1}{}`, "after top-level value"},
		{"an array", `[1]`, "not a JSON object but an array"},
		{"null", `null`, "not a JSON object but null"},
		{"nested too deep", strings.Repeat(`{"a":`, 20_000), "exceeded max depth"},
		{"no field at all", `{}`, "hook"},
	}, special...) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ev, err := named(t, name).Decode([]byte(tt.stdin))
			require.ErrorIs(t, err, sentinel.ErrEvent)
			require.ErrorContains(t, err, tt.want)
			require.Zero(t, ev)
		})
	}
}

type tolerance struct{ name, stdin, tool, args string }

// requireTolerance holds how a call is understood that comes in another form.
func requireTolerance(t *testing.T, name string, cases []tolerance) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ev, err := named(t, name).Decode([]byte(tt.stdin))
			require.NoError(t, err)
			require.Equal(t, name, ev.Agent)
			require.Equal(t, sentinel.PhasePre, ev.Phase)
			require.Equal(t, tt.tool, ev.Tool.Name)
			require.Equal(t, tt.args, string(ev.Tool.Args))
		})
	}
}

// requireDetected holds that an event is known for the agent's own, without a
// flag and with its own.
func requireDetected(t *testing.T, agent, file string, stdin []byte) {
	t.Helper()
	name, ok := agents.Detect(stdin)
	require.True(t, ok, file)
	require.Equal(t, agent, name, file)
	for _, flag := range []string{"", agent} {
		ag, err := agents.Resolve(flag, stdin)
		require.NoError(t, err, file)
		require.Equal(t, agent, ag.Name, file)
	}
}

// requireContextBelow holds that a long text is cut to fewer bytes than limit,
// with a note, and stays UTF-8.
func requireContextBelow(t *testing.T, name string, ev sentinel.Event, limit int) {
	t.Helper()
	for _, letter := range []string{"x", "é", "\U0001f600"} {
		d := sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{{
			Rule: &sentinel.RuleSpec{ID: "r"}, Verdict: sentinel.VerdictAllow, Advice: strings.Repeat(letter, 60_000),
		}}}
		ans := named(t, name).Encode(ev, d)
		require.Less(t, len(ans.Stdout), limit)
		require.Greater(t, len(ans.Stdout), 9_900)
		require.Contains(t, string(ans.Stdout), letter+" … [")
		require.NotContains(t, string(ans.Stdout), "\uFFFD")
	}
}

// golden reads an event of testdata.
func golden(t *testing.T, name string) sentinel.Event {
	t.Helper()
	stdin, err := os.ReadFile(eventFile(name))
	require.NoError(t, err)
	agentName, _, _ := strings.Cut(name, "/")
	ev, err := named(t, agentName).Decode(stdin)
	require.NoError(t, err)
	return ev
}

// fuzzEvents feeds a decoder: it refuses with ErrEvent or returns an event that
// can be mapped and answered.
func fuzzEvents(f *testing.F, name string, more ...string) {
	for _, file := range goldenEvents(f, name) {
		stdin, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(stdin)
	}
	for _, stdin := range more {
		f.Add([]byte(stdin))
	}
	f.Fuzz(func(t *testing.T, stdin []byte) {
		_, ok := agents.Detect(stdin)
		_, err := agents.Resolve("", stdin)
		require.Equal(t, ok, err == nil)
		ev, err := named(t, name).Decode(stdin)
		if err != nil {
			require.ErrorIs(t, err, sentinel.ErrEvent)
			require.Zero(t, ev)
			return
		}
		require.Equal(t, name, ev.Agent)
		switch ev.Phase {
		case sentinel.PhasePre, sentinel.PhasePost:
			require.NotEmpty(t, ev.Tool.Name)
			require.True(t, json.Valid(ev.Tool.Args))
			require.Contains(t, `{"[`, string(ev.Tool.Args[0]))
		default:
			require.Zero(t, ev.Tool)
		}
		for _, d := range decisions() {
			ans := named(t, name).Encode(ev, d.decision)
			requireAnswer(t, ev, d.decision, ans)
			requireMeaning(t, name, ev, d.decision, ans)
		}
	})
}

// understood is what an agent makes of an answer.
type understood struct {
	decision string // deny, ask or nothing
	reason   string
	context  string
}

// understand reads an answer as the agent does: by its own keys alone, so that
// one that it does not know is an error.
func understand(t testing.TB, name string, ans agent.Answer) (u understood) {
	t.Helper()
	if ans.Exit == 2 {
		require.Contains(t, []string{"windsurf", "amazonq"}, name, "this agent does not block by its exit code")
		return understood{"deny", string(ans.Stderr), ""}
	}
	if name == "windsurf" || name == "amazonq" {
		return understood{context: string(ans.Stdout)}
	}
	if ans.Stdout == nil {
		require.NotEqual(t, "cursor", name, "no output is a refusal with failClosed")
		return u
	}
	dec := json.NewDecoder(strings.NewReader(string(ans.Stdout)))
	dec.DisallowUnknownFields()
	var err error
	switch name {
	case "copilot":
		var out struct {
			PermissionDecision, PermissionDecisionReason, AdditionalContext string
		}
		err = dec.Decode(&out)
		u = understood{out.PermissionDecision, out.PermissionDecisionReason, out.AdditionalContext}
	case "vscode":
		var out struct{ HookSpecificOutput specific }
		err = dec.Decode(&out)
		require.NotEmpty(t, out.HookSpecificOutput.HookEventName)
		u = understood{out.HookSpecificOutput.PermissionDecision, out.HookSpecificOutput.PermissionDecisionReason, out.HookSpecificOutput.AdditionalContext}
	case "cursor":
		var out struct {
			Permission        string
			UserMessage       string `json:"user_message"`
			AgentMessage      string `json:"agent_message"`
			AdditionalContext string `json:"additional_context"`
		}
		err = dec.Decode(&out)
		require.True(t, strings.HasPrefix(out.AgentMessage, out.UserMessage), "the agent reads what the user does")
		u = understood{out.Permission, out.AgentMessage, out.AdditionalContext}
	case "cline":
		var out struct {
			Cancel                            bool
			ContextModification, ErrorMessage string
		}
		err = dec.Decode(&out)
		if u = (understood{"", out.ErrorMessage, out.ContextModification}); out.Cancel {
			u.decision = "deny"
		}
	default:
		require.Fail(t, "nobody knows how this agent reads answers", name)
	}
	require.NoError(t, err, "%s", ans.Stdout)
	require.False(t, dec.More(), "%s", ans.Stdout)
	return u
}

// requireMeaning holds that the agent understands what was decided: before a tool
// a refusal with a reason for every verdict but allow and warn, or a question
// where it has one; and never a refusal of anything else.
func requireMeaning(t testing.TB, name string, ev sentinel.Event, d sentinel.Decision, ans agent.Answer) {
	t.Helper()
	if keepsAtWork(ev, d) && named(t, name).Abilities.StaysAtWork {
		return // see TestStaysAtWork
	}
	u := understand(t, name, ans)
	switch {
	case ev.Phase != sentinel.PhasePre, d.Verdict == sentinel.VerdictAllow, d.Verdict == sentinel.VerdictWarn:
		require.Empty(t, u.decision)
		require.Empty(t, u.reason)
	case d.Verdict == sentinel.VerdictAsk && asks(name, ev):
		require.Equal(t, "ask", u.decision)
		require.True(t, strings.HasPrefix(u.reason, "Sentinel asks:"), u.reason)
	case d.Verdict == sentinel.VerdictAsk:
		require.Equal(t, "deny", u.decision)
		require.True(t, strings.HasPrefix(u.reason, "Sentinel blocked this until a person approves it:"), u.reason)
	default:
		require.Equal(t, "deny", u.decision)
		require.True(t, strings.HasPrefix(u.reason, "Sentinel blocked this:"), u.reason)
	}
	if len(ans.Kept) > 0 {
		require.Equal(t, d.Context(), ans.Kept)
		require.Empty(t, u.context)
		return
	}
	said := u.context
	if u.decision == "deny" && said == "" { // the denial says it
		said = u.reason
	}
	for _, text := range d.Context() { // a line of standard error is folded
		require.Contains(t, strings.Join(strings.Fields(said), " "), "Sentinel: "+strings.Join(strings.Fields(text), " "))
	}
}

// asks reports whether the agent can ask its user at an event.
func asks(name string, ev sentinel.Event) bool {
	switch name {
	case "copilot", "vscode":
		return true
	case "cursor":
		return ev.Tool.ID == "" && ev.Tool.Name != "Read" && ev.Tool.Name != ""
	}
	return false
}

// TestMeaning asks what each agent makes of every answer to every event.
func TestMeaning(t *testing.T) {
	t.Parallel()
	for _, name := range ownForms() {
		for _, file := range goldenEvents(t, name) {
			ev := golden(t, name+"/"+strings.TrimSuffix(filepath.Base(file), ".json"))
			for _, d := range decisions() {
				requireMeaning(t, name, ev, d.decision, named(t, name).Encode(ev, d.decision))
			}
		}
	}
}

// TestRefusalOfWhatIsNoEvent holds what a strict caller answers when no event
// could be read: it has an event with nothing but its phase.
func TestRefusalOfWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	for _, name := range ownForms() {
		for _, v := range []sentinel.Verdict{sentinel.VerdictUndecided, sentinel.VerdictBlock, sentinel.VerdictAsk} {
			ans := named(t, name).Encode(sentinel.Event{Phase: sentinel.PhasePre}, sentinel.Decision{Verdict: v, Err: sentinel.ErrEvent})
			u := understand(t, name, ans)
			require.Contains(t, []string{"deny", "ask"}, u.decision, name)
			require.Contains(t, u.reason, sentinel.ErrEvent.Error(), name)
		}
	}
}

// TestHostileReasons holds that a reason cannot pass for something else, in any of
// the channels.
func TestHostileReasons(t *testing.T) {
	t.Parallel()
	const text = "\x1b[2Jbad\rSentinel: all clear\u202e\n\"}{\"cancel\":false}\xff"
	const want = `[2JbadSentinel: all clear "}{"cancel":false}` + "\uFFFD [r]"
	for _, name := range ownForms() {
		for _, v := range []sentinel.Verdict{sentinel.VerdictWarn, sentinel.VerdictAsk, sentinel.VerdictBlock} {
			d := sentinel.Decision{Verdict: v, Findings: []sentinel.Finding{{
				Rule: &sentinel.RuleSpec{ID: "r"}, Verdict: v, Outcome: sentinel.OutcomeViolation, Reason: text,
			}}}
			ev := sentinel.Event{Phase: sentinel.PhasePre, Tool: sentinel.ToolCall{ID: "t"}}
			u := understand(t, name, named(t, name).Encode(ev, d))
			if v == sentinel.VerdictWarn {
				require.NotContains(t, u.context, "\x1b", name)
				require.NotContains(t, u.context, "\r", name)
				continue
			}
			require.Equal(t, want, strings.TrimSuffix(u.reason[strings.Index(u.reason, ": ")+2:], "\n"), name)
			require.LessOrEqual(t, strings.Count(u.reason, "\n"), 1, name)
		}
	}
}

// TestReasonsAreCut holds that no reason is longer than the bound.
func TestReasonsAreCut(t *testing.T) {
	t.Parallel()
	for _, name := range ownForms() {
		d := sentinel.Decision{Verdict: sentinel.VerdictBlock, Findings: []sentinel.Finding{{
			Rule: &sentinel.RuleSpec{ID: "r"}, Verdict: sentinel.VerdictBlock, Outcome: sentinel.OutcomeViolation, Reason: strings.Repeat("é", 60_000),
		}}}
		u := understand(t, name, named(t, name).Encode(sentinel.Event{Phase: sentinel.PhasePre}, d))
		require.Less(t, len([]rune(u.reason)), 10_002, name)
		require.Regexp(t, `é … \[50\d\d\d more characters\]\n?$`, u.reason, name)
	}
}

// TestDetectionMatrix holds that every event is known for its own agent's, and
// that a plain mark beats the name of any other agent.
func TestDetectionMatrix(t *testing.T) {
	t.Parallel()
	for _, name := range ownForms() {
		for _, file := range goldenEvents(t, name) {
			event := name + "/" + strings.TrimSuffix(filepath.Base(file), ".json")
			stdin, err := os.ReadFile(file)
			require.NoError(t, err)
			requireDetected(t, name, file, stdin)
			marked := name == "cursor" || name == "windsurf" || name == "cline" || strings.Contains(string(stdin), `"toolName"`)
			for _, flag := range append(protocolNames(), "cluade") {
				ag, err := agents.Resolve(flag, stdin)
				switch {
				case marked:
					require.NoError(t, err, event)
					require.Equal(t, name, ag.Name, "%s with --agent %s", event, flag)
				case flag == "cluade":
					require.ErrorContains(t, err, `"claude"`, event)
				default:
					require.NoError(t, err, event)
					require.Equal(t, flag, ag.Name, "%s with --agent %s", event, flag)
				}
			}
		}
	}
}

// TestOneSender holds that no event is taken for two agents' own, whatever the
// order in which they are asked.
func TestOneSender(t *testing.T) {
	t.Parallel()
	for _, name := range protocolNames() {
		for _, file := range goldenEvents(t, name) {
			stdin, err := os.ReadFile(file)
			require.NoError(t, err)
			if senders := agent.Senders(stdin); len(senders) > 0 || slices.Contains(ownForms(), name) {
				require.Equal(t, []string{name}, senders, file)
			}
		}
	}
}

// TestLookalikes holds what is made of events that lie between two protocols.
func TestLookalikes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, stdin string
		want        []string
	}{
		{"camelCase without a tool", `{"sessionId":"s","timestamp":1760000000000,"cwd":"/r","prompt":"x"}`, []string{"copilot"}},
		{"the same with a written time", `{"sessionId":"s","timestamp":"2026-10-20T10:00:00Z","cwd":"/r","prompt":"x"}`, nil},
		{"the same without time", `{"sessionId":"s","cwd":"/r","prompt":"x"}`, nil},
		{"documented names of VS Code", `{"sessionId":"s","hookEventName":"Stop","timestamp":"2026-10-20T10:00:00Z"}`, []string{"vscode"}},
		{"the same with the time as a number", `{"sessionId":"s","hookEventName":"Stop","timestamp":1760000000000}`, nil},
		{"request for permission", `{"hookName":"permissionRequest","sessionId":"s","timestamp":1,"toolName":"bash","toolInput":{}}`, []string{"copilot"}},
		{"hook of Cline without a version", `{"hookName":"TaskStart","taskId":"t"}`, []string{"cline"}},
		{"hook of Cline inside another protocol", `{"hookName":"x","agent_action_name":"pre_write_code"}`, []string{"windsurf"}},
		{"call with time and id", `{"hook_event_name":"PreToolUse","timestamp":"t","session_id":"s","tool_name":"x","tool_use_id":"u"}`, []string{"vscode"}},
		{"call with time and no id", `{"hook_event_name":"PreToolUse","timestamp":"t","session_id":"s","tool_name":"x"}`, []string{"copilot"}},
		{"call with time, no id and a transcript", `{"hook_event_name":"PreToolUse","timestamp":"t","session_id":"s","tool_name":"x","transcript_path":"/x"}`, nil},
		{"call with time, id and the mode of Claude Code", `{"hook_event_name":"PreToolUse","timestamp":"t","session_id":"s","tool_name":"x","tool_use_id":"u","permission_mode":"plan"}`, nil},
		{"call with time and the mode of Claude Code", `{"hook_event_name":"PreToolUse","timestamp":"t","session_id":"s","tool_name":"x","permission_mode":"plan"}`, nil},
		{"call with time and turn", `{"hook_event_name":"PreToolUse","timestamp":"t","session_id":"s","tool_name":"x","turn_id":"1"}`, []string{"codex"}},
		{"stop with a reason", `{"hook_event_name":"Stop","timestamp":"t","session_id":"s","transcript_path":"/x","stop_reason":"end_turn"}`, []string{"copilot"}},
		{"stop without a reason", `{"hook_event_name":"Stop","timestamp":"t","session_id":"s","transcript_path":"/x"}`, []string{"vscode"}},
		{"stop of a named sub-agent", `{"hook_event_name":"SubagentStop","timestamp":"t","session_id":"s","agent_name":"x"}`, []string{"copilot"}},
		{"start with a transcript", `{"hook_event_name":"SessionStart","timestamp":"t","session_id":"s","transcript_path":"/x","source":"new"}`, []string{"vscode"}},
		{"start without a transcript", `{"hook_event_name":"SessionStart","timestamp":"t","session_id":"s","source":"new"}`, []string{"copilot"}},
		{"end with a transcript", `{"hook_event_name":"SessionEnd","timestamp":"t","session_id":"s","transcript_path":"/x"}`, []string{"gemini"}},
		{"end without a transcript", `{"hook_event_name":"SessionEnd","timestamp":"t","session_id":"s"}`, []string{"copilot"}},
		{"small letter", `{"hook_event_name":"agentSpawn","cwd":"/r"}`, []string{"amazonq"}},
		{"small letter and a conversation", `{"hook_event_name":"stop","cwd":"/r","conversation_id":"c"}`, nil},
		{"small letter and dots", `{"hook_event_name":"session.idle","session_id":"s"}`, []string{"opencode"}},
		{"small letter and dots, not known yet", `{"hook_event_name":"session.moved","session_id":"s"}`, nil},
		{"capital letter and nothing else", `{"hook_event_name":"PreToolUse","cwd":"/r","tool_name":"write","tool_input":{}}`, nil},
		{"time of another type", `{"hook_event_name":"PreToolUse","timestamp":1,"session_id":"s","tool_name":"x","tool_use_id":"u"}`, nil},
		{"event of another type", `{"hook_event_name":[],"timestamp":"t","session_id":"s"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, agent.Senders([]byte(tt.stdin)))
		})
	}
}

// TestOwnFormsTwentyMegabytes holds that a write is judged,
// whatever its size.
func TestOwnFormsTwentyMegabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with -race")
	}
	t.Parallel()
	content := strings.Repeat(`line with \"quotes\" and \n`, 20<<20/27)
	for name, stdin := range map[string]string{
		"amazonq":  `{"hook_event_name":"preToolUse","tool_name":"fs_write","tool_input":{"path":"a","file_text":"%s"}}`,
		"cline":    `{"hookName":"PreToolUse","preToolUse":{"toolName":"editor","parameters":{"path":"a","new_text":"%s"}}}`,
		"copilot":  `{"sessionId":"s","toolName":"create","toolArgs":{"path":"a","file_text":"%s"}}`,
		"cursor":   `{"hook_event_name":"preToolUse","tool_name":"Write","tool_input":{"file_path":"a","content":"%s"}}`,
		"vscode":   `{"hook_event_name":"PreToolUse","tool_name":"create_file","tool_input":{"filePath":"a","content":"%s"}}`,
		"windsurf": `{"agent_action_name":"pre_write_code","tool_info":{"file_path":"a","edits":[{"new_string":"%s"}]}}`,
	} {
		ev, err := named(t, name).Decode([]byte(fmt.Sprintf(stdin, content)))
		require.NoError(t, err, name)
		require.Greater(t, len(ev.Tool.Args), len(content), name)
	}
}

// TestActionsOfOwnForms holds that package trigger understands what the decoders
// pass on.
func TestActionsOfOwnForms(t *testing.T) {
	t.Parallel()
	patch := []string{"file_write create src/a.go", "file_write move src/b.go", "file_write create src/c.go", "file_write delete src/d.go"}
	for event, want := range map[string][]string{
		"amazonq/kiro-pre-shell":               {"bash ls"},
		"amazonq/kiro-pre-write":               {"file_write edit a.go"},
		"amazonq/kiro-pre-write-content":       {"file_write create a.go"},
		"amazonq/pre-append":                   {"file_write append a.go"},
		"amazonq/pre-bash":                     {"bash git push --force"},
		"amazonq/pre-mcp":                      {"mcp postgres:query"},
		"amazonq/pre-read":                     {"file_read .env", "file_read a.png"},
		"amazonq/pre-str-replace":              {"file_write edit a.go"},
		"amazonq/pre-windows":                  {"bash dir"},
		"amazonq/pre-write":                    {"file_write create a.go"},
		"cline/cli-pre-commands":               {"bash git push --force", "bash ls"},
		"cline/cli-pre-editor":                 {"file_write create a.go"},
		"cline/cli-pre-patch":                  patch,
		"cline/cli-post-commands":              {"bash false", "bash true"},
		"cline/ext-pre-commands":               {"bash git push --force", "bash rm -rf 'x y'", "file_write delete x y", "bash rm"},
		"cline/ext-pre-editor":                 {"file_write create a.go"},
		"cline/ext-pre-legacy-command":         {"bash git push"},
		"cline/ext-pre-legacy-mcp":             {"mcp tracker:create_issue"},
		"cline/ext-pre-legacy-replace":         {"file_write edit a.go"},
		"cline/ext-pre-legacy-write":           {"file_write create a.go"},
		"cline/ext-pre-mcp":                    {"mcp tracker:create_issue"},
		"cline/ext-pre-no-parameters":          {},
		"cline/ext-pre-patch":                  patch,
		"cline/ext-pre-read-files":             {"file_read .env"},
		"copilot/camel-pre-bash":               {"bash git push --force origin main"},
		"copilot/camel-pre-create":             {"file_write create a.go"},
		"copilot/camel-pre-edit":               {"file_write edit a.go"},
		"copilot/camel-pre-json-text":          {"file_write create a.go"},
		"copilot/camel-pre-mcp":                {"mcp tracker:create_issue"},
		"copilot/camel-pre-no-args":            {},
		"copilot/camel-pre-patch":              patch,
		"copilot/camel-pre-powershell":         {`bash Remove-Item -Recurse C:\x`, "file_write delete C:/x"},
		"copilot/camel-pre-str-replace-editor": {"file_write edit a.go"},
		"copilot/camel-pre-view":               {"file_read a.go"},
		"copilot/camel-post-failure":           {"file_write edit a.go"},
		"copilot/pascal-pre-bash":              {"bash git push --force"},
		"copilot/pascal-pre-edit":              {"file_write edit a.go"},
		"copilot/pascal-pre-edit-create":       {"file_write create a.go"},
		"copilot/pascal-pre-edit-view":         {"file_read a.go"},
		"copilot/pascal-pre-mcp":               {"mcp github-mcp-server-create_issue"},
		"copilot/pascal-pre-patch":             patch,
		"copilot/pascal-pre-read":              {"file_read a.go"},
		"copilot/pascal-pre-write":             {"file_write create a.go"},
		"cursor/after-edit":                    {"file_write edit a.go"},
		"cursor/before-mcp":                    {"mcp tracker:create_issue"},
		"cursor/before-mcp-no-server":          {"mcp create_issue"},
		"cursor/before-read":                   {"file_read .env"},
		"cursor/before-shell":                  {"bash git push --force && echo <a>"},
		"cursor/before-tab-read":               {"file_read .env"},
		"cursor/pre-delete":                    {"file_write delete a.go"},
		"cursor/pre-json-text":                 {"file_write create a.go"},
		"cursor/pre-mcp":                       {"mcp create_issue"},
		"cursor/pre-notebook":                  {"file_write edit a.ipynb"},
		"cursor/pre-read":                      {"file_read a.go"},
		"cursor/pre-remote-old":                {"file_write delete /home/u/repo/a.go"}, // no folder is known
		"cursor/pre-shell":                     {"bash git push --force"},
		"cursor/pre-third-party":               {"file_write edit a.go"},
		"cursor/pre-write":                     {"file_write create a.go"},
		"vscode/pre-create":                    {"file_write create a.go"},
		"vscode/pre-directory":                 {"file_write create new"},
		"vscode/pre-documented-names":          {"file_write create a.go"},
		"vscode/pre-insert-edit":               {"file_write edit a.go"},
		"vscode/pre-mcp":                       {"mcp pylance_mcp_s_pylanceDocuments"},
		"vscode/pre-multi-replace":             {"file_write edit a.go", "file_write edit b.go"},
		"vscode/pre-notebook":                  {"file_write edit a.ipynb"},
		"vscode/pre-patch":                     patch,
		"vscode/pre-replace":                   {"file_write edit a.go"},
		"vscode/pre-terminal":                  {"bash git push --force"},
		"windsurf/post-mcp":                    {"mcp github:create_issue"},
		"windsurf/pre-command":                 {"bash git push --force"},
		"windsurf/pre-mcp":                     {"mcp github:create_issue"},
		"windsurf/pre-mcp-no-server":           {"mcp create_issue"},
		"windsurf/pre-mcp-text":                {"mcp github:create_issue"},
		"windsurf/pre-read":                    {"file_read /home/u/repo/a.go"},
		"windsurf/pre-write":                   {"file_write create /home/u/repo/a.go"},
		"windsurf/pre-write-edits":             {"file_write edit /home/u/repo/a.go"},
	} {
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			ev := golden(t, event)
			actions, err := trigger.New(nil).MapTool(context.Background(), ev)
			require.NoError(t, err)
			got := []string{}
			for _, a := range actions {
				got = append(got, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", a.Trigger, a.Op, a.Target)), " "))
			}
			require.Equal(t, want, got)
		})
	}
}
