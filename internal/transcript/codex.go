package transcript

import (
	"cmp"
	"encoding/json"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

var codexRecords = knownFormat{
	name: agent.FormatCodex, format: codex{},
	shows: func(f *features) bool { return f.payload && f.stamped && codexKind(f.kind) },
}

func codexKind(kind string) bool {
	switch kind {
	case "session_meta", "response_item", "event_msg", "turn_context", "compacted":
		return true
	}
	return false
}

// codex reads the rollout file of Codex: {timestamp, type, payload} per line.
// response_item has what the model saw. event_msg says how calls went and, in code
// mode, where a script makes the calls, which calls there were.
type codex struct{}

// codexPayload has the members of one payload of any type.
type codexPayload struct {
	kind, role      string
	name, namespace string
	id, root, call  string
	args            string // as text: JSON of a function, the input of a custom tool
	action          json.RawMessage
	cut             bool
	output          block
	items           []string // provenance of each part of a message
	item            codexItem
	stated, failed  bool // how a call went, if it says so
	reason          string
	subagent        bool
}

func (codex) read(s *jsonscan.Scanner, w *row) {
	var p codexPayload
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			w.kind = w.name(s)
		case "timestamp":
			w.time = stamp(s)
		case "payload":
			p = codexPayload{}
			w.blocks = w.blocks[:0]
			s.Object(func(key []byte) { p.member(s, w, key) })
		}
	})
	switch w.kind {
	case "session_meta":
		w.session = cmp.Or(p.root, p.id, w.session)
		w.chain = p.subagent
		w.skip = true
	case "response_item":
		p.response(w)
	case "event_msg":
		p.event(w)
	default:
		w.skip = true
	}
}

// member reads one member of a payload.
func (p *codexPayload) member(s *jsonscan.Scanner, w *row, key []byte) {
	switch string(key) {
	case "type":
		p.kind = w.name(s)
	case "role":
		p.role = w.name(s)
	case "name":
		p.name = w.name(s)
	case "namespace":
		p.namespace = w.name(s)
	case "id":
		p.id = w.name(s)
	case "session_id": // of a subagent the session that it is part of
		p.root = w.name(s)
	case "call_id":
		p.call = w.name(s)
	case "thread_id":
		w.session = w.name(s)
	case "reason":
		p.reason = w.name(s)
	case "cwd":
		w.dir = s.Text(maxTarget)
	case "thread_settings":
		only(s, "cwd", func() { w.dir = s.Text(maxTarget) })
	case "source":
		s.Object(func(key []byte) { p.subagent = p.subagent || string(key) == "subagent" })
	case "arguments", "input":
		p.args, p.cut = w.read(s, 2*MaxArgs)
	case "action":
		p.action, p.cut = s.Raw(min(MaxArgs, w.left), nil)
		w.left -= len(p.action)
	case "output":
		w.output(s, &p.output)
	case "content":
		p.content(s, w)
	case "internal_chat_message_metadata_passthrough":
		only(s, "content_item_metadata", func() { p.provenance(s, w) })
	case "item":
		p.item = codexItem{}
		s.Object(func(key []byte) { p.item.member(s, w, key) })
	case "exit_code":
		code, ok := s.Integer()
		p.stated, p.failed = true, p.failed || ok && code != 0
	case "success":
		good, ok := s.Flag()
		p.stated, p.failed = true, p.failed || ok && !good
	}
}

// content reads the parts of a message.
func (p *codexPayload) content(s *jsonscan.Scanner, w *row) {
	s.Array(func() {
		b := w.add(block{})
		only(s, "text", func() {
			b.role = "text"
			b.text, b.cut = w.words(s)
		})
	})
}

// provenance reads where each part of a message comes from.
func (p *codexPayload) provenance(s *jsonscan.Scanner, w *row) {
	p.items = nil
	s.Array(func() {
		kind := ""
		only(s, "provenance", func() { only(s, "type", func() { kind = w.name(s) }) })
		if len(p.items) < maxPerLine {
			p.items = append(p.items, kind)
		}
	})
}

// response makes blocks of what the model saw or said.
func (p *codexPayload) response(w *row) {
	if p.kind != "message" {
		w.blocks = w.blocks[:0]
	}
	switch p.kind {
	case "message":
		p.message(w)
	case "function_call", "custom_tool_call":
		b := w.add(block{kind: Call, id: p.call, tool: p.name, cut: p.cut})
		if p.namespace != "" {
			b.tool = p.namespace + "__" + p.name // as hooks see an MCP tool
		}
		if p.kind == "function_call" {
			b.args = jsonArguments(p.args, b)
		} else {
			b.args = jsonscan.AppendString(nil, p.args)
			b.quiet = p.name == "exec" // a script; its calls are events of their own
		}
	case "local_shell_call":
		w.add(block{kind: Call, id: cmp.Or(p.call, p.id), tool: "local_shell", args: p.action, cut: p.cut})
	case "web_search_call":
		w.add(block{kind: Call, id: p.id, tool: "web_search", args: p.action, cut: p.cut})
	case "function_call_output", "custom_tool_call_output":
		b := p.output
		b.kind, b.id = Result, p.call
		codexOutcome(&b)
		w.add(b)
	}
}

// message keeps the words of the user and of the model. Codex writes its
// instructions, AGENTS.md and the environment with the user's role; newer versions
// mark them.
func (p *codexPayload) message(w *row) {
	kind := KindUnknown
	switch p.role {
	case "user":
		kind = Human
	case "assistant":
		kind = Assistant
	}
	for i := range w.blocks {
		b := &w.blocks[i]
		if b.role != "text" || kind == Human && i < len(p.items) && p.items[i] != "" && p.items[i] != "user" {
			continue
		}
		b.kind = kind
	}
}

// jsonArguments returns arguments in a text as bounded JSON.
func jsonArguments(text string, b *block) json.RawMessage {
	s := jsonscan.Bytes([]byte(text))
	if s.Token() != '{' {
		return jsonscan.AppendString(nil, text)
	}
	args, cut := s.Raw(MaxArgs, nil)
	b.cut = b.cut || cut
	if s.Broken() {
		return jsonscan.AppendString(nil, text)
	}
	return args
}

// event makes blocks of an event outside of the conversation.
func (p *codexPayload) event(w *row) {
	w.blocks = w.blocks[:0]
	switch p.kind {
	case "turn_aborted":
		if p.reason == "interrupted" || p.reason == "" {
			w.add(block{kind: Result, text: "the person interrupted the work", failed: true, denied: true})
		}
	case "thread_rolled_back":
		w.add(rewound())
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		if p.stated {
			w.add(block{outcome: true, id: p.call, failed: p.failed, came: went(p.failed)})
		}
	case "item_completed":
		p.item.blocks(w)
	}
}

// codexOutcome decides by the text of an output whether the call went well. The exit
// code is in the lines above "Output:".
func codexOutcome(b *block) {
	if strings.HasPrefix(b.text, `{"output":`) { // older versions: JSON in a string
		codexEnvelope(b)
	}
	if refusal(b.text) || strings.Contains(firstLine(b.text), "rejected by user") {
		b.failed, b.denied, b.worded = true, true, true
		return
	}
	if begins(b.text, "apply_patch verification failed", "exec_command failed", "failed to parse function arguments", "unsupported call",
		"Script failed", "err: ", "execution error", "Error: ") {
		b.failed = true
		return
	}
	for line := range strings.Lines(b.text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Process running with session ID ") {
			b.came = sentinel.ResultRunning
		}
		for _, mark := range []string{"Process exited with code ", "Exit code: "} {
			if code, ok := strings.CutPrefix(line, mark); ok {
				b.failed = b.failed || code != "0"
				b.came = went(b.failed)
			}
		}
		if strings.HasPrefix(line, "Output:") {
			return
		}
	}
}

// codexEnvelope unpacks {"output": …, "metadata": {"exit_code": …}}.
func codexEnvelope(b *block) {
	var out string
	s := jsonscan.Bytes([]byte(b.text))
	s.Object(func(key []byte) {
		switch string(key) {
		case "output":
			out, _ = (&row{left: outputHead}).read(s, outputHead)
		case "metadata":
			only(s, "exit_code", func() {
				code, ok := s.Integer()
				b.failed = b.failed || ok && code != 0
				b.came = went(b.failed || !ok)
			})
		}
	})
	if !s.OK() { // cut: the code was at the end
		if _, after, ok := strings.Cut(b.tail, `"exit_code":`); ok {
			b.failed = !strings.HasPrefix(strings.TrimSpace(after), "0")
		}
	}
	b.text = out
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
