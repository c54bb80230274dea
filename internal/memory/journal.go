package memory

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// reader is the agent whose transcript is read: Sentinel's own journal for an agent
// that keeps none that can be read.
func (m *Memory) reader(s *knownSession) string {
	if m.Agents.Readable(s.Agent) {
		return s.Agent
	}
	return "journal"
}

// journalPath is where the events of a session are kept whose agent keeps no
// transcript that can be read; "" for any other, and where nothing can be kept. It
// lies in the user's state folder: a repository could have a link planted in its
// place.
func (m *Memory) journalPath(ev sentinel.Event) string {
	if m.Agents.Readable(ev.Agent) {
		return ""
	}
	return m.stateFolder("journals", digest.Hex(m.Key()+"\x00"+sessionID(ev))+".jsonl")
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
