package state

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Outbox holds texts of sessions until they are taken: those for an agent that cannot
// read them yet, or what a turn did until it ends. It may be used concurrently, by many
// processes.
//
// Each line is sealed with the user's key: an agent takes what it is given for Sentinel's
// words, and another program could put its own there.
type Outbox struct {
	dir string
	max int64
	key func() []byte
}

// NewOutbox keeps texts in files of dir, one for each session, sealed with the [Key] of
// the folder above dir. A file takes no more texts once it is larger than max bytes.
// Nothing is touched before the first text.
func NewOutbox(dir string, max int64) *Outbox { return &Outbox{dir, max, keyAbove(dir)} }

// seal seals the lines of files.
func (o *Outbox) seal() Sealed { return NewSealed(o.key(), "outbox 2 "+filepath.Base(o.dir)) }

const outboxAge = 7 * 24 * time.Hour // the end of a session is not reported

// path is the file of a session, whose name is hostile.
func (o *Outbox) path(session string) string {
	return filepath.Join(o.dir, digest.Hex(session)[:32])
}

// Add keeps texts for a session.
func (o *Outbox) Add(session string, texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	seal := o.seal()
	if len(seal.key) == 0 {
		return ErrNoKey
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
	if info.Size() > o.max {
		return nil
	}
	line, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	sealed := seal.Seal(filepath.Base(o.path(session)), line)
	_, err = f.Write(append(outboxLine().AppendEncode(nil, sealed), '\n'))
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
	seal := o.seal()
	var all []string
	for line := range bytes.Lines(data) {
		var texts []string
		sealed, _ := outboxLine().AppendDecode(nil, bytes.TrimSpace(line))
		said, err := seal.Open(filepath.Base(path), sealed)
		if err == nil && json.Unmarshal(said, &texts) == nil { // a torn line is lost, the others are not
			all = append(all, texts...)
		}
	}
	return all, nil
}

// outboxLine is how a sealed line is written: in one way only.
func outboxLine() *base64.Encoding { return base64.RawStdEncoding.Strict() }
