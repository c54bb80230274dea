package transcript

import (
	"bytes"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// went is the result of a command whose record says whether it failed.
func went(failed bool) sentinel.Result {
	if failed {
		return sentinel.ResultFailed
	}
	return sentinel.ResultSucceeded
}

// settled is what two lines tell of one call: that it goes on counts until its end is told.
func settled(a, b sentinel.Result) sentinel.Result {
	switch {
	case a == sentinel.ResultRunning && b != sentinel.ResultUnknown:
		return b
	case b == sentinel.ResultRunning && a != sentinel.ResultUnknown:
		return a
	}
	return max(a, b)
}

// maxTail is how much of the end of a record is looked at for one result, in bytes.
const maxTail = 4 << 20

// ResultOf is what the end of a record in a format says came of a call, or of a command that
// goes on, by the name that the agent gave it. Where ends differ, another program has written
// some, and none counts as success.
func ResultOf(path, format, id string) (came sentinel.Result) {
	f, ok := formatNamed(format)
	if !ok || id == "" || path == "" {
		return sentinel.ResultUnknown
	}
	file, info, err := safefile.Open(path)
	if err != nil {
		return sentinel.ResultUnknown
	}
	defer file.Close()
	tail := make([]byte, min(info.Size(), maxTail))
	if n, err := file.ReadAt(tail, info.Size()-int64(len(tail))); n < len(tail) && err != nil {
		return sentinel.ResultUnknown
	}
	named, w := jsonscan.AppendString(nil, id), row{}
	named = named[1 : len(named)-1] // it may be a part of a text
	for line := range bytes.Lines(tail) {
		if !bytes.Contains(line, named) {
			continue
		}
		w.reset()
		s := jsonscan.Bytes(bytes.TrimRight(line, "\n"))
		if f.format.read(s, &w); !s.OK() {
			continue
		}
		for i := range w.blocks {
			if b := &w.blocks[i]; b.id == id && (b.outcome || b.kind == Result) {
				came = settled(came, b.came)
			}
		}
	}
	return came
}

// runs reports whether a tool of that name runs commands.
func runs(name string) bool {
	tool, _ := agent.Registry{}.Tool("", name)
	return tool.Does == sentinel.Bash
}

// exitCode finds the exit code in the end of an output as Gemini CLI and Qwen
// ("Exit Code: 1") and Copilot CLI ("<shellId: 0 completed with exit code 1>")
// write it. The last one counts: earlier ones are output of the command.
func exitCode(tail string) (code string, ok bool) {
	for _, mark := range []string{"Exit Code: ", "completed with exit code "} {
		if i := strings.LastIndex(tail, mark); i >= 0 {
			rest := tail[i+len(mark):]
			end := 0
			for end < len(rest) && (rest[end] == '-' || '0' <= rest[end] && rest[end] <= '9') {
				end++
			}
			if end > 0 {
				return rest[:end], true
			}
		}
	}
	return "", false
}

// refusal reports whether an output is an agent's fixed wording for a call that a hook
// or the user refused.
func refusal(text string) bool {
	return ours(text) || begins(text,
		"Denied by preToolUse hook", "The user rejected this tool call", // Copilot CLI
		"Command blocked by PreToolUse hook", "Tool call blocked by PreToolUse hook", "patch rejected", "exec command rejected", "aborted by user", // Codex
		"Tool execution blocked:", "[Operation Cancelled]", // Gemini CLI, Qwen
	)
}
