package trigger_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// An argument that simply is a path meets file rules, whatever the server, and so do
// the code and the git commands that a tool runs.
func TestPlainMCP(t *testing.T) {
	t.Parallel()
	root, _ := bulkProject(t)
	var files []rule.File
	for _, text := range []string{
		"id: billing\ntrigger: file_write\nseverity: block\nbackend: builtin\nscope: [\"src/billing/**\", \".claude/**\"]\nwhen: \"true\"\nmessage: no\n",
		"id: reset\ntrigger: bash\nseverity: block\nbackend: builtin\nscope: [\"git reset --hard*\", \"git checkout *\", \"git push --force*\", \"rm -rf *\"]\nwhen: \"true\"\nmessage: no\n",
	} {
		files = append(files, rule.Parse(text[4:9]+".yaml", []byte(text)))
	}
	list, problems := rule.Build(files, nil)
	require.Empty(t, problems)
	engine, err := sentinel.New(list, &sentinel.Options{
		Mapper:   trigger.New(&trigger.Options{Home: "/home/u"}),
		Backends: map[string]sentinel.Backend{builtin.Name: builtin.New()}, Default: builtin.Name, CollectAll: true,
	})
	require.NoError(t, err)
	for _, tc := range []struct {
		tool, args string
		stopped    bool
	}{
		{"mcp__x__screenshot", `{"save_to":"src/billing/a.py"}`, true},
		{"mcp__x__export_report", `{"destination":"./src/billing/r.csv"}`, true},
		{"mcp__x__download", `{"url":"https://example.com/a","filename":"src/billing/a.py"}`, true},
		{"mcp__x__generate", `{"dir":"src/billing","name":"a.py","content":"x"}`, true},
		{"mcp__jetbrains__replace_text_in_file", `{"pathInProject":"src/billing/a.py","oldText":"a","newText":"b"}`, true},
		{"mcp__x__process", `{"options":{"out":[".claude/settings.json"]}}`, true},
		{"mcp__x__do", `{"thing":"src/billing/a.py"}`, true},
		{"mcp__x__do", `{"thing":"~/../` + `x/../.claude"}`, false},
		{"mcp__x__copy", `{"source":"docs/guide.md","destination":"src/billing/a.py"}`, true},
		{"mcp__x__trash", `{"paths":["src/billing"]}`, true},
		{"mcp__ide__executeCode", `{"code":"open('src/billing/a.py','w').write('x')"}`, true},
		{"mcp__jupyter__insert_execute_code_cell", `{"cell_source":"open('src/billing/a.py','w').write('x')"}`, true},
		{"mcp__jupyter__x", `{"code":"open('src/billing/a.py','w').write('x')"}`, true},
		{"mcp__jupyter__execute_cell", `{"code":"import os\nos.system('git push --force')"}`, true},
		{"mcp__jupyter__insert_execute_code_cell", `{"cell_source":"x","source":"!ls\nopen('src/billing/a.py','w')"}`, true},
		{"mcp__sandbox__run_code", `{"language":"javascript","code":"fs.writeFileSync('src/billing/c.ts','x')"}`, true},
		{"mcp__desktop-commander__interact_with_process", `{"pid":12,"input":"rm -rf src"}`, true},
		{"mcp__desktop-commander__interact_with_process", `{"pid":12,"input":"open('src/billing/a.py','w').write('')"}`, true},
		{"mcp__tmux__send-keys", `{"pane":"0","keys":"git push --force Enter"}`, true},
		{"mcp__git__git_checkout", `{"repo_path":".","branch_name":"old"}`, true},
		{"mcp__git__git_reset", `{"repo_path":".","mode":"hard","target":"HEAD~1"}`, true},
		{"mcp__git__push", `{"force":true}`, true},

		{"mcp__x__get_symbols", `{"pathInProject":"src/billing/a.py"}`, false},
		{"mcp__x__search", `{"query":"src/billing/a.py"}`, false},
		{"mcp__x__list_directory", `{"path":"src/billing"}`, false},
		{"mcp__x__copy", `{"source":"src/billing/a.py","destination":"docs/a.md"}`, false},
		{"mcp__tracker__create_issue", `{"title":"x","file":"src/billing/a.py"}`, false},
		{"mcp__x__send", `{"text":"please read src/billing/a.py today"}`, false},
		{"mcp__x__navigate", `{"url":"https://example.com/src/billing/a.py"}`, false},
		{"mcp__x__set", `{"mime":"text/html","branch":"feature/x","repo":"owner/name"}`, false},
		{"mcp__git__git_status", `{"repo_path":"."}`, false},
		{"mcp__git__git_commit", `{"repo_path":".","message":"git reset --hard is stopped"}`, false},
		{"mcp__ide__executeCode", `{"code":"print(open('src/billing/a.py').read())"}`, false},
		{"mcp__x__screenshot", `{"save_to":"docs/a.png"}`, false},
		{"mcp__ide__getDiagnostics", `{"uri":"file:///x/src/billing/a.py"}`, false},
	} {
		d, err := engine.Evaluate(t.Context(), sentinel.Event{
			Phase: sentinel.PhasePre, Agent: "claude", Dir: root, Root: root, Tool: sentinel.ToolCall{Name: tc.tool, Args: json.RawMessage(tc.args)},
		})
		require.NoError(t, err)
		require.Equal(t, tc.stopped, d.Verdict == sentinel.VerdictBlock, "%s %s", tc.tool, tc.args)
	}
}
