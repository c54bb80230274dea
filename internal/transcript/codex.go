package transcript

import (
	"encoding/json"
	"strings"

	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// codex reads the rollout file of Codex: {timestamp, type, payload} per line.
// What the model saw stands in response_item; event_msg tells how calls went,
// and in code mode, where a script makes the calls, which calls there were.
type codex struct{}

// codexPayload is what one payload says, whatever its type.
type codexPayload struct {
	kind, role      string
	name, namespace string
	id, call        string
	args            string // as text: JSON of a function, the input of a custom tool
	action          json.RawMessage
	cut             bool
	output          block
	items           []string // provenance of each part of a message
	item            codexItem
	told, failed    bool // how a call went
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
		w.session = first(p.id, w.session)
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
	case "call_id":
		p.call = w.name(s)
	case "thread_id":
		w.session = w.name(s)
	case "reason":
		p.reason = w.name(s)
	case "cwd":
		w.dir = s.Text(maxTarget)
	case "thread_settings":
		s.Object(func(key []byte) {
			if string(key) == "cwd" {
				w.dir = s.Text(maxTarget)
			}
		})
	case "source":
		s.Object(func(key []byte) { p.subagent = p.subagent || string(key) == "subagent" })
	case "arguments", "input":
		in := jsonscan.Piece{Limit: min(2*MaxArgs, w.left)}
		s.Piece(&in)
		w.left -= in.Size()
		p.args, p.cut = in.Text(), in.Cut
	case "action":
		p.action, p.cut = s.Raw(min(MaxArgs, w.left), nil)
		w.left -= len(p.action)
	case "output":
		w.output(s, &p.output)
	case "content":
		p.content(s, w)
	case "internal_chat_message_metadata_passthrough":
		s.Object(func(key []byte) {
			if string(key) == "content_item_metadata" {
				p.provenance(s, w)
			}
		})
	case "item":
		p.item = codexItem{}
		s.Object(func(key []byte) { p.item.member(s, w, key) })
	case "exit_code":
		code, ok := s.Integer()
		p.told, p.failed = true, p.failed || ok && code != 0
	case "success":
		good, ok := s.Flag()
		p.told, p.failed = true, p.failed || ok && !good
	}
}

// content reads the parts of a message.
func (p *codexPayload) content(s *jsonscan.Scanner, w *row) {
	s.Array(func() {
		b := w.add(block{})
		s.Object(func(key []byte) {
			if string(key) == "text" {
				b.role = "text"
				b.text, b.cut = w.words(s)
			}
		})
	})
}

// provenance reads where each part of a message comes from.
func (p *codexPayload) provenance(s *jsonscan.Scanner, w *row) {
	p.items = nil
	s.Array(func() {
		kind := ""
		s.Object(func(key []byte) {
			if string(key) == "provenance" {
				s.Object(func(key []byte) {
					if string(key) == "type" {
						kind = w.name(s)
					}
				})
			}
		})
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
		w.add(block{kind: Call, id: first(p.call, p.id), tool: "local_shell", args: p.action, cut: p.cut})
	case "web_search_call":
		w.add(block{kind: Call, id: p.id, tool: "web_search", args: p.action, cut: p.cut})
	case "function_call_output", "custom_tool_call_output":
		b := p.output
		b.kind, b.id = Result, p.call
		codexOutcome(&b)
		w.add(b)
	}
}

// message keeps what the user or the model said. Codex puts its instructions,
// AGENTS.md and the surroundings into the user's place, and in newer versions
// says so.
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

// jsonArguments makes JSON within bounds of arguments that come as text.
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

// event makes blocks of what happened beside the conversation.
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
		if p.told {
			w.add(block{outcome: true, id: p.call, failed: p.failed})
		}
	case "item_completed":
		p.item.blocks(w)
	}
}

// codexOutcome says from the text of an output whether the call went well. The
// exit code stands in the lines above "Output:".
func codexOutcome(b *block) {
	if strings.HasPrefix(b.text, `{"output":`) { // older versions: JSON in a string
		codexEnvelope(b)
	}
	if refusal(b.text) || strings.Contains(firstLine(b.text), "rejected by user") {
		b.failed, b.denied, b.worded = true, true, true
		return
	}
	for _, head := range []string{"apply_patch verification failed", "exec_command failed", "failed to parse function arguments", "unsupported call",
		"Script failed", "err: ", "execution error", "Error: "} {
		if strings.HasPrefix(b.text, head) {
			b.failed = true
			return
		}
	}
	for line := range strings.Lines(b.text) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"Process exited with code ", "Exit code: "} {
			if code, ok := strings.CutPrefix(line, mark); ok {
				b.failed = b.failed || code != "0"
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
			p := jsonscan.Piece{Limit: outputHead}
			s.Piece(&p)
			out = p.Text()
		case "metadata":
			s.Object(func(key []byte) {
				if string(key) == "exit_code" {
					code, ok := s.Integer()
					b.failed = b.failed || ok && code != 0
				}
			})
		}
	})
	if !s.OK() { // cut: the code stood at the end
		if _, after, ok := strings.Cut(b.tail, `"exit_code":`); ok {
			b.failed = !strings.HasPrefix(strings.TrimSpace(after), "0")
		}
	}
	b.text = out
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
