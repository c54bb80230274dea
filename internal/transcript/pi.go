package transcript

import (
	"cmp"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

var piRecords = knownFormat{name: agent.FormatPi, format: pi{}, shows: func(f *features) bool {
	return f.id && f.stamped && !f.uuid && (f.kind == "session" && f.cwd || f.kind == "message" && f.parent && f.content)
}}

// pi reads the session file of pi: a header, and rows whose type says what they are, with
// one message each.
type pi struct{}

func (pi) read(s *jsonscan.Scanner, w *row) {
	var id, role string
	s.Object(func(key []byte) {
		switch string(key) {
		case "type":
			w.kind = w.name(s)
		case "id":
			id = w.name(s)
		case "cwd":
			w.dir = s.Text(maxTarget)
		case "timestamp":
			w.time = stamp(s)
		case "message":
			role = w.piMessage(s)
		}
	})
	switch {
	case w.kind == "session":
		w.session = id
	case w.kind != "message":
		w.skip = true
	case role == "user":
		w.spoken(Human)
	case role == "assistant":
		w.spoken(Assistant)
	case role != "toolResult":
		w.skip = true
	}
}

// piMessage reads a message and returns its role.
func (w *row) piMessage(s *jsonscan.Scanner) (role string) {
	result, first := block{kind: Result}, len(w.blocks)
	s.Object(func(key []byte) {
		switch string(key) {
		case "role":
			role = w.name(s)
		case "toolCallId":
			result.id = w.name(s)
		case "toolName":
			result.tool = w.name(s)
		case "isError":
			var told bool
			if result.failed, told = s.Flag(); told {
				result.came = went(result.failed)
			}
		case "content":
			if role == "toolResult" {
				w.output(s, &result)
				return
			}
			w.piContent(s)
		}
	})
	if role == "toolResult" {
		for _, b := range w.blocks[first:] { // a content before the role is read as a message's
			result.text = cmp.Or(result.text, b.text)
		}
		w.blocks = w.blocks[:first]
		outcome(&result, "")
		w.add(result)
	}
	return role
}

// piContent reads a text, or a list of texts, calls and other parts.
func (w *row) piContent(s *jsonscan.Scanner) {
	w.content(s, func(key string, b *block) {
		switch key {
		case "type":
			if b.role = w.name(s); b.role == "toolCall" {
				b.kind = Call
			}
		case "id":
			b.id = w.name(s)
		case "arguments":
			w.arguments(s, b)
		}
	})
}
