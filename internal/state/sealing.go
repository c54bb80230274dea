package state

import (
	"errors"
	"os"
	"path/filepath"
)

// Sealing is how values of this package are sealed. The zero value has no key: then
// nothing is written, and nothing that was written is believed.
type Sealing struct {
	// Key returns the user's secret; an empty one means that there is no key. It is called
	// when there is something to seal or to verify.
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

// open returns the sealed content of the file at path: nil when there is none, or when
// it does not verify, which is told.
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
