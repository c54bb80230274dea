package transcript

import (
	"strings"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

var copilotRecords = knownFormat{name: agent.FormatCopilot, format: copilot{}, shows: (*features).copilot}

// vscodeRecords are Copilot CLI's with marks of the editor.
var vscodeRecords = knownFormat{
	name: agent.FormatVSCode, format: copilot{}, alike: agent.FormatCopilot,
	shows: func(f *features) bool { return f.copilot() && f.editor },
}

func (f *features) copilot() bool {
	return f.data && (f.parent || f.id) && strings.Contains(f.kind, ".")
}

// copilot reads the events.jsonl of Copilot CLI and the transcript of Copilot in
// VS Code, which has the same rows: {type, data, id, timestamp, parentId}.
type copilot struct{}

func (copilot) read(s *jsonscan.Scanner, w *row) {
	var d copilotData
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			w.kind = w.name(s)
		case "timestamp":
			w.time = stamp(s)
		case "agentId":
			w.sub = w.name(s) != ""
		case "data":
			d = copilotData{}
			w.blocks = w.blocks[:0]
			s.Object(func(key []byte) { d.member(s, w, key) })
		}
	})
	d.events(w)
}

// copilotData has the members of the data of an event of any type.
type copilotData struct {
	text, source string
	cut          bool
	call         block
	server, tool string
	output       block
	failure      block
	code         string
	success      bool
	stated       bool // success is known
	exit         int64
}

// member reads one member of data.
func (d *copilotData) member(s *jsonscan.Scanner, w *row, key []byte) {
	switch string(key) {
	case "content":
		d.text, d.cut = w.words(s)
	case "source":
		d.source = w.name(s)
	case "sessionId":
		w.session = w.name(s)
	case "cwd":
		w.dir = s.Text(maxTarget)
	case "context":
		only(s, "cwd", func() { w.dir = s.Text(maxTarget) })
	case "parentToolCallId":
		w.sub = w.sub || w.name(s) != ""
	case "toolRequests":
		copilotRequests(s, w)
	case "toolCallId":
		d.call.id = w.name(s)
	case "toolName":
		d.call.tool = w.name(s)
	case "arguments":
		copilotArguments(s, w, &d.call)
	case "mcpServerName":
		d.server = w.name(s)
	case "mcpToolName":
		d.tool = w.name(s)
	case "success":
		d.success, d.stated = s.Flag()
	case "shellExecution":
		only(s, "exitCode", func() { d.exit, _ = s.Integer() })
	case "result":
		copilotResult(s, w, &d.output)
	case "error":
		d.error(s, w)
	}
}

// copilotRequests reads the calls that a message asks for.
func copilotRequests(s *jsonscan.Scanner, w *row) {
	w.blocks = w.blocks[:0]
	s.Array(func() {
		b := w.add(block{kind: Call})
		server, tool := "", ""
		s.Object(func(key []byte) {
			switch string(key) {
			case "toolCallId":
				b.id = w.name(s)
			case "name":
				b.tool = w.name(s)
			case "arguments":
				copilotArguments(s, w, b)
			case "mcpServerName":
				server = w.name(s)
			case "mcpToolName":
				tool = w.name(s)
			}
		})
		if server != "" {
			b.target = server + ":" + tool
		}
	})
}

// copilotArguments reads arguments: an object, in VS Code as text.
func copilotArguments(s *jsonscan.Scanner, w *row, b *block) {
	if s.Token() != '"' {
		w.arguments(s, b)
		return
	}
	var text string
	text, b.cut = w.read(s, 2*MaxArgs)
	b.args = jsonArguments(text, b)
}

// copilotResult reads the text that the model got. A longer one for the user is in
// another member.
func copilotResult(s *jsonscan.Scanner, w *row, b *block) {
	if s.Token() != '{' {
		w.output(s, b)
		return
	}
	s.Object(func(key []byte) {
		if k := string(key); k == "content" || k == "contents" && b.text == "" {
			w.output(s, b)
		}
	})
}

// error reads why a call failed: {message, code}.
func (d *copilotData) error(s *jsonscan.Scanner, w *row) {
	if s.Token() != '{' {
		w.output(s, &d.failure)
		return
	}
	s.Object(func(key []byte) {
		switch string(key) {
		case "message":
			w.output(s, &d.failure)
		case "code":
			d.code = w.name(s)
		}
	})
}

// events makes blocks of an event.
func (d *copilotData) events(w *row) {
	requests := w.blocks
	if w.kind != "assistant.message" {
		w.blocks = w.blocks[:0]
	}
	switch w.kind {
	case "user.message":
		if d.source == "" || d.source == "user" {
			w.add(block{kind: Human, text: d.text, cut: d.cut})
		}
	case "assistant.message":
		w.blocks = append([]block{{kind: Assistant, text: d.text, cut: d.cut}}, requests...)
	case "tool.execution_start":
		d.call.kind, d.call.repeat = Call, true
		if d.server != "" {
			d.call.target = d.server + ":" + d.tool
		}
		w.add(d.call)
	case "tool.execution_complete":
		d.complete(w)
	case "abort":
		w.add(block{kind: Result, text: "the person interrupted the work", failed: true, denied: true})
	case "session.snapshot_rewind":
		w.add(rewound())
	case "session.start", "session.resume", "session.context_changed":
	default:
		w.dir, w.session = "", "" // payloads of hooks repeat the names of other agents
		w.skip = true
	}
}

// complete makes the result of a call. A command that failed is a success of the
// tool that ran it.
func (d *copilotData) complete(w *row) {
	b := d.output
	if d.stated && !d.success || d.failure.text != "" {
		b = d.failure
		b.failed = true
	}
	b.kind, b.id, b.tool = Result, d.call.id, d.call.tool
	outcome(&b, "")
	if d.exit != 0 {
		b.failed = true
	}
	if d.code == "denied" || d.code == "rejected" {
		b.failed, b.denied = true, true
	}
	w.add(b)
}
