package replay_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const testFirst = "id: test-first\ntrigger: bash\nscope: [\"git commit*\"]\nrequires: {ran: [\"make test\"], since: [\"**/*.js\"]}\nmessage: Test first\n"

// A did is one thing that a session did.
type did struct {
	write, run string
	came       string // of run: ok, failed, running, refused; "" is ok
}

// records write a session as an agent does.
var records = map[string]func(l *lines, d did){
	"claude": (*lines).claude, "codex": (*lines).codex, "codex of older versions": (*lines).oldCodex, "gemini": (*lines).gemini,
	"qwen": (*lines).qwen, "copilot": (*lines).copilot, "pi": (*lines).pi, "journal": (*lines).journal,
}

type lines struct {
	strings.Builder
	calls int
}

func (l *lines) add(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			data, _ := json.Marshal(s)
			args[i] = string(data)
		}
	}
	fmt.Fprintf(l, format+"\n", args...)
}

// pick is what a form has for how a command came out.
func pick(came string, ok, failed, running, refused any) any {
	return map[string]any{"": ok, "ok": ok, "failed": failed, "running": running, "refused": refused}[came]
}

func (l *lines) claude(d did) {
	id := fmt.Sprint("t", l.calls)
	tool, args := "Bash", fmt.Sprintf(`{"command":%q}`, d.run)
	if d.write != "" {
		tool, args = "Write", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, filepath.Join(root, d.write))
	}
	const head = `"cwd":%s,"sessionId":"s","timestamp":"2026-05-04T10:00:01.000Z","uuid":"u"`
	l.add(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":%s,"name":%s,"input":`+args+`}]},`+head+`}`, id, tool, root)
	l.add(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%s,"content":%s,"is_error":%v}]},"toolUseResult":`+
		pick(d.came, `{"stdout":"","interrupted":false}`, `"Error: Exit code 1"`, `{"stdout":"","backgroundTaskId":"b1"}`, `"Error"`).(string)+`,`+head+`}`,
		id, pick(d.came, "ok", "Exit code 1", "Command running in background with ID: b1", "The user doesn't want to proceed with this tool use."), pick(d.came, false, true, false, true), root)
}

func (l *lines) codexCall(d did) (id string) {
	if l.calls == 1 {
		l.add(`{"timestamp":"2026-05-04T10:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":%s}}`, root)
	}
	id = fmt.Sprint("call_", l.calls)
	if d.write != "" {
		l.add(`{"timestamp":"2026-05-04T10:00:01.000Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":%s,"call_id":%s}}`,
			"*** Begin Patch\n*** Add File: "+d.write+"\n+x\n*** End Patch\n", id)
	} else {
		l.add(`{"timestamp":"2026-05-04T10:00:01.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":%s,"call_id":%s}}`,
			fmt.Sprintf(`{"cmd":%q}`, d.run), id)
	}
	return id
}

func (l *lines) codex(d did) {
	id := l.codexCall(d)
	if d.came != "running" && d.came != "refused" {
		l.add(`{"timestamp":"2026-05-04T10:00:02.000Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":%s,"status":%s,"exit_code":%v}}}`,
			id, pick(d.came, "completed", "failed", nil, nil), pick(d.came, 0, 1, nil, nil))
	}
	l.add(`{"timestamp":"2026-05-04T10:00:02.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":%s,"output":%s}}`, id,
		pick(d.came, "Output:\nok", "Output:\nok", "Process running with session ID 4\nOutput:\n", "exec command rejected by user"))
}

func (l *lines) oldCodex(d did) {
	id := l.codexCall(d)
	l.add(`{"timestamp":"2026-05-04T10:00:02.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":%s,"output":%s}}`, id,
		pick(d.came, "Process exited with code 0\nOutput:\nok", "Process exited with code 1\nOutput:\nProcess exited with code 0", "Process running with session ID 4\nOutput:\n", "exec command rejected by user"))
}

func (l *lines) gemini(d did) {
	if l.calls == 1 {
		l.add(`{"sessionId":"s","projectHash":"h","startTime":"2026-05-04T10:00:00.000Z","lastUpdated":"2026-05-04T10:00:00.000Z","kind":"main"}`)
	}
	tool, args := "run_shell_command", fmt.Sprintf(`{"command":%q}`, d.run)
	text := pick(d.came, "Output: ok\nProcess Group PGID: 1", "Output: Process Group PGID: 2\nExit Code: 1\nProcess Group PGID: 1", "Command moved to background (PID: 1).", "[Operation Cancelled]").(string)
	if d.write != "" {
		tool, args, text = "write_file", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, filepath.Join(root, d.write)), "Successfully created"
	}
	l.add(`{"id":%s,"timestamp":"2026-05-04T10:00:01.000Z","type":"gemini","content":"","toolCalls":[{"id":%s,"name":%s,"args":`+args+`,"result":[{"functionResponse":{"id":"x","name":%s,"response":{"output":%s}}}],"status":%s}]}`,
		fmt.Sprint("m", l.calls), fmt.Sprint("g", l.calls), tool, tool, "<untrusted_context>\n"+text+"\n</untrusted_context>", pick(d.came, "success", "success", "success", "cancelled"))
}

func (l *lines) qwen(d did) {
	id, tool, args := fmt.Sprint("q", l.calls), "run_shell_command", fmt.Sprintf(`{"command":%q}`, d.run)
	text := pick(d.came, "Command: x\nOutput: ok\nError: (none)\nExit Code: 0\nSignal: 0\nProcess Group PGID: 1", "Command: x\nOutput: ok\nError: (none)\nExit Code: 0\nSignal: 9\nProcess Group PGID: 1", "Background shell started.", "[Operation Cancelled]").(string)
	if d.write != "" {
		tool, args, text = "write_file", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, filepath.Join(root, d.write)), "Successfully created"
	}
	const head = `"uuid":"u","sessionId":"s","timestamp":"2026-05-04T10:00:01.000Z","cwd":%s`
	l.add(`{`+head+`,"type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":%s,"name":%s,"args":`+args+`}}]}}`, root, id, tool)
	l.add(`{`+head+`,"type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":%s,"name":%s,"response":{"output":%s}}}]},"toolCallResult":{"status":%s}}`,
		root, id, tool, text, pick(d.came, "success", "success", "success", "cancelled"))
}

func (l *lines) copilot(d did) {
	if l.calls == 1 {
		l.add(`{"type":"session.start","data":{"sessionId":"s","context":{"cwd":%s}},"id":"e","timestamp":"2026-05-04T10:00:00.000Z","parentId":null}`, root)
	}
	id, tool, args := fmt.Sprint("c", l.calls), "bash", fmt.Sprintf(`{"command":%q}`, d.run)
	text := pick(d.came, "ok\n<shellId: 0 completed with exit code 0>", "ok\n<shellId: 0 completed with exit code 1>", "<command started in background with shellId: 1>", "The user rejected this tool call").(string)
	if d.write != "" {
		tool, args, text = "create", fmt.Sprintf(`{"path":%q,"file_text":"x"}`, filepath.Join(root, d.write)), "Created"
	}
	const head = `"id":"e","timestamp":"2026-05-04T10:00:01.000Z","parentId":"p"`
	l.add(`{"type":"tool.execution_start","data":{"toolCallId":%s,"toolName":%s,"arguments":`+args+`},`+head+`}`, id, tool)
	l.add(`{"type":"tool.execution_complete","data":{"toolCallId":%s,"success":%v,"result":{"content":%s}},`+head+`}`, id, pick(d.came, true, true, true, false), text)
}

func (l *lines) pi(d did) {
	if l.calls == 1 {
		l.add(`{"type":"session","version":3,"id":"s","timestamp":"2026-05-04T10:00:00.000Z","cwd":%s}`, root)
	}
	id, tool, args := fmt.Sprint("p", l.calls), "bash", fmt.Sprintf(`{"command":%q}`, d.run)
	if d.write != "" {
		tool, args = "write", fmt.Sprintf(`{"path":%q,"content":"x"}`, filepath.Join(root, d.write))
	}
	const head = `"type":"message","id":"i","parentId":"p","timestamp":"2026-05-04T10:00:01.000Z"`
	l.add(`{`+head+`,"message":{"role":"assistant","content":[{"type":"toolCall","id":%s,"name":%s,"arguments":`+args+`}]}}`, id, tool)
	if d.came != "running" {
		l.add(`{`+head+`,"message":{"role":"toolResult","toolCallId":%s,"toolName":%s,"content":[{"type":"text","text":"ok"}],"isError":%v}}`, id, tool, pick(d.came, false, true, true, true))
	}
}

func (l *lines) journal(d did) {
	id, tool, args := fmt.Sprint("j", l.calls), "bash", fmt.Sprintf(`{"command":%q}`, d.run)
	if d.write != "" {
		tool, args = "write", fmt.Sprintf(`{"filePath":%q,"content":"x"}`, filepath.Join(root, d.write))
	}
	const head = `"sentinelJournal":1,"agent":"opencode","session":"s","dir":%s,"time":"2026-05-04T10:00:01Z"`
	l.add(`{`+head+`,"kind":"call","id":%s,"tool":%s,"args":`+args+`,"cut":false}`, root, id, tool)
	l.add(`{`+head+`,"kind":"result","id":%s,"tool":%s,"text":"ok","failed":%v,"came":%v}`, root, id, tool, pick(d.came, false, true, false, true), pick(d.came, 1, 2, 3, 2))
}

// TestObligationsInRecords: a commit of a past session is judged by what the record says that
// the session did before, in the form of every agent.
func TestObligationsInRecords(t *testing.T) {
	t.Parallel()
	commit, write := did{run: "git commit -m x"}, did{write: "a.js"}
	for name, c := range map[string]struct {
		steps   []did
		objects int
	}{
		"nothing was written":    {[]did{commit}, 0},
		"not tested":             {[]did{write, commit}, 1},
		"tested":                 {[]did{write, {run: "make test"}, commit}, 0},
		"failed":                 {[]did{write, {run: "make test", came: "failed"}, commit}, 1},
		"failed, and then not":   {[]did{write, {run: "make test", came: "failed"}, {run: "make test"}, commit}, 0},
		"it goes on":             {[]did{write, {run: "make test", came: "running"}, commit}, 1},
		"refused":                {[]did{write, {run: "make test", came: "refused"}, commit}, 1},
		"written again":          {[]did{write, {run: "make test"}, {write: "b.js"}, commit}, 1},
		"written by a shell":     {[]did{write, {run: "make test"}, {run: "echo x > b.js"}, commit}, 1},
		"hidden by a pipe":       {[]did{write, {run: "make test | tail"}, commit}, 1},
		"not hidden by a pipe":   {[]did{write, {run: "set -o pipefail; make test | tail"}, commit}, 0},
		"after the end":          {[]did{write, {run: "exit 0; make test"}, commit}, 1},
		"twice, one of them not": {[]did{write, commit, {run: "make test"}, commit}, 1},
	} {
		for agent, record := range records {
			t.Run(name+"/"+agent, func(t *testing.T) {
				t.Parallel()
				l := &lines{}
				for _, step := range c.steps {
					l.calls++
					record(l, step)
				}
				path := filepath.Join(t.TempDir(), "rollout-s.jsonl")
				require.NoError(t, os.WriteFile(path, []byte(l.String()), 0o600))
				o := options(rules(t, testFirst), nil, nil)
				o.Sets[0].Engine.FailOpen = true
				r := named(t, run(t, o, path), "test-first", false)
				require.Equal(t, c.objects, r.Violations, "%+v\n%s", r, l)
				require.Zero(t, r.Unavailable, r)
			})
		}
	}
}

// TestUnknownResultsOfRecords: a result that the record does not tell does not count as success.
func TestUnknownResultsOfRecords(t *testing.T) {
	t.Parallel()
	for unknown, violations := range map[string]int{"": 0, "violation": 1, "pass": 0} {
		l := &lines{}
		for _, step := range []did{{write: "a.js"}, {run: "make test"}, {run: "git commit -m x"}} {
			l.calls++
			l.journal(step)
		}
		path := filepath.Join(t.TempDir(), "s.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(l.String(), `"came":1`, `"came":0`)), 0o600))
		text := testFirst
		if unknown != "" {
			text = strings.Replace(text, "since:", "unknown: "+unknown+", since:", 1)
		}
		r := named(t, run(t, options(rules(t, text), nil, nil), path), "test-first", false)
		require.Equal(t, violations, r.Violations, unknown)
		require.Equal(t, unknown == "", r.Unavailable == 1, unknown)
	}
}
