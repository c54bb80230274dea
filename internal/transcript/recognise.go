package transcript

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// A format reads the lines of one agent.
type format interface {
	// read fills the row from the line that begins here. It takes one value.
	read(s *jsonscan.Scanner, w *row)
}

// formatOf is the format of an agent's transcript; nil when none is known.
func formatOf(agent string) format {
	switch agent {
	case "claude":
		return claude{}
	case "codex":
		return codex{}
	case "copilot", "vscode":
		return copilot{}
	case "gemini":
		return gemini{}
	case "qwen":
		return qwen{}
	case "journal":
		return journalFormat{}
	}
	return nil
}

// features are what tells one agent's line from another's.
type features struct {
	kind                                 string
	session, project, messages, set      bool // Gemini CLI
	sidechain, user, content             bool // Claude Code
	parts, system                        bool // Qwen
	payload                              bool // Codex
	data, parent, editor                 bool // Copilot; in VS Code
	uuid, id, stamped, contents, journal bool
}

// recognise tells whose line this is; "" when it does not tell. document says
// that it is no line but the beginning of a whole document.
func recognise(s *jsonscan.Scanner) (agent string, document bool) {
	var f features
	s.Object(func(key []byte) {
		f.member(s, key)
		if f.messages { // the rest of the file
			document = f.session
			s.Fail()
		}
	})
	if document {
		return "gemini", true
	}
	if !s.OK() {
		return "", false
	}
	return f.agent(), false
}

func (f *features) member(s *jsonscan.Scanner, key []byte) {
	switch string(key) {
	case "type":
		f.kind = s.Text(maxName)
	case "sessionId":
		f.session = s.Token() == '"'
	case "projectHash":
		f.project = s.Token() == '"'
	case "messages":
		f.messages = s.Token() == '['
	case "$set", "$rewindTo":
		f.set = true
	case "isSidechain":
		f.sidechain = true
	case "userType":
		f.user = true
	case "uuid":
		f.uuid = s.Token() == '"'
	case "id":
		f.id = s.Token() == '"'
	case "timestamp":
		f.stamped = true
	case "content":
		f.contents = true
	case "systemPayload", "toolCallResult":
		f.system = true
	case "payload":
		f.payload = s.Token() == '{'
	case "data":
		f.data = s.Token() == '{'
		s.Object(func(key []byte) { f.editor = f.editor || string(key) == "vscodeVersion" })
	case "parentId":
		f.parent = true
	case journalKey:
		f.journal = true
	case "message":
		s.Object(func(key []byte) {
			switch string(key) {
			case "parts":
				f.parts = true
			case "content":
				f.content = true
			}
		})
	}
}

func (f *features) agent() string {
	switch {
	case f.journal:
		return "journal"
	case f.payload && f.stamped && codexKind(f.kind):
		return "codex"
	case f.data && (f.parent || f.id) && strings.Contains(f.kind, "."):
		if f.editor {
			return "vscode"
		}
		return "copilot"
	case f.set && !f.uuid, f.session && f.project && !f.uuid:
		return "gemini"
	case f.id && f.stamped && f.contents && !f.uuid && (f.kind == "user" || f.kind == "gemini"):
		return "gemini"
	case f.uuid && f.session && (f.parts || f.system):
		return "qwen"
	case f.uuid && (f.content || f.sidechain || f.user) && claudeKind(f.kind):
		return "claude"
	}
	return ""
}

func codexKind(kind string) bool {
	switch kind {
	case "session_meta", "response_item", "event_msg", "turn_context", "compacted":
		return true
	}
	return false
}

func claudeKind(kind string) bool {
	switch kind {
	case "user", "assistant", "system", "attachment", "progress":
		return true
	}
	return false
}
