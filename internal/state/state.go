// Package state keeps Sentinel's files in the user's own folders: a secret key,
// compiled rules, notes for later. Nothing here belongs to a repository, and
// what another user could have written is not believed.
package state

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxFile bounds what is read of one file; a compiled set of 10,000 rules has
// about 20 MB.
const maxFile = 64 << 20

// Read reads a private file: a regular one, no link, owned by this user, that
// nobody else may write. Anything else is an error; a missing file is
// [fs.ErrNotExist].
func Read(path string) ([]byte, error) {
	f, size, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("state: %s: %w", path, err)
	}
	return data, nil
}

// Open opens a private file, as [Read] does, for a caller that reads parts of it.
func Open(path string) (f *os.File, size int64, err error) {
	if f, err = openNoFollow(path); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil {
		err = private(info)
	}
	if err == nil && info.Size() > maxFile {
		err = fmt.Errorf("has %d bytes, more than %d", info.Size(), maxFile)
	}
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("state: %s: %w", path, err)
	}
	return f, info.Size(), nil
}

// Write replaces a private file in one step; a reader sees the old content or
// the new. The folder is made when it is missing. Nothing is synced to disk: a
// file that a crash damaged is noticed by its reader.
func Write(path string, data []byte) error {
	return put(path, data, os.Rename)
}

// create is Write for a file that must not exist yet: fs.ErrExist if it does.
func create(path string, data []byte) error {
	return put(path, data, func(tmp, path string) error {
		defer os.Remove(tmp)
		return os.Link(tmp, path)
	})
}

// tempPrefix is what the names of temporary files begin with.
const tempPrefix = ".tmp-"

// put writes a temporary file beside path and lets place bring it there.
func put(path string, data []byte, place func(tmp, path string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), tempPrefix+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = place(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
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
// several processes that make it at once, all get the same one.
func Key(dir string) ([]byte, error) {
	path := filepath.Join(dir, "key")
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	fresh := make([]byte, keyBytes)
	rand.Read(fresh) // never fails (crypto/rand since Go 1.24)
	if err := create(path, fresh); errors.Is(err, fs.ErrExist) {
		return readKey(path)
	} else if err != nil {
		return nil, err
	}
	return fresh, nil
}

// readKey reads the secret. A damaged one is an error: a new one would be
// nobody else's.
func readKey(path string) ([]byte, error) {
	key, err := Read(path)
	if err == nil && len(key) != keyBytes {
		return nil, fmt.Errorf("state: %s has %d bytes, not %d; remove it", path, len(key), keyBytes)
	}
	return key, err
}

// A Note is something that a person should hear of later, from the command that
// looks after the installation.
type Note struct {
	Time  time.Time `json:"ts"`
	Kind  string    `json:"kind"` // "unknown-tool", "bad-event"
	Agent string    `json:"agent,omitempty"`
	Text  string    `json:"text"`
}

// maxNotes bounds the file of notes; what comes later is not kept.
const maxNotes = 256 << 10

// Append adds a note to the notes in dir, in one write.
func Append(dir string, n Note) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	line, err := json.Marshal(n)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "notes.jsonl"), os.O_WRONLY|os.O_APPEND|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxNotes {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return err
}
