package transcript

import (
	"strconv"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

var claudeRecords = knownFormat{
	name: agent.FormatClaude, format: claude{},
	shows: func(f *features) bool { return f.uuid && (f.content || f.sidechain || f.user) && claudeKind(f.kind) },
}

func claudeKind(kind string) bool {
	switch kind {
	case "user", "assistant", "system", "attachment", "progress":
		return true
	}
	return false
}

// claude reads the session file of Claude Code 2.x: one message per row, with
// content as text or as a list of blocks. A subagent's file has the same rows.
type claude struct{}

// claudeVerdict is what a row says about the permission for a tool call.
type claudeVerdict struct {
	stated   bool // the row says something
	rejected bool
	user     bool // the user rejected it
}

func (claude) read(s *jsonscan.Scanner, w *row) {
	var v claudeVerdict
	foreign := false // a text with role user that the user did not type
	end := claudeEnd{}
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			w.kind = w.name(s)
		case "message":
			claudeMessage(s, w)
		case "attachment":
			foreign = claudeQueued(s, w) || foreign
		case "isSidechain":
			w.sub, _ = s.Flag()
		case "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly":
			if on, _ := s.Flag(); on {
				foreign = true
			}
		case "toolUseResult":
			end = claudeUnfinished(s)
		case "origin":
			foreign = claudeOrigin(s, w) || foreign
		case "permissionDecision":
			claudePermission(s, w, &v)
		case "toolDenialKind":
			kind := w.name(s)
			v.stated = true
			v.rejected = v.rejected || kind != ""
			v.user = v.user || kind == "user-rejected"
		case "timestamp":
			w.time = stamp(s)
		case "cwd":
			w.dir = s.Text(maxTarget)
		case "sessionId":
			w.session = w.name(s)
		}
	})
	switch w.kind {
	case "user", "assistant", "attachment":
	default:
		w.skip = true
		return
	}
	for i := range w.blocks {
		b := &w.blocks[i]
		claudeBlock(b, w.kind, v)
		b.came = max(b.came, end.came)
		if b.kind == Human && foreign {
			b.kind = KindUnknown
			end.notified(b.text)
		}
	}
	claudeReasons(w, v)
	if end.task != "" {
		w.add(block{outcome: true, id: end.task, came: end.told()})
	}
}

// A claudeEnd is what a row tells of a command that was not waited for, or was stopped.
type claudeEnd struct {
	came               sentinel.Result // of the command of this row
	task, status, code string          // of another one
}

// claudeUnfinished reads whether a command that reported no error was stopped, or goes on; of
// the tools that read the output of one that goes on, what came of it.
func claudeUnfinished(s *jsonscan.Scanner) (end claudeEnd) {
	read := func(key string) {
		switch key {
		case "task_id", "shellId":
			end.task = s.Text(maxName)
		case "status":
			end.status = s.Text(maxName)
		case "exitCode":
			if code, ok := s.Integer(); ok {
				end.code = strconv.FormatInt(code, 10)
			}
		}
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "interrupted":
			if on, _ := s.Flag(); on {
				end.came = max(end.came, sentinel.ResultFailed)
			}
		case "backgroundTaskId":
			if s.Token() == '"' {
				end.came = sentinel.ResultRunning
			}
		case "task":
			s.Object(func(key []byte) { read(string(key)) })
		default:
			read(string(key))
		}
	})
	return end
}

// notified reads the notice with which Claude Code tells the model that a command has ended.
func (e *claudeEnd) notified(notice string) {
	body, ok := strings.CutPrefix(strings.TrimSpace(notice), "<task-notification>")
	if !ok {
		return
	}
	between := func(tag string) string {
		_, rest, _ := strings.Cut(body, "<"+tag+">")
		text, _, _ := strings.Cut(rest, "</"+tag+">")
		return text
	}
	e.task, e.status = between("task-id"), between("status")
	if said := between("summary"); strings.HasPrefix(said, "Background command ") {
		_, e.code, _ = strings.Cut(said[strings.LastIndexByte(said, '"')+1:], "(exit code ")
		e.code = e.code[:max(strings.IndexAny(e.code, ":)"), 0)]
	}
}

// told is the result that the row tells of the other command.
func (e *claudeEnd) told() sentinel.Result {
	switch {
	case e.status == "running" || e.status == "pending":
		return sentinel.ResultRunning
	case e.status == "completed" && e.code == "0":
		return sentinel.ResultSucceeded
	case e.status == "" || e.status == "completed" && e.code == "":
		return sentinel.ResultUnknown
	}
	return sentinel.ResultFailed
}

// claudePermission reads who decided about a call.
func claudePermission(s *jsonscan.Scanner, w *row, v *claudeVerdict) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "decision":
			switch w.name(s) {
			case "accept", "allow":
				v.stated = true
			case "reject", "deny":
				v.stated, v.rejected = true, true
			}
		case "source":
			v.user = v.user || strings.HasPrefix(w.name(s), "user")
		}
	})
}

func claudeMessage(s *jsonscan.Scanner, w *row) {
	w.blocks = w.blocks[:0]
	only(s, "content", func() { claudeContent(s, w) })
}

// claudeQueued reads the words that the user typed while the agent was working. They
// join the turn as an attachment and never become a row of type user. notice says that they
// are Claude Code's own, about a command that has ended.
func claudeQueued(s *jsonscan.Scanner, w *row) (notice bool) {
	w.blocks = w.blocks[:0]
	kind, mode, other := "", "", false
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			kind = w.name(s)
		case "commandMode":
			mode = w.name(s)
		case "isMeta":
			on, _ := s.Flag()
			other = other || on
		case "origin":
			other = claudeOrigin(s, w) || other
		case "prompt":
			claudeContent(s, w)
		}
	})
	switch {
	case kind == "queued_command" && mode == "task-notification":
		return true
	case kind != "queued_command" || mode != "" && mode != "prompt" || other:
		w.blocks = w.blocks[:0]
	}
	return false
}

// claudeOrigin reports whether a text is not from the user.
func claudeOrigin(s *jsonscan.Scanner, w *row) (other bool) {
	only(s, "kind", func() {
		kind := w.name(s)
		other = kind != "" && kind != "human"
	})
	return other
}

// claudeContent reads the content of a message.
func claudeContent(s *jsonscan.Scanner, w *row) {
	w.blocks = w.blocks[:0]
	w.content(s, func(key string, b *block) {
		switch key {
		case "type":
			b.role = w.name(s)
		case "id", "tool_use_id":
			b.id = w.name(s)
		case "input":
			w.arguments(s, b)
		case "content":
			w.output(s, b)
		case "is_error":
			b.failed, _ = s.Flag()
		}
	})
}

// content reads a text, or a list of blocks. part reads the members whose names or
// meaning the formats do not share.
func (w *row) content(s *jsonscan.Scanner, part func(key string, b *block)) {
	if s.Token() == '"' {
		b := w.add(block{role: "text"})
		b.text, b.cut = w.words(s)
		return
	}
	s.Array(func() {
		b := w.add(block{})
		s.Object(func(key []byte) {
			switch string(key) {
			case "text":
				b.text, b.cut = w.words(s)
			case "name":
				b.tool = w.name(s)
			default:
				part(string(key), b)
			}
		})
	})
}

// claudeBlock says what kind of event a block is.
func claudeBlock(b *block, kind string, v claudeVerdict) {
	switch {
	case b.role == "text" && kind == "assistant":
		b.kind = Assistant
	case b.role == "text":
		b.kind = Human
	case b.role == "tool_use" && kind == "assistant":
		b.kind = Call
	case b.role == "tool_result" && kind == "user":
		b.kind = Result
		b.worded = !v.stated && b.failed && claudeRefusal(b.text)
		b.denied = v.rejected || b.worded
		b.failed = b.failed || b.denied
		b.came = went(b.failed)
	}
}

// claudeRefusal reports whether the text of an error belongs to a call that the user
// or a hook refused. It is for rows of versions that do not say so themselves.
func claudeRefusal(text string) bool {
	return ours(text) ||
		begins(text, "The user doesn't want to", "Permission for this tool use was denied", "Permission to use ", "PreToolUse:", "Hook PreToolUse:")
}

// claudeReasons turns the reason of a refusal into words of the user. The output of
// an MCP server may look like a refusal, so the row has to say that the user refused,
// or the call has to be one of the agent's own tools.
func claudeReasons(w *row, v claudeVerdict) {
	for i := range w.blocks {
		b := &w.blocks[i]
		if b.kind != Result || !b.denied {
			continue
		}
		words := rejectionWords(b.text)
		if strings.HasPrefix(b.text, refused) {
			b.text = refused // the rest tells the model what to do next
		}
		if words != "" && (v.user || !v.stated) {
			w.add(block{kind: Human, text: words, id: b.id, ownTool: !v.stated})
		}
	}
}

// refused begins the text of a call that the user refused.
const refused = "The user doesn't want to proceed with this tool use."

// rejectionWords are the words of the user who refused a call.
func rejectionWords(text string) string {
	if !strings.HasPrefix(text, refused) {
		return ""
	}
	for _, mark := range []string{"the user said:", "reason for the rejection:"} {
		if _, words, ok := strings.Cut(text, mark); ok {
			words, _, _ = strings.Cut(words, "\n\nNote: The user's next message may contain")
			words = strings.TrimSpace(words)
			if strings.HasPrefix(words, "The user wants to clarify these questions.") {
				return ""
			}
			return words
		}
	}
	return ""
}
