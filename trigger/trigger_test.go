package trigger

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
)

// call maps one call of a tool in folder /repo, which does not exist.
func mapCall(t testing.TB, opts *Options, agent, tool, args string) ([]sentinel.Action, error) {
	t.Helper()
	return New(opts).MapTool(t.Context(), sentinel.Event{
		Phase: sentinel.PhasePre, Agent: agent, Dir: "/no-such-repo/sub", Root: "/no-such-repo",
		Tool: sentinel.ToolCall{Name: tool, Args: json.RawMessage(args)},
	})
}

// brief is an action as the tables below write it.
func brief(a sentinel.Action) string {
	s := string(a.Trigger)
	if a.Op != sentinel.OpNone {
		s += "/" + a.Op.String()
	}
	s += " " + a.Target
	if a.Content != "" || a.Old != "" {
		s += fmt.Sprintf(" %q", a.Content)
	}
	if a.Old != "" {
		s += fmt.Sprintf(" for %q", a.Old)
	}
	return s
}

func briefs(actions []sentinel.Action) []string {
	out := []string{}
	for _, a := range actions {
		out = append(out, brief(a))
	}
	return out
}

const patchText = "*** Begin Patch\n*** Add File: a.go\n+package a\n*** Update File: b.go\n*** Move to: c.go\n@@ func b\n one\n-two\n+three\n*** Delete File: d.go\n*** End Patch\n"

func patchWants() []string {
	return []string{
		`file_write/create sub/a.go "package a\n"`,
		`file_write/move sub/b.go "one\nthree\n" for "one\ntwo\n"`,
		`file_write/create sub/c.go "one\nthree\n" for "one\ntwo\n"`,
		`file_write/delete sub/d.go`,
	}
}

func quoted(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func TestTools(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, args string
		want       []string
	}{
		// Claude Code
		{"Write", `{"file_path":"/no-such-repo/a.go","content":"package a\n","extra":{"x":1}}`, []string{`file_write/create a.go "package a\n"`}},
		{"Write", `{"file_path":"a.go","content":""}`, []string{`file_write/create sub/a.go`}},
		{"Write", `{"file_path":"a.go","content":42}`, []string{`file_write/create sub/a.go "42"`}},
		{"Write", `{"file_path":"a.json","content":{"a":[1]}}`, []string{`file_write/create sub/a.json "{\"a\":[1]}"`}},
		{"Write", `{"file_path":"a.md","content":` + quoted(patchText) + `}`, []string{`file_write/create sub/a.md ` + strconv.Quote(patchText)}},
		{"Write", `{"file_path":"a","path":"b","content":"x"}`, []string{`file_write/create sub/a "x"`, `file_write/create sub/b "x"`}},
		{"Write", `{"file_path":"../../etc/x","content":"x"}`, []string{`file_write/create /etc/x "x"`}},
		{"Edit", `{"file_path":"a.go","old_string":"one","new_string":"two","replace_all":true}`, []string{`file_write/edit sub/a.go "two" for "one"`}},
		{"Edit", `{"file_path":"a.go","old_string":"","new_string":"two"}`, []string{`file_write/create sub/a.go "two"`}},
		{"Edit", `{"file_path":"a.go","command":"view","old_string":"a","new_string":"b"}`, []string{`file_write/edit sub/a.go "b" for "a"`}},
		{"MultiEdit", `{"file_path":"a.go","edits":[{"old_string":"1","new_string":"2"},{"old_string":"3","new_string":"4"}]}`, []string{`file_write/edit sub/a.go "2\n4" for "1\n3"`}},
		{"NotebookEdit", `{"notebook_path":"n.ipynb","new_source":"x=1","cell_id":"c"}`, []string{`file_write/edit sub/n.ipynb "x=1"`}},
		{"NotebookEdit", `{"notebook_path":"n.ipynb","new_source":"","edit_mode":"delete"}`, []string{`file_write/edit sub/n.ipynb`}},
		{"Bash", `{"command":"true","description":"nothing"}`, []string{`bash true`}},
		{"Bash", `{"command":"rm -rf /","args":["--dry-run"]}`, []string{`bash rm -rf / --dry-run`, `bash rm -rf /`}},
		{"PowerShell", `{"command":"Get-Date"}`, []string{`bash Get-Date`}},
		{"Monitor", `{"command":"tail -f x","description":"d"}`, []string{`bash tail -f x`}},
		{"Monitor", `{"ws":"x"}`, nil},
		{"Read", `{"file_path":"a.go","limit":3}`, []string{`file_read sub/a.go`}},
		{"mcp__tracker__create_issue", `{"title":"x"}`, []string{`mcp tracker:create_issue`}},
		{"mcp__tracker__list", ``, []string{`mcp tracker:list`}},
		{"Glob", `{"pattern":"x"}`, nil},
		{"Task", `{"prompt":"x"}`, nil},
		{"TodoWrite", `not even JSON`, nil},
		// Copilot CLI
		{"create", `{"path":"a.go","file_text":"x"}`, []string{`file_write/create sub/a.go "x"`}},
		{"edit", `{"path":"a.go","old_str":"a","new_str":"b"}`, []string{`file_write/edit sub/a.go "b" for "a"`}},
		{"edit", quoted(`{"path":"a.go","old_str":"a","new_str":"b"}`), []string{`file_write/edit sub/a.go "b" for "a"`}},
		{"str_replace_editor", `{"command":"create","path":"a","file_text":"x"}`, []string{`file_write/create sub/a "x"`}},
		{"str_replace_editor", `{"command":"insert","path":"a","new_str":"x","insert_line":3}`, []string{`file_write/edit sub/a "x"`}},
		{"str_replace_editor", `{"command":"view","path":"a"}`, []string{`file_read sub/a`}},
		{"apply_patch", quoted(patchText), patchWants()},
		{"view", `{"path":"a.go"}`, []string{`file_read sub/a.go`}},
		{"bash", `{"command":"ls"}`, []string{`bash ls`}},
		// Copilot in VS Code
		{"create_file", `{"filePath":"/no-such-repo/a","content":"x"}`, []string{`file_write/create a "x"`}},
		{"create_file", `{"uri":"file:///no-such-repo/%61%20b","content":"x"}`, []string{`file_write/create a b "x"`}},
		{"replace_string_in_file", `{"filePath":"a","oldString":"1","newString":"2"}`, []string{`file_write/edit sub/a "2" for "1"`}},
		{"multi_replace_string_in_file", `{"explanation":"e","replacements":[{"filePath":"a","oldString":"1","newString":"2"},{"filePath":"b","oldString":"3","newString":"4"},{"filePath":"a","oldString":"5","newString":"6"}]}`,
			[]string{`file_write/edit sub/a "2\n6" for "1\n5"`, `file_write/edit sub/b "4" for "3"`}},
		{"insert_edit_into_file", `{"filePath":"a","code":"x"}`, []string{`file_write/edit sub/a "x"`}},
		{"edit_notebook_file", `{"filePath":"n","newCode":["a","b"]}`, []string{`file_write/edit sub/n "a\nb"`}},
		{"create_directory", `{"dirPath":"d"}`, []string{`file_write/create sub/d`}},
		{"apply_patch", `{"input":` + quoted(patchText) + `,"explanation":"e"}`, patchWants()},
		{"run_in_terminal", `{"command":"ls","explanation":"e","isBackground":false}`, []string{`bash ls`}},
		{"create_and_run_task", `{"task":{"label":"l","command":"make","args":["all it"]}}`, []string{`bash make 'all it'`, `bash make`}},
		{"memory", `{"command":"rename","old_path":"/memories/a","new_path":"/memories/b"}`, []string{`file_write/move /memories/a`, `file_write/create /memories/b`}},
		// Cursor
		{"edit_file", `{"target_file":"a","code_edit":"x"}`, []string{`file_write/edit sub/a "x"`}},
		{"Delete", `{"file_path":"a"}`, []string{`file_write/delete sub/a`}},
		{"run_terminal_cmd", `{"command":"ls"}`, []string{`bash ls`}},
		{"Shell", `{"command":"ls","cwd":"/no-such-repo"}`, []string{`bash ls`}},
		{"MCP:create_issue", `{"title":"x"}`, []string{`mcp create_issue`}},
		// Windsurf
		{"write_to_file", `{"TargetFile":"a","CodeContent":"x"}`, []string{`file_write/create sub/a "x"`}},
		{"write_to_file", `{"file_path":"a","edits":[{"old_string":"","new_string":"x"}]}`, []string{`file_write/create sub/a "x"`}},
		{"replace_file_content", `{"TargetFile":"a","ReplacementChunks":[{"TargetContent":"1","ReplacementContent":"2"}]}`, []string{`file_write/edit sub/a "2" for "1"`}},
		{"run_command", `{"CommandLine":"ls"}`, []string{`bash ls`}},
		{"run_command", `{"command_line":"ls","cwd":"/x"}`, []string{`bash ls`}},
		// Cline
		{"editor", `{"path":"a","new_text":"x"}`, []string{`file_write/create sub/a "x"`}},
		{"editor", `{"path":"a","old_text":"1","new_text":"2"}`, []string{`file_write/edit sub/a "2" for "1"`}},
		{"replace_in_file", `{"path":"a","diff":"------- SEARCH\none\n=======\ntwo\n+++++++ REPLACE\n"}`, []string{`file_write/edit sub/a "two\n" for "one\n"`}},
		{"replace_in_file", `{"path":"a","diff":"something else"}`, []string{`file_write/edit sub/a "something else"`}},
		{"run_commands", `{"commands":["ls",{"command":"git","args":["push"]}]}`, []string{`bash ls`, `bash git push`, `bash git`}},
		{"run_commands", `{"commands":"[\"git push\"]","command":"git push"}`, []string{`bash git push`}},
		{"run_commands", `["ls"]`, []string{`bash ls`}},
		{"run_commands", `"ls"`, []string{`bash ls`}},
		{"execute_command", `{"command":"ls","requires_approval":"false"}`, []string{`bash ls`}},
		{"read_files", `{"files":[{"path":"a"},{"path":"b"}]}`, []string{`file_read sub/a`, `file_read sub/b`}},
		{"use_mcp_tool", `{"server_name":"db","tool_name":"query","arguments":"{\"sql\":\"x\"}"}`, []string{`mcp db:query`}},
		// Amazon Q, Kiro
		{"fs_write", `{"command":"append","path":"a","new_str":"x"}`, []string{`file_write/append sub/a "x"`}},
		{"fs_write", `{"command":"str_replace","path":"a","old_str":"1","new_str":"2"}`, []string{`file_write/edit sub/a "2" for "1"`}},
		{"fs_read", `{"operations":[{"mode":"Line","path":"a"},{"mode":"Image","image_paths":["b.png"]}]}`, []string{`file_read sub/a`, `file_read sub/b.png`}},
		{"execute_bash", `{"command":"ls","summary":"s"}`, []string{`bash ls`}},
		{"use_aws", `{"service_name":"s3api","operation_name":"delete-bucket","parameters":{"bucket":"my data"},"region":"eu-west-1","label":"x"}`,
			[]string{`bash aws s3api delete-bucket --bucket 'my data' --region eu-west-1`}},
		{"use_aws", `{"service_name":"dynamodb","operation_name":"DeleteTable","parameters":{"DBInstance":"i","TableName":"t","force":true,"--dry_run":""},"region":"r","profile_name":"prod"}`,
			[]string{`bash aws dynamodb delete-table --dry-run --db-instance i --table-name t --force true --region r --profile prod`}},
		{"@postgres/query", `{"sql":"x"}`, []string{`mcp postgres:query`}},
		// Gemini CLI, Qwen Code
		{"write_file", `{"file_path":"a","content":"x"}`, []string{`file_write/create sub/a "x"`}},
		{"replace", `{"file_path":"a","instruction":"i","old_string":"1","new_string":"2"}`, []string{`file_write/edit sub/a "2" for "1"`}},
		{"run_shell_command", `{"command":"ls","dir_path":"x"}`, []string{`bash ls`}},
		{"read_many_files", `{"paths":["a","b"]}`, []string{`file_read sub/a`, `file_read sub/b`}},
		{"mcp_tracker_create_issue", `{}`, []string{`mcp tracker_create_issue`}},
		// opencode, Codex
		{"write", `{"filePath":"a","content":"x"}`, []string{`file_write/create sub/a "x"`}},
		{"apply_patch", `{"patchText":` + quoted(patchText) + `}`, patchWants()},
		{"apply_patch", `{"command":` + quoted(strings.ReplaceAll(patchText, "\n", "\r\n")) + `}`, patchWants()},
		{"local_shell", `{"command":["bash","-lc","echo 'a b'"]}`, []string{`bash bash -lc 'echo '\''a b'\'''`}},
		{"write_stdin", `{"session_id":1,"chars":"rm x\n"}`, []string{"bash rm x\n"}},
		{"write_stdin", `{"session_id":1}`, nil},
		// text that is typed, with keys
		{"write_bash", `{"shellId":"1","input":"git push --force{enter}"}`, []string{"bash git push --force\n"}},
		{"write_bash", `{"shellId":"1","input":"ls{enter}rm x{enter}"}`, []string{"bash ls\nrm x\n"}},
		{"write_bash", `{"shellId":"1","input":"rm xy{backspace}{backspace}z\r\n"}`, []string{"bash rm z\n"}},
		{"write_bash", `{"shellId":"1","input":"{up}{enter}"}`, []string{"bash $KEY\n"}},
		{"write_bash", `{"shellId":"1","input":"m x{left}{left}r\u001b[200~{enter}"}`, []string{"bash m x$KEY$KEYr$KEY\n"}},
		{"write_bash", `{"shellId":"1","input":"rm a\u0003rm é\u007f\u007fb\u001bOA\u001b"}`, []string{"bash rm a\nrmb$KEY$KEY"}},
		{"write_bash", `{"shellId":"1","input":"echo {a,b} {tab} {enter"}`, []string{"bash echo {a,b} {tab} {enter"}},
		{"write_bash", `{"shellId":"1","input":"{backspace}"}`, nil},
		{"Monitor", `{"command":"echo {enter}"}`, []string{"bash echo {enter}"}},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			t.Parallel()
			got, err := mapCall(t, &Options{NoDerive: true}, "", tc.tool, tc.args)
			require.NoError(t, err)
			require.Equal(t, append([]string{}, tc.want...), briefs(got), tc.args)
			for _, a := range got {
				require.Equal(t, tc.tool, a.Tool)
				require.Equal(t, "/no-such-repo", a.Root)
				require.True(t, a.Certain)
				require.Equal(t, a.Trigger == sentinel.Bash, a.Command != nil)
			}
		})
	}
}

func TestCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, args, want string }{
		{"", `{}`, "names no tool"},
		{strings.Repeat("x", nameMax+1), `{}`, "513 bytes"},
		{"Write", `{"content":"x"}`, "no file_path"},
		{"Write", `{"file_path":"","content":"x"}`, "no file_path"},
		{"Write", `{"file_path":null}`, "no file_path"},
		{"Write", `{"file_path":7,"content":"x"}`, "file_path is a number, want a string"},
		{"Write", `{"file_path":["a"]}`, "file_path is an array"},
		{"NotebookEdit", `{}`, "no notebook_path"},
		{"MultiEdit", `{"edits":[{"file_path":{},"new_string":"x"}]}`, "file_path is an object"},
		{"Bash", `{}`, "no command"},
		{"Bash", ``, "no command"},
		{"Bash", `{"command":true}`, "command is a boolean, want a string"},
		{"Bash", `{"command":["rm",7]}`, "command is a list that holds something other than strings"},
		{"run_commands", `{"commands":[7]}`, "commands holds a number"},
		{"Bash", `{"command":`, "no JSON object"},
		{"Bash", `17`, "a number, want an object"},
		{"Bash", `"half`, "no JSON text"},
		{"Bash", `[1`, "no JSON list"},
		{"Read", `{}`, "no file_path"},
		{"apply_patch", `{"input":"nothing"}`, "no patch"},
		{"apply_patch", `"*** Begin Patch\n*** End Patch"`, "names no file"},
		{"memory", `{"command":"rename","old_path":"a"}`, "a move needs both"},
		{"use_mcp_tool", `{}`, "no server_name"},
		{"use_aws", `{"service_name":"s3"}`, "no operation_name"},
		{"use_aws", `{"service_name":"s3","operation_name":"ls","parameters":"all"}`, "parameters is not an object"},
		{"odd", `{}`, `tool_map gives it the trigger "any"`},
		{"own", `{"file_path":"a"}`, "no dest"},
		{"own_shell", `{"command":"x"}`, "no line"},
	} {
		opts := &Options{
			Extra: map[string]sentinel.Trigger{"odd": sentinel.Any, "own": sentinel.FileWrite, "own_shell": sentinel.Bash},
			Args:  map[string]ArgKeys{"own": {Path: "dest"}, "own_shell": {Command: "line"}},
		}
		got, err := mapCall(t, opts, "", tc.tool, tc.args)
		require.ErrorIs(t, err, sentinel.ErrEvent, "%s %s", tc.tool, tc.args)
		require.ErrorContains(t, err, tc.want, "%s %s", tc.tool, tc.args)
		require.Empty(t, got)
	}
}

func TestUnknownTool(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nobody_knows", "write-x", "a__b", "mcp__", "MCP:", "@x", "WRITE"} {
		_, err := mapCall(t, nil, "claude", name, `{}`)
		require.ErrorIs(t, err, sentinel.ErrUnknownTool, name)
		require.NotErrorIs(t, err, sentinel.ErrEvent, name)
	}
}

func TestEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := New(nil).MapTool(ctx, sentinel.Event{Dir: "/x", Tool: sentinel.ToolCall{Name: "Bash", Args: json.RawMessage(`{"command":"ls"}`)}})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, got)
}

func TestToolMap(t *testing.T) {
	t.Parallel()
	own := &Options{
		Map:   map[string]sentinel.Trigger{"put": sentinel.FileWrite, "quiet": ""},
		Extra: map[string]sentinel.Trigger{"sh": sentinel.Bash, "query": sentinel.MCP},
		Args:  map[string]ArgKeys{"put": {Path: "where", Content: "what", Old: "was"}, "sh": {Command: "line"}},
	}
	got, err := mapCall(t, own, "", "put", `{"where":"a","what":"x","was":"y","content":"ignored","path":"ignored"}`)
	require.NoError(t, err)
	require.Equal(t, []string{`file_write/edit sub/a "x" for "y"`}, briefs(got))
	got, err = mapCall(t, own, "", "sh", `{"line":"ls","command":"ignored"}`)
	require.NoError(t, err)
	require.Equal(t, []string{"bash ls"}, briefs(got))
	got, err = mapCall(t, own, "", "query", `{"sql":"x"}`)
	require.NoError(t, err)
	require.Equal(t, []string{"mcp query"}, briefs(got))
	got, err = mapCall(t, own, "", "quiet", `{}`)
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = mapCall(t, own, "", "Write", `{"file_path":"a"}`)
	require.ErrorIs(t, err, sentinel.ErrUnknownTool, "a tool_map replaces the defaults")
	got, err = mapCall(t, &Options{Extra: own.Extra}, "", "Write", `{"file_path":"a"}`)
	require.NoError(t, err, "tool_map_extra adds to them")
	require.Len(t, got, 1)
}

// Only a tool that takes a folder to run in is believed about it.
func TestFolderOfTheCall(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ agent, tool, args, want string }{
		{"claude", "Bash", `{"command":"ls","cwd":"/xx","workdir":"/xx"}`, "/no-such-repo/sub"},
		{"claude", "Write", `{"file_path":"a","cwd":"/xx"}`, "/no-such-repo/sub"},
		{"cursor", "Shell", `{"command":"ls","cwd":"/xx"}`, "/xx"},
		{"windsurf", "run_command", `{"CommandLine":"ls","Cwd":"../y"}`, "/no-such-repo/y"},
		{"gemini", "run_shell_command", `{"command":"ls","dir_path":"z"}`, "/no-such-repo/sub/z"},
		{"codex", "local_shell", `{"command":["ls"],"workdir":"/xx"}`, "/xx"},
		{"kiro", "executeBash", `{"command":"ls","cwd":"/xx"}`, "/xx"},
		{"opencode", "bash", `{"command":"ls","workdir":"/xx"}`, "/xx"},
		{"copilot", "bash", `{"command":"ls","workdir":"/xx"}`, "/no-such-repo/sub"},
	} {
		got, err := mapCall(t, nil, tc.agent, tc.tool, tc.args)
		require.NoError(t, err)
		require.Equal(t, tc.want, got[0].Dir, "%s %s", tc.agent, tc.tool)
		require.Equal(t, "/no-such-repo", got[0].Root)
	}
}

func TestMCPNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		prefix, sep, agent, name, server, tool string
		forms                                  []string
	}{
		{"", "", "claude", "mcp__db__query", "db", "query", []string{"db:query", "query", "db"}},
		{"", "", "claude", "mcp__db", "", "db", []string{"db"}},
		{"", "", "claude", "mcp__a__b__c", "a", "b__c", []string{"a:b__c", "a__b:c", "b__c", "a", "c", "a__b"}},
		{"", "", "claude", "mcp____x", "", "__x", []string{"__x"}},
		{"mcp_", "_", "cursor", "mcp_my_server_do_it", "my", "server_do_it", []string{
			"my:server_do_it", "my_server:do_it", "my_server_do:it", "server_do_it", "my", "do_it", "my_server", "it", "my_server_do"}},
		{"mcp_", "_", "cursor", "mcp__a__b", "a", "b", []string{"a:b", "b", "a"}},
		{"mcp_", "_", "cursor", "mcp__a", "", "", []string{"_a"}},
		{"x.", "/", "own", "x.db/query", "db", "query", []string{"db:query", "query", "db"}},
		{"", "", "gemini", "mcp_db_query", "db", "query", []string{"db:query", "query", "db"}},
		{"", "", "copilot", "tracker-create_issue", "tracker", "create_issue", []string{"tracker:create_issue", "create_issue", "tracker"}},
		{"", "", "copilot", "github-mcp-server-get_me", "github", "mcp-server-get_me", []string{
			"github:mcp-server-get_me", "github-mcp:server-get_me", "github-mcp-server:get_me", "mcp-server-get_me", "github", "server-get_me", "github-mcp", "get_me", "github-mcp-server"}},
		{"", "", "cline", "db__query", "db", "query", []string{"db:query", "query", "db"}},
		{"", "", "opencode", "db_query", "db", "query", []string{"db:query", "query", "db"}},
	} {
		got, err := mapCall(t, &Options{MCPPrefix: tc.prefix, MCPSeparator: tc.sep}, tc.agent, tc.name, `{"q":1}`)
		require.NoError(t, err, tc.name)
		require.Len(t, got, 1)
		require.Equal(t, sentinel.MCP, got[0].Trigger)
		require.Equal(t, tc.forms, got[0].Forms, tc.name)
		if tc.server+tc.tool != "" {
			require.Equal(t, []string{tc.server, tc.tool}, []string{got[0].Server, got[0].MCPTool}, tc.name)
		}
		require.JSONEq(t, `{"q":1}`, string(got[0].Args))
	}
}

// A name that can be split in several ways is shown whole.
func TestMCPTarget(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"mcp_db_query":        "db:query",
		"mcp_my_server_query": "my_server_query",
		"mcp__db__query":      "db:query",
		"mcp__a__b__c":        "a__b__c",
	} {
		got, err := mapCall(t, &Options{MCPPrefix: "mcp_", MCPSeparator: "_"}, "cursor", name, `{}`)
		require.NoError(t, err)
		require.Equal(t, want, got[0].Target)
	}
}

// Only a diff is made of SEARCH/REPLACE blocks, and the text around them is
// written too, as far as is known.
func TestMarkersHideNothing(t *testing.T) {
	t.Parallel()
	const blocks = "------- SEARCH\none\n=======\ntwo\n+++++++ REPLACE\n"
	for _, tc := range []struct{ tool, key, text, content, old string }{
		{"Write", "content", "secret\n" + blocks + "more\n", "secret\n" + blocks + "more\n", ""},
		{"Edit", "new_string", blocks + "secret\n", blocks + "secret\n", ""},
		{"replace_in_file", "diff", "secret\n" + blocks + "more\n", "secret\ntwo\nmore\n", "one\n"},
		{"replace_in_file", "content", "secret\n" + blocks, "secret\n" + blocks, ""},
		{"replace_in_file", "diff", "------- SEARCH\nsecret\n", "------- SEARCH\nsecret\n", ""},
	} {
		args, err := json.Marshal(map[string]string{"path": "a", tc.key: tc.text})
		require.NoError(t, err)
		got, err := mapCall(t, nil, "", tc.tool, string(args))
		require.NoError(t, err)
		require.Len(t, got, 1)
		require.Equal(t, []string{tc.content, tc.old}, []string{got[0].Content, got[0].Old}, "%s %s", tc.tool, tc.key)
	}
}

func TestHarmlessTools(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"agent", "task_create", "task_stop", "ask_user_question", "update_topic"} {
		got, err := mapCall(t, nil, "", name, `{}`)
		require.NoError(t, err, name)
		require.Empty(t, got)
	}
}

func TestDerivedFromMCP(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, args string
		want       []string
	}{
		{"mcp__filesystem__write_file", `{"path":"a","content":"x"}`, []string{`file_write/create sub/a "x"`}},
		{"mcp__filesystem__edit_file", `{"path":"a","edits":[{"oldText":"1","newText":"2"}]}`, []string{`file_write/edit sub/a "2" for "1"`}},
		{"mcp__filesystem__move_file", `{"source":"a","destination":"b"}`, []string{`file_write/move sub/a`, `file_write/create sub/b`}},
		{"mcp__filesystem__delete_file", `{"path":"a"}`, []string{`file_write/delete sub/a`}},
		{"mcp__filesystem__read_text_file", `{"path":"a"}`, []string{`file_read sub/a`}},
		{"mcp__filesystem__read_multiple_files", `{"paths":["a","b"]}`, []string{`file_read sub/a`, `file_read sub/b`}},
		{"mcp__serena__replaceContent", `{"relative_path":"a","content":"x"}`, []string{`file_write/edit sub/a "x"`}},
		{"mcp__github__push_files", `{"files":[{"path":"a","content":"x"},{"path":"b","content":"y"}]}`, []string{`file_write/edit sub/a "x"`, `file_write/edit sub/b "y"`}},
		{"mcp__shell__exec", `{"command":"git push"}`, []string{`bash git push`}},
		{"mcp__dev__run_command", `{"cmd":"ls"}`, []string{`bash ls`}},
		{"mcp__shell__exec", `{"argv":["git","push","-f"]}`, []string{`bash git push -f`}},
		{"mcp__shell__exec", `{"program":"git","args":["push","-f"]}`, []string{`bash git push -f`, `bash git`}},
		{"mcp__ci__run_steps", `{"steps":[{"run":"ls"},{"command":"git push"},7]}`, []string{`bash ls`, `bash git push`}},
		{"mcp__ci__list_steps", `{"steps":[{"run":"ls"}]}`, []string{}},
		{"mcp__dev__apply", `{"input":` + quoted(patchText) + `}`, patchWants()},
		{"mcp_desktop_commander_execute_command", `{"command":"ls"}`, []string{`bash ls`}},
		// The name is only a hint: no argument for it, nothing derived.
		{"mcp__filesystem__write_file", `{"title":"x"}`, []string{}},
		{"mcp__filesystem__write_file", `{"path":7}`, []string{}},
		{"mcp__tracker__create_issue", `{"title":"x","path":"a"}`, []string{}},
		{"mcp__tracker__move_issue", `{"source":"a","destination":"b"}`, []string{}},
		{"mcp__db__execute_sql", `{"query":"DROP TABLE x"}`, []string{}},
		{"mcp__browser__run_script", `{"script":"document.title"}`, []string{}},
		// Every reading that fits counts: one argument hides no other.
		{"mcp__fs__write_file", `{"path":"a","content":"x","patch":"*** Begin Patch\n*** Add File: d\n+y\n*** End Patch"}`, []string{
			`file_write/create sub/d "y\n"`, `file_write/create sub/a "x\n*** Begin Patch\n*** Add File: d\n+y\n*** End Patch"`}},
		{"mcp__sh__execute_command", `{"command":"ls","patch":"*** Begin Patch\n*** Add File: d\n+y\n*** End Patch"}`, []string{`file_write/create sub/d "y\n"`, `bash ls`}},
		{"mcp__sh__execute_command", `{"command":7,"cmd":"ls"}`, []string{`bash ls`}},
		{"mcp__terminal__write_file", `{"path":"a","content":"x","command":"ls"}`, []string{`bash ls`, `file_write/create sub/a "x"`}},
		{"mcp__fs__write_file", `{"path":"a","content":"x","file_path":7}`, []string{`file_write/create sub/a "x"`}},
		{"mcp__fs__apply_patch", `{"path":"a","content":"x","patch":"*** Begin Patch\n*** Add File: d\n+y\n*** End Patch"}`, []string{
			`file_write/create sub/d "y\n"`, `file_write/create sub/a "x\n*** Begin Patch\n*** Add File: d\n+y\n*** End Patch"`}},
		{"mcp__shell__run", `{"script":"git push"}`, []string{`bash git push`}},
		{"mcp__shell__exec", `{"input":{"command":"git push"}}`, []string{`bash git push`}},
		{"mcp__dc__edit_block", `{"file_path":"a","old_string":"1","new_string":"2"}`, []string{`file_write/edit sub/a "2" for "1"`}},
		{"mcp__dev__delete_file", `{"path":"a","command":"x"}`, []string{`file_write/delete sub/a`}},
	} {
		got, err := mapCall(t, nil, "", tc.tool, tc.args)
		require.NoError(t, err)
		require.Equal(t, sentinel.MCP, got[0].Trigger)
		require.Equal(t, tc.want, briefs(got[1:]), tc.tool)
		for _, a := range got[1:] {
			require.NotEmpty(t, a.DerivedFrom)
		}
		got, err = mapCall(t, &Options{NoDerive: true}, "", tc.tool, tc.args)
		require.NoError(t, err)
		require.Len(t, got, 1)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	require.NotEmpty(t, Defaults())
	for name, trig := range Defaults() {
		require.Contains(t, []sentinel.Trigger{sentinel.FileWrite, sentinel.FileRead, sentinel.Bash, sentinel.MCP}, trig, name)
	}
	// The table of the original Python Sentinel.
	for trig, names := range map[sentinel.Trigger]string{
		sentinel.FileWrite: "Write Edit MultiEdit NotebookEdit create_file replace_string_in_file multi_replace_string_in_file edit_file write_to_file replace_in_file fs_write",
		sentinel.Bash:      "Bash run_in_terminal run_terminal_cmd run_command execute_command execute_bash",
	} {
		for _, name := range strings.Fields(names) {
			require.Equal(t, trig, Defaults()[name], name)
		}
	}
}

// Real payloads: the tool call before it runs, of every agent that was recorded.
func TestRecordings(t *testing.T) {
	t.Parallel()
	const folder = "../../shared/recordings"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the recorded payloads of real agents are not on this machine")
	}
	mapped := 0
	for _, pattern := range []string{"*PreToolUse*", "*preToolUse*", "*BeforeTool-*"} {
		files, err := filepath.Glob(filepath.Join(folder, "*", "*", pattern))
		require.NoError(t, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			// Folders are called agent[-version]/scenario.
			ev := recorded(t, data, filepath.Base(filepath.Dir(filepath.Dir(file))))
			actions, err := New(nil).MapTool(t.Context(), ev)
			require.NoError(t, err, file)
			require.NotEmpty(t, actions, file)
			for _, a := range actions {
				require.NotEmpty(t, a.Target, file)
				require.NotEmpty(t, a.Forms, file)
				if a.Trigger == sentinel.FileWrite && a.DerivedFrom == "" {
					require.Regexp(t, `^src/(billing/invoice|app)\.ts$`, a.Path, file)
					require.NotEmpty(t, a.Content, file)
				}
			}
			mapped++
		}
	}
	require.Greater(t, mapped, 30)
}

// recorded reads the tool call out of a payload, whichever agent wrote it.
func recorded(t *testing.T, data []byte, agent string) sentinel.Event {
	t.Helper()
	var p struct {
		Cwd       string          `json:"cwd"`
		Roots     []string        `json:"workspaceRoots"`
		Name      string          `json:"tool_name"`
		Input     json.RawMessage `json:"tool_input"`
		CamelName string          `json:"toolName"`
		CamelArgs json.RawMessage `json:"toolArgs"`
		ClineCall struct {
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"tool_call"`
	}
	require.NoError(t, json.Unmarshal(data, &p))
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: agent, Dir: p.Cwd}
	ev.Tool.Name, ev.Tool.Args = p.Name, p.Input
	if p.CamelName != "" {
		ev.Tool.Name, ev.Tool.Args = p.CamelName, p.CamelArgs
	}
	if p.ClineCall.Name != "" {
		ev.Tool.Name, ev.Tool.Args = p.ClineCall.Name, p.ClineCall.Input
	}
	if ev.Dir == "" && len(p.Roots) > 0 {
		ev.Dir = p.Roots[0]
	}
	return ev
}

func FuzzMapTool(f *testing.F) {
	for _, name := range []string{"Write", "Bash", "MultiEdit", "apply_patch", "mcp__filesystem__write_file", "run_commands", "fs_read", "memory", "x"} {
		for _, args := range []string{
			`{"file_path":"a/../../b","content":"x","edits":[{"new_string":1}]}`, `{"command":"cat > a <<X\nb\nX\nmv src/* b; rm -rf .."}`,
			quoted(patchText), `{"commands":[["a"],{"command":"b","args":[1]}]}`, `{"paths":["","a\u0000b"],"path":"~"}`, `[]`, `"`, `{"command":"rename","path":"a","to":"/"}`,
		} {
			f.Add(name, args, "claude")
		}
	}
	m := New(nil)
	f.Fuzz(func(t *testing.T, name, args, agent string) {
		actions, err := m.MapTool(t.Context(), sentinel.Event{Agent: agent, Dir: "/no-such-repo", Tool: sentinel.ToolCall{Name: name, Args: json.RawMessage(args)}})
		if err != nil {
			require.Empty(t, actions)
		}
		for _, a := range actions {
			require.NotEmpty(t, a.Trigger)
			require.NotEmpty(t, a.Target)
			require.NotEmpty(t, a.Forms)
			if a.Trigger == sentinel.FileWrite || a.Trigger == sentinel.FileRead {
				require.Equal(t, a.Forms[0], a.Path)
			}
		}
	})
}

func BenchmarkMapTool(b *testing.B) {
	dir := b.TempDir()
	for name, args := range map[string]string{
		"Write": `{"file_path":"src/a.go","content":` + quoted(strings.Repeat("line of code\n", 100)) + `}`,
		"Bash":  `{"command":"cd src && go test ./... 2>&1 | tail -20 > out.txt"}`,
	} {
		b.Run(name, func(b *testing.B) {
			ev := sentinel.Event{Agent: "claude", Dir: dir, Root: dir, Tool: sentinel.ToolCall{Name: name, Args: json.RawMessage(args)}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := New(nil).MapTool(b.Context(), ev); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
