package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Outbox holds texts for an agent until it can read them: some agents drop a text
// that is added before a tool runs and read one that is added after it. It may be
// used concurrently, by many processes.
type Outbox struct{ dir string }

// NewOutbox keeps texts in files of dir, one for each session. Nothing is touched
// before the first text.
func NewOutbox(dir string) *Outbox { return &Outbox{dir} }

const (
	maxOutbox = 64 << 10           // bytes of one session; later texts are dropped
	outboxAge = 7 * 24 * time.Hour // the end of a session is not reported
)

// path is the file of a session, whose name is hostile.
func (o *Outbox) path(session string) string {
	return filepath.Join(o.dir, digest.Hex(session)[:32])
}

// Add keeps texts for a session.
func (o *Outbox) Add(session string, texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	Prune(o.dir, outboxAge, time.Now())
	f, info, err := safefile.OpenAppend(o.path(session), 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() > maxOutbox {
		return nil
	}
	line, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return err
}

// Take returns the texts of a session and forgets them: if several processes ask at
// once, one of them gets the texts.
func (o *Outbox) Take(session string) ([]string, error) {
	path := o.path(session)
	mine := path + ".taken"
	if err := os.Rename(path, mine); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	defer os.Remove(mine)
	data, err := Read(mine)
	if err != nil {
		return nil, err
	}
	var all []string
	for line := range bytes.Lines(data) {
		var texts []string
		if json.Unmarshal(line, &texts) == nil { // a torn line is lost, the others are not
			all = append(all, texts...)
		}
	}
	return all, nil
}
