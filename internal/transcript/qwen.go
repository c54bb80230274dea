package transcript

import (
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

var qwenRecords = knownFormat{
	name: agent.FormatQwen, format: qwen{},
	shows: func(f *features) bool { return f.uuid && f.session && (f.parts || f.system) },
}

// qwen reads the session file of Qwen Code: rows as Claude Code writes them
// around messages as Gemini's API has them.
type qwen struct{}

func (qwen) read(s *jsonscan.Scanner, w *row) {
	var subtype, provenance, shown, status string
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			w.kind = w.name(s)
		case "subtype":
			subtype = w.name(s)
		case "provenance":
			provenance = w.name(s)
		case "message":
			w.blocks = w.blocks[:0]
			only(s, "parts", func() { w.parts(s) })
		case "systemPayload":
			only(s, "displayText", func() { shown, _ = w.words(s) })
		case "toolCallResult":
			only(s, "status", func() { status = w.name(s) })
		case "isSidechain":
			on, _ := s.Flag()
			w.sub = w.sub || on
		case "agentId":
			w.sub = w.name(s) != "" || w.sub
		case "timestamp":
			w.time = stamp(s)
		case "cwd":
			w.dir = s.Text(maxTarget)
		case "sessionId":
			w.session = w.name(s)
		}
	})
	switch {
	case w.kind == "system" && subtype == "rewind":
		w.blocks = w.blocks[:0]
		w.add(rewound())
	case w.kind == "user" || subtype == "mid_turn_user_message":
		qwenUser(w, subtype, provenance, shown)
	case w.kind == "assistant":
		w.spoken(Assistant)
	case w.kind == "tool_result":
		for i := range w.blocks {
			b := &w.blocks[i]
			outcome(b, status)
		}
	default:
		w.skip = true
	}
}

// qwenUser keeps the user's words of a row with role user.
func qwenUser(w *row, subtype, provenance, shown string) {
	if subtype != "" && subtype != "mid_turn_user_message" || provenance != "" && provenance != "real_user" {
		w.skip = true
		return
	}
	if !blank(shown) { // without the texts of hooks and file references
		w.blocks = w.blocks[:0]
		w.add(block{kind: Human, text: shown})
		return
	}
	w.spoken(Human)
}

// parts reads a list of parts of Gemini's API: texts, calls and results.
func (w *row) parts(s *jsonscan.Scanner) {
	if s.Token() == '"' {
		b := w.add(block{role: "text"})
		b.text, b.cut = w.words(s)
		return
	}
	s.Array(func() { w.part(s) })
}

// part reads one part.
func (w *row) part(s *jsonscan.Scanner) {
	b := w.add(block{})
	s.Object(func(key []byte) {
		switch string(key) {
		case "text":
			b.role = "text"
			b.text, b.cut = w.words(s)
		case "thought":
			on, _ := s.Flag()
			b.quiet = b.quiet || on
		case "functionCall":
			b.kind = Call
			w.function(s, b)
		case "functionResponse":
			b.kind = Result
			w.function(s, b)
		}
	})
}

// function reads a call, or the response to one.
func (w *row) function(s *jsonscan.Scanner, b *block) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "id":
			b.id = w.name(s)
		case "name":
			b.tool = w.name(s)
		case "args":
			w.arguments(s, b)
		case "response":
			w.response(s, b)
		}
	})
}

// response reads what a tool returned: output or error.
func (w *row) response(s *jsonscan.Scanner, b *block) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "error":
			b.failed = s.Token() != 'n'
			w.output(s, b)
		case "output", "content":
			if !b.failed {
				w.output(s, b)
			}
		}
	})
}

// spoken gives the texts of a message their kind. Thinking has none.
func (w *row) spoken(kind Kind) {
	for i := range w.blocks {
		if b := &w.blocks[i]; b.role == "text" && !b.quiet {
			b.kind = kind
		}
	}
}

// outcome adds the status of the call to a result. The exit code of a command is at
// the end of the output.
func outcome(b *block, status string) {
	switch status {
	case "cancelled":
		b.failed, b.denied = true, true
	case "error":
		b.failed = true
	}
	b.coded = true
	if !b.denied && refusal(b.text) {
		b.failed, b.denied, b.worded = true, true, true
	}
}

// rewound is the event of the user taking back a part of the conversation.
func rewound() block {
	return block{kind: Result, text: "the person took back what was done before", failed: true, denied: true}
}
