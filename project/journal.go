package project

import (
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/secret"
	"github.com/agentsentinel/sentinel/transcript"
)

// readable reports whether the transcript that an agent keeps is of a form that
// can be read.
func readable(agent string) bool {
	switch agent {
	case "claude", "codex", "copilot", "gemini", "qwen":
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
func (p *Project) journalPath(ev sentinel.Event) string {
	f := p.nearest()
	if f == nil || readable(ev.Agent) || p.opts.StateDir == "" {
		return ""
	}
	return filepath.Join(p.opts.StateDir, "journals", digest([]byte(resolve(f.Root)+"\x00"+sessionID(ev)))+".jsonl")
}

// Journal keeps an event of an agent that keeps no transcript that can be read, so
// that its sessions can be remembered and learned from as well. Of any other agent,
// and outside of projects, it keeps nothing. Secrets are masked.
func (p *Project) Journal(ev sentinel.Event) error {
	path := p.journalPath(ev)
	if path == "" || !p.nearest().learns() {
		return nil
	}
	j, err := transcript.OpenJournal(path, &transcript.JournalOptions{Mask: secret.NewMasker().Mask})
	if err != nil {
		return err
	}
	defer j.Close()
	return j.Append(ev)
}

// reflects reports whether the Scribe learns from sessions here.
func (f *Folder) reflects() bool {
	return f.Config.Scribe.Enabled && f.Config.Backend != sentinel.Builtin
}

// learns reports whether anything here reads the transcripts of sessions.
func (f *Folder) learns() bool { return f.remembers() || f.reflects() }
