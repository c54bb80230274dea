// Package state keeps Sentinel's files in the user's own folders: a secret key,
// compiled rules, notes for later. Nothing here belongs to a repository, and
// files that another user could have written are not trusted.
package state

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// maxFile bounds what is read of one file; a compiled set of 10,000 rules has
// about 20 MB.
const maxFile = 64 << 20

// Read reads a private file: a regular one, not a link, owned by this user, that
// other users may not write. Anything else is an error; a missing file is
// [fs.ErrNotExist].
func Read(path string) ([]byte, error) {
	data, err := safefile.ReadPrivate(path, maxFile)
	return data, named(path, err)
}

// Open opens a private file, as [Read] does, for a caller that reads parts of it.
func Open(path string) (f *os.File, size int64, err error) {
	f, info, err := safefile.OpenPrivate(path)
	if err != nil {
		return nil, 0, named(path, err)
	}
	if info.Size() > maxFile {
		f.Close()
		return nil, 0, fmt.Errorf("state: %s: has %d bytes, more than %d", path, info.Size(), maxFile)
	}
	return f, info.Size(), nil
}

// named puts the path into an error that does not name it.
func named(path string, err error) error {
	if at := (*fs.PathError)(nil); err == nil || errors.As(err, &at) {
		return err
	}
	return fmt.Errorf("state: %s: %w", path, err)
}

// Write replaces a private file in one step; a reader sees the old content or
// the new. The folder is made when it is missing. Nothing is synced to disk: a
// file that a crash damaged is noticed by its reader.
func Write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return safefile.Swap(path, data, 0o600)
}

// create is Write for a file that must not exist yet: fs.ErrExist if it does.
func create(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return safefile.Create(path, data, 0o600)
}

// Prune removes the files of a folder that were written longer than age ago.
func Prune(dir string, age time.Duration, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > age {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// keyBytes is the size of the user's secret.
const keyBytes = 32

// Key returns the user's secret from dir, which it makes at the first call. Of
// several processes that make it at once, all get the same one. One that was cut or is
// too long is replaced: what was sealed with the lost one does not verify any more.
func Key(dir string) ([]byte, error) {
	if dir == "" || dir == "." { // the working folder is a repository, which must not get the secret
		return nil, errNoFolder
	}
	path := filepath.Join(dir, "key")
	key, err := Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return newKey(path)
	case err == nil && len(key) != keyBytes:
		return replaceKey(path)
	case err != nil:
		return nil, err
	}
	return key, nil
}

// keyAbove reads the key of the folder above dir once; it is nil without a key.
func keyAbove(dir string) func() []byte {
	return sync.OnceValue(func() []byte {
		key, _ := Key(filepath.Dir(filepath.Clean(dir)))
		return key
	})
}

// newKey makes the secret, or reads that of a process that has just made it.
func newKey(path string) ([]byte, error) {
	fresh := randomKey()
	if err := create(path, fresh); errors.Is(err, fs.ErrExist) {
		return readKey(path)
	} else if err != nil {
		return nil, err
	}
	return fresh, nil
}

// replaceKey makes a new secret in the place of a damaged one, in one process at a time.
func replaceKey(path string) ([]byte, error) {
	lock, err := openLocked(path+".lock", func(string) {})
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if key, err := readKey(path); err == nil {
		return key, nil // another process was first
	}
	fresh := randomKey()
	if err := Write(path, fresh); err != nil {
		return nil, err
	}
	return fresh, nil
}

func randomKey() []byte {
	fresh := make([]byte, keyBytes)
	rand.Read(fresh) // never fails (crypto/rand since Go 1.24)
	return fresh
}

// readKey reads the secret. A damaged one is an error.
func readKey(path string) ([]byte, error) {
	key, err := Read(path)
	if err == nil && len(key) != keyBytes {
		return nil, fmt.Errorf("state: %s has %d bytes, not %d; remove it", path, len(key), keyBytes)
	}
	return key, err
}

// A Note is a message for the user that the doctor command shows later.
type Note struct {
	Time  time.Time `json:"ts"`
	Kind  string    `json:"kind"` // "unknown-tool", "bad-event"
	Agent string    `json:"agent,omitempty"`
	Text  string    `json:"text"`
	Root  string    `json:"root,omitempty"` // the project that the call was made in
}

// MaxNotes bounds the file of notes; later notes are dropped.
const MaxNotes = 256 << 10

// Append adds a note to the notes in dir, in one write.
func Append(dir string, n Note) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	line, err := json.Marshal(n)
	if err != nil {
		return err
	}
	f, info, err := safefile.OpenAppend(filepath.Join(dir, "notes.jsonl"), 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() > MaxNotes {
		return nil
	}
	_, err = f.Write(append(line, '\n'))
	return err
}

// nameBytes is how much of a digest names a file.
const nameBytes = 16

// fileName turns any text into the name of a file: texts come from agents and
// repositories and never become part of a path.
func fileName(texts ...string) string {
	sum := digest.List(texts...)
	return hex.EncodeToString(sum[:nameBytes])
}

// isFileName reports whether fileName could have made name.
func isFileName(name string) bool { return isHex(name, 2*nameBytes) }

func isHex(s string, length int) bool {
	if len(s) != length {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
