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

// Kept holds texts that an agent could not take when they came up, until its
// session can: some agents drop what is added before a tool and read what is
// added after it. It may be used concurrently, by many processes.
type Kept struct{ dir string }

// NewKept keeps texts in files of dir, one for each session. Nothing is touched
// before the first text.
func NewKept(dir string) *Kept { return &Kept{dir} }

const (
	maxKept = 64 << 10           // bytes of one session; what comes later is dropped
	keptAge = 7 * 24 * time.Hour // sessions end without a word
)

// path is the file of a session, whose name is hostile.
func (k *Kept) path(session string) string {
	return filepath.Join(k.dir, digest.Hex(session)[:32])
}

// Add keeps texts for a session.
func (k *Kept) Add(session string, texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	Prune(k.dir, keptAge, time.Now())
	f, info, err := safefile.OpenAppend(k.path(session), 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() > maxKept {
		return nil
	}
	line, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return err
}

// Take returns what was kept for a session and forgets it: of several processes
// that ask at once, one gets it.
func (k *Kept) Take(session string) ([]string, error) {
	path := k.path(session)
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
