package state

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A Sealed reads and writes private files that are sealed with the user's key. A process
// that can write to the folder, but does not have the key, cannot make such a file: the
// seal covers the content, the kind and the file's name, so that a file that was copied
// to another name, or is of another kind, does not verify. It is a plain value, safe for
// concurrent use.
type Sealed struct {
	key  []byte
	kind string
}

// NewSealed seals with key, the user's secret of [Key]. kind says what the files hold
// and names the version of their content, such as "pin 1". Without a key nothing is
// read or written: every call is [ErrNoKey].
func NewSealed(key []byte, kind string) Sealed { return Sealed{key: key, kind: kind} }

// Errors of a [Sealed]. A file that is not there is fs.ErrNotExist.
var (
	ErrNoKey = errors.New("there is no key to seal with")
	// ErrSeal is a file that is damaged, was sealed with another key, or was not
	// written by this program. Its content must not be used.
	ErrSeal = errors.New("the seal does not verify")
	// ErrSealVersion is a file of a newer version of this program.
	ErrSealVersion = errors.New("it was written by a newer version of this program")
)

// errNoFolder is a state folder that has no name.
var errNoFolder = errors.New("there is no state folder; set HOME or XDG_STATE_HOME")

// A sealed file holds the magic, the version of this format, the seal, and the content.
const (
	sealedMagic   = "SNSL"
	sealedVersion = 1
	sealedHead    = len(sealedMagic) + 1 + sha256.Size
)

// Read returns the content of a file that [Sealed.Write] wrote.
func (s Sealed) Read(path string) ([]byte, error) {
	if len(s.key) == 0 {
		return nil, fmt.Errorf("state: %s: %w", path, ErrNoKey)
	}
	file, err := Read(path)
	if err != nil {
		return nil, err
	}
	data, err := s.Open(filepath.Base(path), file)
	return data, named(path, err)
}

// Write replaces a private file in one step, as [Write] does.
func (s Sealed) Write(path string, data []byte) error {
	if len(s.key) == 0 {
		return fmt.Errorf("state: %s: %w", path, ErrNoKey)
	}
	return Write(path, s.Seal(filepath.Base(path), data))
}

// Seal returns what a sealed file of this name holds.
func (s Sealed) Seal(name string, data []byte) []byte {
	b := make([]byte, 0, sealedHead+len(data))
	b = append(append(b, sealedMagic...), sealedVersion)
	b = append(b, s.sum(b, name, data)...)
	return append(b, data...)
}

// Open returns the content of a sealed file of this name. The result shares the memory
// of file.
func (s Sealed) Open(name string, file []byte) ([]byte, error) {
	const version = len(sealedMagic)
	switch {
	case len(s.key) == 0:
		return nil, ErrNoKey
	case len(file) < sealedHead || string(file[:version]) != sealedMagic:
		return nil, ErrSeal
	case file[version] > sealedVersion:
		return nil, ErrSealVersion
	}
	head, sum, data := file[:version+1], file[version+1:sealedHead], file[sealedHead:]
	if !hmac.Equal(sum, s.sum(head, name, data)) {
		return nil, ErrSeal
	}
	return data, nil
}

// SealOf returns the seal of a sealed file, which shows whether the file has changed
// without reading the rest. It does not verify it. Without such a file it is "".
func SealOf(path string) string {
	f, _, err := Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, sealedHead)
	if _, err := io.ReadFull(f, head); err != nil {
		return "short" // it exists, and is not a sealed file
	}
	return string(head)
}

func (s Sealed) sum(head []byte, name string, data []byte) []byte {
	var texts []byte
	for _, text := range []string{s.kind, name} {
		texts = append(binary.BigEndian.AppendUint32(texts, uint32(len(text))), text...)
	}
	return keyed(s.key, head, texts, data) // head has a fixed length
}

// keyed is the keyed digest of parts. All but the last have a fixed length or
// begin with it.
func keyed(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

// Sealing is how values of this package are sealed. The zero value has no key: then
// nothing is written, and nothing that was written is believed.
type Sealing struct {
	// Key returns the user's secret, empty without a key. It is called when there is
	// something to seal or to verify.
	Key func() []byte
	// Dropped is called with content whose seal does not verify; it may be nil. what is the
	// content in words.
	Dropped func(what string, err error)
}

// of seals files of one kind.
func (s Sealing) of(kind string) Sealed {
	if s.Key == nil {
		return NewSealed(nil, kind)
	}
	return NewSealed(s.Key(), kind)
}

// open returns the sealed content of the file at path. It is nil without content, and
// where the seal does not verify, which calls Dropped.
func (s Sealing) open(kind, what, path string, file []byte) []byte {
	if len(file) == 0 {
		return nil // a process that was killed had not written yet
	}
	data, err := s.of(kind).Open(filepath.Base(path), file)
	if err != nil {
		s.tell(what, err)
		return nil
	}
	return data
}

// tell reports content that does not verify. Without a key nothing verifies.
func (s Sealing) tell(what string, err error) {
	if s.Dropped != nil && !errors.Is(err, ErrNoKey) {
		s.Dropped(what, err)
	}
}

// rewrite seals data and replaces the content of the open file, whose path gives the
// name. Half of the content does not verify, so a reader that meets it reads nothing.
func (s Sealing) rewrite(f *os.File, kind, path string, data []byte) error {
	sealed := s.of(kind)
	if len(sealed.key) == 0 {
		return named(path, ErrNoKey)
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(sealed.Seal(filepath.Base(path), data), 0)
	return err
}
