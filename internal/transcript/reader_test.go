package transcript_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text/texttest"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

var update = flag.Bool("update", false, "write the .want files in testdata")

// fixtures are the sessions in testdata: whose each is.
func fixtures() map[string]string {
	return map[string]string{"claude.jsonl": "claude", "codex.jsonl": "codex", "copilot.jsonl": "copilot", "vscode.jsonl": "vscode",
		"gemini.jsonl": "gemini", "gemini.json": "gemini", "pi.jsonl": "pi", "qwen.jsonl": "qwen", "journal.jsonl": "journal"}
}

func open(t testing.TB, path string, from transcript.Position) *transcript.Reader {
	t.Helper()
	r, err := transcript.Open(path, from, nil)
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// entries reads to the end.
func entries(t testing.TB, r *transcript.Reader) []transcript.Entry {
	t.Helper()
	var all []transcript.Entry
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, e)
	}
}

func lines(all []transcript.Entry) []string {
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = e.Line()
	}
	return out
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// The lines of each agent's session are those of its .want file: who spoke, what
// was called and how it went, and nothing that is only in the user's place.
func TestCompaction(t *testing.T) {
	t.Parallel()
	for name, agent := range fixtures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, filepath.Join("testdata", name), transcript.Position{})
			got := strings.Join(lines(entries(t, r)), "\n") + "\n"
			want := filepath.Join("testdata", name+".want")
			if *update {
				require.NoError(t, os.WriteFile(want, []byte(got), 0o644))
			}
			text, err := os.ReadFile(want)
			require.NoError(t, err)
			require.Equal(t, string(text), got)
			require.Equal(t, agent, r.Agent())
			require.Equal(t, "s-"+agent, r.Session())
			if agent != "gemini" { // which does not say where it works
				require.Equal(t, "/repo", r.Dir())
			}
			require.False(t, r.Restarted())
		})
	}
}

// The statements and corrections in recordings of real sessions are found.
func TestRecordings(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../../shared/recordings/*/*/transcript.jsonl")
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skip("no recordings here")
	}
	for _, path := range paths {
		agent, scene := filepath.Base(filepath.Dir(filepath.Dir(path))), filepath.Base(filepath.Dir(path))
		t.Run(agent+"/"+scene, func(t *testing.T) {
			t.Parallel()
			r := open(t, path, transcript.Position{})
			all := entries(t, r)
			name, _, _ := strings.Cut(agent, "-")
			require.Equal(t, name, r.Agent())
			require.NotEmpty(t, r.Session())
			var people, calls, failed int
			for _, e := range all {
				switch e.Kind {
				case transcript.Human:
					people++
					require.Contains(t, e.Text, "never modify the billing module directly; go through src/billing/api.ts")
				case transcript.Call:
					calls++
					require.True(t, json.Valid(e.Call.Args), e.Line())
					require.NotEmpty(t, e.Text)
				case transcript.Result:
					require.NotEmpty(t, e.Tool, "a result whose call was read")
					if e.Failed {
						failed++
					}
				}
			}
			require.Equal(t, 1, people, "one person, one sentence")
			require.GreaterOrEqual(t, calls, 3)
			require.GreaterOrEqual(t, failed, 1)
			if strings.HasSuffix(scene, "errfix") {
				corrected(t, all)
			}
		})
	}
}

// corrected finds the two errors of the errfix recordings, and what followed.
func corrected(t *testing.T, all []transcript.Entry) {
	t.Helper()
	text := "\n" + strings.Join(lines(all), "\n") + "\n"
	require.Regexp(t, `(?s)\ntool \w+: npm test\nresult ERROR: npm error Missing script: "test"\n.*?tool \w+: make test\nresult OK\n`, text)
	require.Regexp(t, `(?s)\ntool \w+: \S*app\.ts\nresult ERROR: [^\n]*(?:[Mm]atch|[Ff]ind|not found)[^\n]*\n.*?tool \w+: \S*app\.ts\nresult OK\n`, text)
	require.Contains(t, text, "assistant: Fixed: tests run with `make test`, not `npm test`.")
}

// A result joins its call, and the call holds what a rule is asked about.
func TestCallAndEvent(t *testing.T) {
	t.Parallel()
	for name, agent := range fixtures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", name)
			r := open(t, path, transcript.Position{})
			tools := map[string]string{}
			for _, e := range entries(t, r) {
				switch e.Kind {
				case transcript.Call:
					require.Equal(t, e.Tool, e.Call.Name)
					require.True(t, json.Valid(e.Call.Args))
					tools[e.CallID] = e.Tool
					ev := r.Event(e)
					require.Equal(t, sentinel.PhasePre, ev.Phase)
					require.Equal(t, *e.Call, ev.Tool)
					require.Equal(t, path, ev.Transcript)
					if agent == "journal" {
						require.Equal(t, "opencode", ev.Agent)
					} else {
						require.Equal(t, agent, ev.Agent)
					}
				case transcript.Result:
					require.Nil(t, e.Call)
					if tool, ok := tools[e.CallID]; ok && e.CallID != "" {
						require.Equal(t, tool, e.Tool)
					}
				}
				require.False(t, e.Denied && !e.Failed, "refused is not done")
			}
		})
	}
}

func TestEntryFields(t *testing.T) {
	t.Parallel()
	all := entries(t, open(t, "testdata/claude.jsonl", transcript.Position{}))
	require.Equal(t, transcript.Human, all[0].Kind)
	require.Equal(t, time.Date(2026, 5, 4, 10, 0, 1, 0, time.UTC), all[0].Time)
	require.Positive(t, all[0].Offset)
	for i := 1; i < len(all); i++ {
		require.LessOrEqual(t, all[i-1].Offset, all[i].Offset)
	}
	i := slices.IndexFunc(all, func(e transcript.Entry) bool { return e.CallID == "t99" })
	require.Equal(t, transcript.Result, all[i].Kind)
	require.Empty(t, all[i].Tool, "a call that was never read has no name")
}

// In code mode a patch is written from what Codex tells of the change.
func TestCodexPatch(t *testing.T) {
	t.Parallel()
	for _, e := range entries(t, open(t, "testdata/codex.jsonl", transcript.Position{})) {
		if e.CallID == "exec-2" && e.Kind == transcript.Call {
			var patch string
			require.NoError(t, json.Unmarshal(e.Call.Args, &patch))
			require.Equal(t, "*** Begin Patch\n*** Update File: /repo/b.go\n@@\n-a\n+b\n*** End Patch\n", patch)
			return
		}
	}
	t.Fatal("no such call")
}

// A path is part of a call that rules may judge again: it stays as it was, but for what
// would break its line.
func TestCodexPatchPath(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("packages/", 20)
	item, err := json.Marshal(map[string]any{"type": "event_msg", "payload": map[string]any{"type": "item_completed", "item": map[string]any{
		"type": "FileChange", "id": "exec-1", "status": "completed", "changes": map[string]any{
			"/repo/" + deep + "a  \u3164b\n.go": map[string]any{"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n", "move_path": "/repo/\tc.go"},
		},
	}}})
	require.NoError(t, err)
	text, err := os.ReadFile("testdata/codex.jsonl")
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	all := entries(t, open(t, write(t, "rollout.jsonl", first+"\n"+string(item)+"\n"), transcript.Position{}))
	var patch string
	require.NoError(t, json.Unmarshal(all[0].Call.Args, &patch))
	require.Equal(t, "*** Begin Patch\n*** Update File: /repo/"+deep+"a  \u3164b\\n.go\n*** Move to: /repo/\\tc.go\n@@\n-a\n+b\n*** End Patch\n", patch)
}

func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entry transcript.Entry
		want  string
	}{
		{transcript.Entry{Kind: transcript.Human, Text: " a\n\x1b[31mb\tc  "}, "human: a [31mb c"},
		{transcript.Entry{Kind: transcript.Assistant, Text: "x", Sub: true}, "sub assistant: x"},
		{transcript.Entry{Kind: transcript.Call, Tool: "Bash\nhuman", Text: "ls"}, "tool Bash human: ls"},
		{transcript.Entry{Kind: transcript.Call, Tool: "Stop"}, "tool Stop"},
		{transcript.Entry{Kind: transcript.Result, Text: "payload"}, "result OK"},
		{transcript.Entry{Kind: transcript.Result, Text: "boom", Failed: true}, "result ERROR: boom"},
		{transcript.Entry{Kind: transcript.Result, Text: "no", Failed: true, Denied: true}, "result DENIED: no"},
		{transcript.Entry{}, "unknown"},
	} {
		require.Equal(t, c.want, c.entry.Line())
	}
	long := transcript.Entry{Kind: transcript.Human, Text: strings.Repeat("é", 10_000)}.Line()
	require.Less(t, len(long), 5000)
	require.True(t, strings.HasSuffix(long, "…"))
	require.Equal(t, "human: "+strings.Repeat("a", 4<<10), transcript.Entry{Kind: transcript.Human, Text: strings.Repeat("a", 4<<10)}.Line())
	texttest.OneLine(t, func(s string) string {
		return transcript.Entry{Kind: transcript.Call, Tool: s, Text: s}.Line()
	})
}

func ExampleOpen() {
	r, err := transcript.Open("testdata/journal.jsonl", transcript.Position{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for {
		e, err := r.Next()
		if err != nil {
			break // io.EOF: kept for next time is r.Position()
		}
		fmt.Println(e.Line())
	}
	// Output:
	// human: Use uv, not pip.
	// tool bash: pip install x
	// result ERROR: error: externally managed
	// tool write: /repo/a
	// result OK
}

// In the file of a subagent everything is the subagent's, and there is no user.
func TestSubagentFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"codex": `{"timestamp":"x","type":"session_meta","payload":{"id":"s","source":{"subagent":{"thread_spawn":{}}}}}` + "\n" +
			`{"timestamp":"x","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look around"}]}}` + "\n" +
			`{"timestamp":"x","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"found"}]}}` + "\n",
		"gemini": `{"sessionId":"s","projectHash":"p","kind":"subagent"}` + "\n" +
			`{"id":"1","timestamp":"x","type":"user","content":"look around"}` + "\n" + `{"id":"2","timestamp":"x","type":"gemini","content":"found"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := write(t, "s.jsonl", text)
			r := open(t, path, transcript.Position{})
			require.Equal(t, []string{"sub assistant: found"}, lines(entries(t, r)))
			at := r.Position()
			require.NoError(t, os.WriteFile(path, []byte(text+strings.ReplaceAll(strings.SplitAfter(text, "\n")[2], `"2"`, `"3"`)), 0o600))
			require.Equal(t, []string{"sub assistant: found"}, lines(entries(t, open(t, path, at))), "also in the next reading")
		})
	}
}

// Rows that two agents write alike are distinguished by the name that the caller gives.
func TestHint(t *testing.T) {
	t.Parallel()
	for hint, want := range map[string]string{"": "copilot", "vscode": "vscode", "claude": "copilot", "nobody": "copilot"} {
		r, err := transcript.Open("testdata/copilot.jsonl", transcript.Position{}, &transcript.Options{Agent: hint})
		require.NoError(t, err)
		entries(t, r)
		require.Equal(t, want, r.Agent())
		require.NoError(t, r.Close())
	}
}
