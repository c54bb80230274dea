package scribe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/state"
)

// A Store has the observations and the dismissed conventions, in the files
// observations.jsonl and dismissed.jsonl of a folder. Any number of goroutines and
// processes may use it.
//
// A line is one observation, or a change of an earlier one. Lines are appended, each in
// one write, by one process at a time. A torn or foreign line is passed over and kept.
type Store struct {
	dir   string
	locks *state.Locks
}

// OpenStore returns the store in dir, .sentinel/scribe of a project. It touches nothing
// before the first change.
func OpenStore(dir string) *Store {
	return &Store{dir: dir, locks: state.NewLocks(filepath.Join(dir, "locks"))}
}

const (
	observationsFile = "observations.jsonl"
	dismissedFile    = "dismissed.jsonl"

	// maxStore bounds a file of the store, in bytes. A session adds a few thousand.
	maxStore = 64 << 20
	// compactAt is the size in bytes from which the lines of each observation are
	// joined.
	compactAt = 8 << 20
)

// Observations returns all observations, in the order in which they were first
// made. A store that does not exist has none.
func (s *Store) Observations() ([]Observation, error) {
	b, err := s.load()
	if err != nil {
		return nil, err
	}
	all := make([]Observation, len(b.order))
	for i, id := range b.order {
		all[i] = *b.byID[id]
	}
	return all, nil
}

// A Dismissal is a convention that the user does not want.
type Dismissal struct {
	ID        string    `json:"id"` // as of an observation
	Time      time.Time `json:"ts"`
	Statement string    `json:"statement"`
	Draft     string    `json:"draft,omitempty"` // id of the draft that was dismissed
	Scope     []string  `json:"scope,omitempty"`
	Trigger   string    `json:"trigger,omitempty"`

	hash string // in the place of the statement: of the Python Sentinel
}

// Dismissals returns everything that was dismissed, the oldest first.
func (s *Store) Dismissals() ([]Dismissal, error) {
	var all []Dismissal
	err := eachLine(filepath.Join(s.dir, dismissedFile), func(line []byte) {
		var d Dismissal
		if json.Unmarshal(line, &d) != nil {
			return
		}
		switch d.ID = d.hash; {
		case normal(d.Statement) != "":
			d.ID = digestOf(normal(d.Statement)) // not the line's own, which may be forged
		case d.hash == "":
			return
		}
		all = append(all, d)
	})
	return all, err
}

// A book is the content of the file of observations.
type book struct {
	byID  map[string]*Observation
	order []string
	size  int
}

func (s *Store) load() (*book, error) {
	b := &book{byID: map[string]*Observation{}}
	err := eachLine(filepath.Join(s.dir, observationsFile), func(line []byte) {
		b.size += len(line) + 1
		_ = b.add(line) // a foreign line is passed over
	})
	return b, err
}

func (b *book) add(line []byte) error {
	known := len(b.byID)
	id, err := apply(line, b.byID)
	if err == nil && len(b.byID) > known {
		b.order = append(b.order, id)
	}
	return err
}

// eachLine calls do with every line of a file that is not empty; the line is valid until
// do returns. A line longer than maxLine is cut, but stays longer than maxLine. A
// missing file has no lines. One line at a time is in memory, because a file that came
// with a clone may have any size.
func eachLine(path string, do func(line []byte)) error {
	f, err := openRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("scribe: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Size() > maxStore {
		err = fmt.Errorf("%s has %d MB, more than %d: move it away, and Sentinel begins a new one", path, info.Size()>>20, maxStore>>20)
	}
	if err != nil {
		return fmt.Errorf("scribe: %w", err)
	}
	in := bufio.NewReaderSize(io.LimitReader(f, maxStore), 64<<10)
	var long []byte // the beginning of a line that is longer than the buffer
	for {
		part, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(long) <= maxLine {
				long = append(long, part...)
			}
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return fmt.Errorf("scribe: %w", err)
		}
		line := part
		if len(long) > 0 {
			if line = long; len(long) <= maxLine {
				line = append(long, part...)
			}
			long = line[:0]
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			do(line)
		}
		if err != nil {
			return nil
		}
	}
}

// update calls do while all other processes wait. do returns the lines to append:
// observations and changes. It must be quick.
func (s *Store) update(ctx context.Context, do func(b *book) (lines []any, err error)) error {
	done, err := s.locks.Take(ctx, "store")
	defer done()
	if err != nil {
		return fmt.Errorf("scribe: waiting for the observations: %w", err)
	}
	b, err := s.load()
	if err != nil {
		return err
	}
	lines, err := do(b)
	if err != nil || len(lines) == 0 {
		return err
	}
	path := filepath.Join(s.dir, observationsFile)
	if err := appendLines(path, lines); err != nil {
		return err
	}
	if b.size > compactAt {
		_ = s.compact(path) // the next change tries it again
	}
	return nil
}

// compact writes each observation as one line, and keeps every foreign line.
func (s *Store) compact(path string) error {
	b := &book{byID: map[string]*Observation{}}
	var out bytes.Buffer
	cut := false
	err := eachLine(path, func(line []byte) {
		cut = cut || len(line) > maxLine
		b.size += len(line) + 1
		if b.add(line) != nil {
			out.Write(line)
			out.WriteByte('\n')
		}
	})
	if err != nil || cut { // a cut line could not be kept
		return err
	}
	for _, id := range b.order {
		o := *b.byID[id]
		if o.State != Observed {
			o.Cases = nil // they served its draft
		}
		line, err := json.Marshal(o)
		if err != nil {
			return fmt.Errorf("scribe: %w", err)
		}
		out.Write(append(line, '\n'))
	}
	if out.Len() > b.size*3/4 {
		return nil // it would soon be as large again
	}
	return place(path, out.Bytes(), true)
}

// appendLines writes values as lines at the end of a file, in one write. After a
// torn line it begins a new one.
func appendLines[T any](path string, values []T) error {
	var out bytes.Buffer
	for _, v := range values {
		line, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("scribe: %w", err)
		}
		out.Write(append(line, '\n'))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("scribe: %w", err)
	}
	f, err := openRegular(path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return fmt.Errorf("scribe: %w", err)
	}
	data := out.Bytes()
	if torn(f) {
		data = append([]byte{'\n'}, data...)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("scribe: %w", err)
	}
	return nil
}

// torn reports whether the last line of a file has no end.
func torn(f *os.File) bool {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, size-1)
	return err == nil && last[0] != '\n'
}

// note records that a convention was observed: as a new observation, or as a repetition
// of an old one. It returns the observation as it is now.
func (s *Store) note(ctx context.Context, o Observation, now time.Time) (Observation, error) {
	err := s.update(ctx, func(b *book) ([]any, error) {
		old, known := b.byID[o.ID]
		if !known {
			return []any{o}, nil
		}
		if old.Source == Documentation && o.Source != Documentation && old.State == Observed {
			o.Time, o.Seen, o.Attempts = old.Time, old.Seen+1, old.Attempts // words of the user count more than a document
			return []any{o}, nil
		}
		sameText := o.Session == old.Session && o.Document == old.Document
		next := *old
		if !sameText {
			next.Seen++
		}
		c := change{ID: o.ID, Changed: now, Seen: next.Seen, Session: o.Session}
		if o.Confidence > old.Confidence {
			next.Confidence, c.Confidence = o.Confidence, o.Confidence
		}
		if o.State != Observed && old.State == Observed {
			c.State, c.RuleID, c.Reason = o.State, o.RuleID, o.Reason
			next.State, next.RuleID = o.State, o.RuleID
		}
		next.Session, o = o.Session, next
		if sameText && c.Confidence == 0 && c.State == "" {
			return nil, nil
		}
		return []any{c}, nil
	})
	return o, err
}

// set records a change of an observation.
func (s *Store) set(ctx context.Context, c change) error {
	return s.update(ctx, func(b *book) ([]any, error) {
		if _, known := b.byID[c.ID]; !known {
			return nil, nil
		}
		return []any{c}, nil
	})
}
