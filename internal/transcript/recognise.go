package transcript

import "github.com/agentsentinel/sentinel/internal/jsonscan"

// features are what tells one agent's line from another's.
type features struct {
	kind                                 string
	session, project, messages, set      bool // Gemini CLI
	sidechain, user, content             bool // Claude Code
	parts, system                        bool // Qwen
	payload                              bool // Codex
	cwd                                  bool // pi
	data, parent, editor                 bool // Copilot; in VS Code
	uuid, id, stamped, contents, journal bool
}

// recognise returns the format of a line, "" when the line does not show it. document
// says that it is the beginning of a whole document and not a line.
func recognise(s *jsonscan.Scanner) (format string, document bool) {
	var f features
	s.Object(func(key []byte) {
		f.member(s, key)
		if f.messages { // the rest of the file
			document = f.session
			s.Fail()
		}
	})
	if document {
		return wholeFormat(), true
	}
	if !s.OK() {
		return "", false
	}
	return f.format(), false
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
	case "cwd":
		f.cwd = s.Token() == '"'
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

// format is the name of the format that a line shows, "" if it shows none.
func (f *features) format() string {
	for _, known := range formats {
		if known.shows(f) {
			return known.name
		}
	}
	return ""
}
