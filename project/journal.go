package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/state"
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
func (p *Project) journalPath(ev sentinel.Event) string {
	f := p.nearest()
	if f == nil || readable(ev.Agent) || p.opts.StateDir == "" {
		return ""
	}
	return filepath.Join(p.opts.StateDir, "journals", digest.Hex(resolve(f.Root)+"\x00"+sessionID(ev))+".jsonl")
}

// Journal keeps an event of an agent that keeps no transcript that can be read, so
// that its sessions can be remembered and learned from as well. Of any other agent,
// and outside of projects, it keeps nothing. Secrets are masked.
func (p *Project) Journal(ev sentinel.Event) error {
	path := p.journalPath(ev)
	if path == "" || !p.nearest().learns() {
		return nil
	}
	turn, twin := p.journalTurn(ev)
	if twin {
		return nil
	}
	j, err := transcript.OpenJournal(path, &transcript.JournalOptions{Mask: secret.NewMasker().Mask})
	if err != nil {
		return err
	}
	defer j.Close()
	err = j.Append(ev)
	if err == nil {
		turn.Finish(journalled)
	}
	turn.Finish(nil)
	return err
}

// journalled is what a hook that has kept an event leaves for its twins.
var journalled = []byte("true")

// journalTurn is the turn to keep an event that several hooks may be shown at once:
// a plugin's and the one that init registered. twin says that another one has it.
func (p *Project) journalTurn(ev sentinel.Event) (turn *state.Turn, twin bool) {
	h := sha256.New()
	addText(h, "journal", ev.Phase.String(), ev.Prompt, ev.Tool.Name, string(ev.Tool.Args), ev.Tool.Output)
	ctx, cancel := context.WithTimeout(context.Background(), journalWait)
	defer cancel()
	call := state.Call{Session: ev.Session, Action: hex.EncodeToString(h.Sum(nil)), ID: ev.Tool.ID}
	turn, twin, err := p.turns().Take(ctx, call, func([]byte) bool { return true })
	return turn, twin || err != nil
}

// journalWait is how long a hook waits for a twin that writes the same event, which
// takes a millisecond.
const journalWait = 500 * time.Millisecond

// reflects reports whether the Scribe learns from sessions here.
func (f *Folder) reflects() bool {
	return f.Config.Scribe.Enabled && f.Config.Backend != sentinel.Builtin
}

// learns reports whether anything here reads the transcripts of sessions.
func (f *Folder) learns() bool { return f.remembers() || f.reflects() }
