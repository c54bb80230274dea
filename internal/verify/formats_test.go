package verify_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/transcript"
	"github.com/agentsentinel/sentinel/internal/verify"
)

// A kept is a transcript as one agent keeps it, below the home folder. In its texts ROOT is
// the project, TIME and ID are those of a call, and ARGS its arguments.
type kept struct {
	path, head, call string
	args             string // with PATH
	beside           string // a further file of the folder
	byArgs           bool   // its hooks are told other ids, or none
	mark             string // without which no call can be read
}

// each is the transcripts of all agents that keep one, by format.
var each = map[string]kept{
	"claude": {
		path: ".claude/projects/MANGLED/s1.jsonl",
		args: `{"file_path":"PATH","content":"x"}`,
		call: `{"type":"assistant","uuid":"u","sessionId":"s1","cwd":"ROOT","timestamp":"TIME","message":{"role":"assistant","content":[{"type":"tool_use","id":"ID","name":"Write","input":ARGS}]}}`,
		mark: `"tool_use"`,
	},
	"codex": {
		path: ".codex/sessions/2026/05/04/rollout-s1.jsonl",
		head: `{"timestamp":"TIME","type":"session_meta","payload":{"id":"s1","session_id":"s1","cwd":"ROOT","source":"cli"}}`,
		args: `"*** Begin Patch\n*** Add File: PATH\n+x\n*** End Patch\n"`,
		call: `{"timestamp":"TIME","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":ARGS,"call_id":"ID"}}`,
		mark: `"custom_tool_call"`,
	},
	"copilot": {
		path: ".copilot/session-state/s1/events.jsonl",
		head: `{"type":"session.start","data":{"sessionId":"s1","context":{"cwd":"ROOT"}},"id":"e","timestamp":"TIME","parentId":null}`,
		args: `{"path":"PATH","file_text":"x"}`,
		call: `{"type":"tool.execution_start","data":{"toolCallId":"ID","toolName":"create","arguments":ARGS},"id":"e-ID","timestamp":"TIME","parentId":null}`,
		mark: `"tool.execution_start"`, byArgs: true,
	},
	"gemini": {
		path: ".gemini/tmp/repo/chats/session-s1.jsonl", beside: ".gemini/tmp/repo/.project_root",
		head: `{"sessionId":"s1","projectHash":"abc","startTime":"TIME","lastUpdated":"TIME","kind":"main"}`,
		args: `{"file_path":"PATH","content":"x"}`,
		call: `{"id":"m-ID","timestamp":"TIME","type":"gemini","content":"","toolCalls":[{"id":"ID","name":"write_file","args":ARGS,"status":"executing","timestamp":"TIME"}]}`,
		mark: `"toolCalls"`, byArgs: true,
	},
	"pi": {
		path: ".pi/agent/sessions/--repo--/s1.jsonl",
		head: `{"type":"session","version":3,"id":"s1","timestamp":"TIME","cwd":"ROOT"}`,
		args: `{"path":"PATH","content":"x"}`,
		call: `{"type":"message","id":"m-ID","parentId":"m","timestamp":"TIME","message":{"role":"assistant","content":[{"type":"toolCall","id":"ID","name":"write","arguments":ARGS}]}}`,
		mark: `"toolCall"`,
	},
	"qwen": {
		path: ".qwen/projects/repo/chats/s1.jsonl",
		args: `{"file_path":"PATH","content":"x"}`,
		call: `{"uuid":"q-ID","parentUuid":null,"sessionId":"s1","timestamp":"TIME","type":"assistant","cwd":"ROOT","message":{"role":"model","parts":[{"functionCall":{"id":"ID","name":"write_file","args":ARGS}}]}}`,
		mark: `"functionCall"`, byArgs: true,
	},
}

// keeping is a world with the transcript of one agent.
type keeping struct {
	*world
	kept
	agent string
	text  strings.Builder
}

func (k *keeping) put(form, id string) {
	root, err := json.Marshal(k.repo)
	require.NoError(k.t, err)
	form = strings.NewReplacer("ARGS", k.arguments(id), "ROOT", strings.Trim(string(root), `"`), "TIME", k.tick().UTC().Format(time.RFC3339Nano), "ID", id).Replace(form)
	k.text.WriteString(form + "\n")
}

// arguments are those of a call: each writes a file of its own.
func (k *keeping) arguments(id string) string {
	return strings.ReplaceAll(k.args, "PATH", "src/billing/"+id+".ts")
}

// asked leaves the receipt of a call.
func (k *keeping) asked(id string) {
	call := state.Traced{ID: state.CallDigest(id), Args: state.ArgsDigest(json.RawMessage(k.arguments(id))), Tool: "write"}
	if k.byArgs {
		call.ID = 0
	}
	k.project().Past().Trace().Begin(state.Session{Agent: k.agent, ID: "s1", Dir: k.repo}, call).End(state.TraceStopped, 0)
}

func (k *keeping) save(text string) *verify.Session {
	k.t.Helper()
	path := strings.ReplaceAll(k.path, "MANGLED", filepath.Base(filepath.Dir(k.transcript())))
	k.file(filepath.Join(k.home, filepath.FromSlash(path)), text)
	if k.beside != "" {
		k.file(filepath.Join(k.home, filepath.FromSlash(k.beside)), k.repo)
	}
	return k.last()
}

// eachFormat runs a test for the transcript of each agent.
func eachFormat(t *testing.T, test func(t *testing.T, k *keeping)) {
	t.Helper()
	for _, name := range transcript.Formats() {
		if name == "journal" || name == "vscode" { // Sentinel's own, and Copilot CLI's with marks
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			form, known := each[name]
			require.True(t, known, "verify reads this format and no test has it")
			k := &keeping{world: newWorld(t), kept: form, agent: name}
			if k.head != "" {
				k.put(k.head, "")
			}
			test(t, k)
		})
	}
}

// Of 200 calls three were never seen: exactly those three are named, in every format.
func TestThreeOfTwoHundredInEachFormat(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, k *keeping) {
		unseen := []string{"call017", "call101", "call199"}
		for i := range 200 {
			id := fmt.Sprintf("call%03d", i)
			if id != unseen[0] && id != unseen[1] && id != unseen[2] {
				k.asked(id)
			}
			k.put(k.call, id)
		}
		s := k.save(k.text.String())
		require.Equal(t, unseen, ids(s, verify.Never))
		require.Equal(t, verify.Counts{Calls: 200, Asked: 197, Checked: 197, Never: 3}, s.Counts)
		require.Equal(t, "src/billing/call017.ts", s.Listed[0].Subject)
		require.Equal(t, k.agent, s.Agent)
	})
}

// A call that was added is never seen, and one that was taken out is not in the
// transcript. A cut one counts as far as it goes, and a newer form is reported.
func TestForgedAndCutInEachFormat(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, k *keeping) {
		head := k.text.String()
		for _, id := range []string{"a", "hidden", "b"} {
			k.asked(id)
		}
		for _, id := range []string{"a", "invented", "b"} {
			k.put(k.call, id)
		}
		text := k.text.String()
		s := k.save(text)
		require.Equal(t, []string{"invented"}, ids(s, verify.Never))
		require.Equal(t, verify.Counts{Calls: 3, Asked: 2, Checked: 2, Never: 1, Extra: 1}, s.Counts)

		s = k.save(text[:len(text)-20])
		require.Equal(t, verify.Counts{Calls: 2, Asked: 1, Checked: 1, Never: 1, Extra: 2}, s.Counts, "the last call is cut off")

		s = k.save(head + `{"type":"of a later version","id":7}` + "\n" + strings.TrimPrefix(text, head))
		require.Equal(t, 3, s.Calls, "a line of another kind is passed over")

		s = k.save(head + strings.ReplaceAll(strings.TrimPrefix(text, head), k.mark, k.mark[:len(k.mark)-1]+`_v9"`))
		require.False(t, s.Verified(), "%+v", s)
	})
}

// A transcript of any length is read in pieces.
func TestHugeCallInEachFormat(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, k *keeping) {
		k.put(k.call, "a")
		k.put(strings.ReplaceAll(k.call, "ARGS", strings.Replace(k.arguments("b"), "x", strings.Repeat("x", 3<<20), 1)), "b")
		k.put(k.call, "c")
		s := k.save(k.text.String())
		require.Equal(t, 3, s.Calls)
		require.Equal(t, []string{"a", "b", "c"}, ids(s, verify.Never))
	})
}

// The work of a subagent is in a record of its own, and counts to the session.
func TestRecordsOfSubagents(t *testing.T) {
	t.Parallel()
	for name, sub := range map[string]struct{ path, head string }{
		"claude": {".claude/projects/MANGLED/s1/subagents/agent-1.jsonl", ""},
		"codex":  {".codex/sessions/2026/05/04/rollout-t2.jsonl", `{"timestamp":"TIME","type":"session_meta","payload":{"id":"t2","session_id":"s1","cwd":"ROOT","source":{"subagent":{"thread_spawn":{}}}}}` + "\n" + `{"timestamp":"TIME","type":"event_msg","payload":{"type":"thread_settings","thread_id":"t2"}}`},
		"gemini": {".gemini/tmp/repo/chats/s1/s2.jsonl", `{"sessionId":"s2","projectHash":"abc","startTime":"TIME","lastUpdated":"TIME","kind":"subagent"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &keeping{world: newWorld(t), kept: each[name], agent: name}
			k.path = sub.path
			if sub.head != "" {
				k.put(sub.head, "")
			}
			k.asked("b")
			k.put(k.call, "b")
			k.put(k.call, "unseen")
			record := k.text.String()
			k.text.Reset()
			if each[name].head != "" {
				k.put(each[name].head, "")
			}
			k.asked("a")
			k.put(k.call, "a")
			k.path = each[name].path
			main := k.text.String()
			k.save(main)
			k.path = sub.path
			s := k.save(record)
			require.Len(t, s.Transcripts, 2)
			require.Equal(t, "s1", s.ID)
			require.Equal(t, verify.Counts{Calls: 3, Asked: 2, Checked: 2, Never: 1}, s.Counts)
			require.Equal(t, []string{"unseen"}, ids(s, verify.Never))
		})
	}
}
