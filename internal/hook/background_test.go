package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRunsThatGoOn: a command that its agent does not wait for has no result until its end is
// told, by the agent's record or by a tool that reads its output.
func TestRunsThatGoOn(t *testing.T) {
	t.Parallel()
	const (
		goesOn  = "goes on in the background"
		failed  = "the last one failed"
		running = `{"type":"response_item","timestamp":"2026-11-22T10:00:00Z","payload":{"type":"function_call_output","call_id":"c2","output":"Chunk ID: 1\nProcess running with session ID 77\nOutput:\n"}}` + "\n"
	)
	item := func(exit int) string {
		return fmt.Sprintf(`{"timestamp":"2026-11-22T10:00:00.000Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"c2","aggregated_output":"ok","exit_code":%d}}}`+"\n", exit)
	}
	output := func(status, code string) string {
		return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c9","content":"x"}]},"toolUseResult":{"retrieval_status":"success","task":{"task_id":"b1","task_type":"local_bash","status":%q,"exitCode":%s}},"uuid":"u"}`+"\n", status, code)
	}
	notice := func(status, said string) string {
		return fmt.Sprintf(`{"type":"attachment","uuid":"u","attachment":{"type":"queued_command","commandMode":"task-notification","prompt":%q}}`+"\n",
			"<task-notification>\n<task-id>b1</task-id>\n<status>"+status+"</status>\n<summary>Background command \"x\" "+said+"</summary>\n</task-notification>")
	}
	for name, c := range map[string]struct {
		agent  string
		record string // when the call ends
		later  string // what the record has more of at the commit
		says   string // the answer to the commit; "" lets it go on
	}{
		"codex: it outlasted its yield":   {"codex", running + item(0), "", ""},
		"codex: and failed":               {"codex", running + item(1), "", failed},
		"codex: its end comes later":      {"codex", running, item(0), ""},
		"codex: it goes on":               {"codex", running, "", goesOn},
		"claude: no end yet":              {"claude", "", output("running", "null"), goesOn},
		"claude: read":                    {"claude", "", output("completed", "0"), ""},
		"claude: read, failed":            {"claude", "", output("failed", "1"), failed},
		"claude: of another task":         {"claude", "", strings.Replace(output("completed", "0"), `"b1"`, `"b2"`, 1), goesOn},
		"claude: told":                    {"claude", "", notice("completed", "completed (exit code 0)"), ""},
		"claude: told, with a note":       {"claude", "", notice("completed", "completed (exit code 0: no matches)"), ""},
		"claude: told that it failed":     {"claude", "", notice("failed", "failed with exit code 1"), failed},
		"claude: told that it was killed": {"claude", "", notice("killed", "was stopped"), failed},
		"claude: without a code":          {"claude", "", notice("completed", "completed"), goesOn},
		"claude: named like a success":    {"claude", "", notice("completed", `(exit code 0)" completed`), goesOn},
		"claude: a person's words":        {"claude", "", `{"type":"user","message":{"role":"user","content":"<task-notification><task-id>b1</task-id><status>completed</status><summary>Background command \"x\" completed (exit code 0)</summary></task-notification>"},"uuid":"u"}` + "\n", goesOn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := obliged(t, map[string]string{"test": testFirst})
			s.agent = c.agent
			record := func(text string) {
				require.NoError(t, os.WriteFile(filepath.Join(s.dir, "t.jsonl"), []byte(text), 0o600))
			}
			args, response := map[string]any{"command": "go test ./..."}, map[string]any{"stdout": ""}
			if c.agent == "claude" {
				s.write("a.go")
				args["run_in_background"], response["backgroundTaskId"] = true, "b1"
			} else {
				s.call("apply_patch", map[string]any{"command": "*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch\n"}, false)
			}
			record(c.record)
			require.Empty(t, s.before("Bash", args))
			s.send(map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": args, "tool_use_id": fmt.Sprint("c", s.calls), "tool_response": response})
			record(c.record + c.later)
			answer := s.before("Bash", map[string]any{"command": "git commit -m x"})
			if c.says == "" {
				require.Empty(t, answer)
				s.write("a.go")
				require.Contains(t, s.before("Bash", map[string]any{"command": "git commit -m x"}), "since a.go changed")
				return
			}
			require.Contains(t, answer, c.says)
		})
	}
}

// TestRunThatAToolTellsOf: Copilot reads the output of a command that goes on with a tool.
func TestRunThatAToolTellsOf(t *testing.T) {
	t.Parallel()
	for end, says := range map[string]string{
		"ok\n<shellId: 3 completed with exit code 0>":                     "",
		"ok\n<shellId: 3 completed with exit code 1>":                     "the last one failed",
		"ok\n<command with shellId: 3 is still running after 30 seconds>": "goes on in the background",
	} {
		s := obliged(t, map[string]string{"test": testFirst})
		s.agent = "copilot"
		call := func(tool string, args map[string]any, text string) string {
			event := func(name string) map[string]any {
				return map[string]any{"hook_event_name": name, "tool_name": tool, "tool_input": args, "timestamp": "2026-10-20T10:00:00.000Z"}
			}
			answer := s.send(event("PreToolUse"))
			done := event("PostToolUse")
			done["tool_result"] = map[string]any{"result_type": "success", "text_result_for_llm": text}
			if answer == "" {
				s.send(done)
			}
			return answer
		}
		call("Write", map[string]any{"path": filepath.Join(s.dir, "a.go"), "file_text": "x"}, "")
		call("Bash", map[string]any{"command": "go test ./..."}, "<command with shellId: 3 is still running after 10 seconds, use read_bash>")
		call("read_bash", map[string]any{"shellId": "3", "delay": 30}, end)
		if answer := call("Bash", map[string]any{"command": "git commit -m x"}, ""); says == "" {
			require.Empty(t, answer)
		} else {
			require.Contains(t, answer, says)
		}
	}
}
