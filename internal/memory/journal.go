package memory

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/transcript"
	"github.com/agentsentinel/sentinel/secret"
)

// readable reports whether the transcript that an agent keeps is of a form that
// can be read.
func readable(agent string) bool {
	switch agent {
	case "claude", "codex", "copilot", "gemini", "qwen", "vscode":
		return true
	}
	return false
}

// reader is whose transcript it is that is read.
func (s *knownSession) reader() string {
	if readable(s.Agent) {
		return s.Agent
	}
	return "journal"
}

// journalPath is where the events of a session are kept whose agent keeps no
// transcript that can be read; "" for any other, and where nothing can be kept. It
// lies in the user's state folder: a repository could have a link planted in its
// place.
func (m *Memory) journalPath(ev sentinel.Event) string {
	if readable(ev.Agent) {
		return ""
	}
	return m.stateFolder("journals", digest(m.Key()+"\x00"+sessionID(ev))+".jsonl")
}

// Journal keeps an event of an agent that keeps no transcript that can be read, so
// that its sessions can be remembered and learned from as well. Of any other agent,
// and outside of projects, it keeps nothing. Secrets are masked.
func (m *Memory) Journal(ev sentinel.Event) error {
	if m == nil || !m.learns() {
		return nil
	}
	path := m.journalPath(ev)
	if path == "" {
		return nil
	}
	done, mine := m.Gate.Once(ev)
	if !mine {
		return nil
	}
	err := appendJournal(path, ev)
	done(err == nil)
	return err
}

func appendJournal(path string, ev sentinel.Event) error {
	j, err := transcript.OpenJournal(path, &transcript.JournalOptions{Mask: secret.NewMasker().Mask})
	if err != nil {
		return err
	}
	defer j.Close()
	return j.Append(ev)
}
