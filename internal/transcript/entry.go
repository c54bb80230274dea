package transcript

import (
	"strings"
	"time"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Kind says what an [Entry] is. The zero value means "not known" and is never
// handed out by a [Reader].
type Kind int

// The kinds of entries.
const (
	KindUnknown Kind = iota
	Human            // the user's own words
	Assistant        // the agent's words to the user; its thinking is left out
	Call             // a tool call
	Result           // the result of a tool call
)

var kindNames = [...]string{"unknown", "human", "assistant", "call", "result"}

// String returns human, assistant, call, result or unknown.
func (k Kind) String() string {
	if k > 0 && int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[KindUnknown]
}

// Bounds of what an Entry keeps, in bytes. A longer text is cut and the entry
// says so in Truncated.
const (
	MaxText   = 64 << 10  // Text of Human and Assistant
	MaxArgs   = 256 << 10 // Call.Args
	maxTarget = 2 << 10   // Text of Call
	maxResult = 600       // Text of Result
	maxName   = 256       // names and ids
)

// Entry is one event of a session. Its texts are within the bounds above.
type Entry struct {
	Kind Kind

	// Text of Human and Assistant: the words. Of a Call: its essential argument
	// (path, command, pattern, server:tool). Of a Result: its first telling line,
	// enough to see that an error happened.
	Text string

	Tool   string // Call and Result: the tool's name as the agent names it; "" where a Result's Call is not known
	CallID string // joins a Result to its Call, where the agent gives one

	Call      *sentinel.ToolCall // Call: id, name and arguments (always valid JSON); nil otherwise
	Truncated bool               // Text or Call.Args was cut at its bound

	Came   sentinel.Result // Result: what came of a command, as far as the record says
	Failed bool            // Result: an error
	Denied bool            // Result: the user or a hook refused or interrupted it
	Sub    bool            // belongs to a subagent
	Time   time.Time       // zero where the agent does not say
	Offset int64           // of the line in the file, in bytes
}

// maxLine bounds [Entry.Line], in bytes.
const maxLine = 4 << 10

// Line returns the entry as one line: "human: …", "assistant: …",
// "tool Bash: …", "result OK", "result ERROR: …" or "result DENIED: …", with
// "sub " before it in a subagent. White space and characters that are not
// seen become single spaces; a line longer than 4 KB is cut and ends in "…".
func (e Entry) Line() string {
	var b strings.Builder
	if e.Sub {
		b.WriteString("sub ")
	}
	b.WriteString(e.label())
	if said := e.shown(); said != "" {
		b.WriteString(": ")
		b.WriteString(oneLine(said, maxLine))
	}
	return b.String()
}

// label is the beginning of a line.
func (e Entry) label() string {
	switch e.Kind {
	case Human, Assistant:
		return e.Kind.String()
	case Call:
		return "tool " + oneLine(e.Tool, maxName)
	case Result:
		switch {
		case e.Denied:
			return "result DENIED"
		case e.Failed:
			return "result ERROR"
		}
		return "result OK"
	}
	return e.Kind.String()
}

// shown is the text of a line. A result without an error shows no text: it is a
// payload.
func (e Entry) shown() string {
	if e.Kind == Result && !e.Failed && !e.Denied {
		return ""
	}
	return e.Text
}

// oneLine makes a text one line of at most limit bytes.
func oneLine(s string, limit int) string {
	s = text.Fold(text.Blank(text.CutBytes(s, 8*limit))) // a command of many kilobytes takes long
	if len(s) <= limit {
		return s
	}
	return strings.TrimRight(text.CutBytes(s, limit-len("…")), " ") + "…"
}
