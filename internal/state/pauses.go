package state

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Pauses keeps the folders in which the user has paused judging, and until when. It
// may be used concurrently; of two pauses that are set at once the last one counts. The
// file is sealed with the user's key: one that does not verify contains no pause.
type Pauses struct {
	path string
	seal Sealing
	now  func() time.Time
}

// NewPauses keeps pauses in the file at path, which is there only while something
// is paused. A nil now means time.Now.
func NewPauses(path string, seal Sealing, now func() time.Time) *Pauses {
	if now == nil {
		now = time.Now
	}
	return &Pauses{path, seal, now}
}

// pausesKind is what the seal names.
const pausesKind = "pauses 1"

// MaxPause is the longest pause: a working day. A forgotten one must end.
const MaxPause = 8 * time.Hour

// A Pause is the pause of one folder.
type Pause struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	By    string    `json:"by"`
}

// on reports whether the pause holds. A pause longer than MaxPause does not hold, nor
// does one from the future.
func (p Pause) on(now time.Time) bool {
	return !now.Before(p.Since) && now.Before(p.Until) && p.Until.Sub(p.Since) <= MaxPause
}

// Get returns the pause of a folder. A file that cannot be read contains no pause.
func (s *Pauses) Get(folder string) (Pause, bool) {
	p, ok := s.All()[filepath.Clean(folder)]
	return p, ok
}

// All returns the pauses that hold, by their folders.
func (s *Pauses) All() map[string]Pause {
	var all map[string]Pause
	data, err := Read(s.path)
	if err != nil || json.Unmarshal(s.seal.open(pausesKind, "the pauses", s.path, data), &all) != nil {
		return nil
	}
	now := s.now()
	for folder, p := range all {
		if !p.on(now) {
			delete(all, folder)
		}
	}
	return all
}

// Set pauses a folder.
func (s *Pauses) Set(folder string, p Pause) error {
	all := s.All()
	if all == nil {
		all = map[string]Pause{}
	}
	all[filepath.Clean(folder)] = p
	return s.write(all)
}

// End ends the pause of a folder. It is not an error if there was none.
func (s *Pauses) End(folder string) error {
	all := s.All()
	delete(all, filepath.Clean(folder))
	return s.write(all)
}

func (s *Pauses) write(all map[string]Pause) error {
	if len(all) == 0 {
		err := safefile.Remove(s.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return s.seal.of(pausesKind).Write(s.path, data)
}
