package transcript

// features distinguish one agent's line from another's.
type features struct {
	kind                                 string
	session, project, messages, set      bool // Gemini CLI
	sidechain, user, content             bool // Claude Code
	parts, system                        bool // Qwen
	payload                              bool // Codex
	data, parent, editor                 bool // Copilot; in VS Code
	uuid, id, stamped, contents, journal bool
}

// recognise returns the format of a line, "" when the line does not show it. document
// says that it is the beginning of a whole document and not a line.
func recognise(s *scanner) (format string, document bool) {
	var f features
	s.object(func(key []byte) {
		f.member(s, key)
		if f.messages { // the rest of the file
			document = f.session
			s.fail()
		}
	})
	if document {
		return formatGemini, true
	}
	if !s.live() {
		return "", false
	}
	return f.format(), false
}

func (f *features) member(s *scanner, key []byte) {
	switch string(key) {
	case "type":
		f.kind = s.text(maxName)
	case "sessionId":
		f.session = s.token() == '"'
	case "projectHash":
		f.project = s.token() == '"'
	case "messages":
		f.messages = s.token() == '['
	case "$set", "$rewindTo":
		f.set = true
	case "isSidechain":
		f.sidechain = true
	case "userType":
		f.user = true
	case "uuid":
		f.uuid = s.token() == '"'
	case "id":
		f.id = s.token() == '"'
	case "timestamp":
		f.stamped = true
	case "content":
		f.contents = true
	case "systemPayload", "toolCallResult":
		f.system = true
	case "payload":
		f.payload = s.token() == '{'
	case "data":
		f.data = s.token() == '{'
		s.object(func(key []byte) { f.editor = f.editor || string(key) == "vscodeVersion" })
	case "parentId":
		f.parent = true
	case journalKey:
		f.journal = true
	case "message":
		s.object(func(key []byte) {
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
	for _, known := range formats() {
		if known.shows(f) {
			return known.name
		}
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
