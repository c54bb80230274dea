// Package pin keeps the guard of a project as it was last in force with a person's
// knowledge: the bytes of its configuration and rules, sealed with the user's key in
// the user's own state folder. It also says what has become weaker since: see [Merge]
// and [Config].
//
// It takes data and returns data. Package project finds the files, and decides by the
// answer which of them hold.
package pin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
)

// Limits of what is kept.
const (
	// MaxBytes bounds the files of one pin together. Rules of real projects have some
	// hundred kilobytes.
	MaxBytes = 16 << 20
	// maxKnown bounds the accepted states of one project; beyond, the oldest is forgotten
	// and has to be accepted again.
	maxKnown = 64
	// maxPins bounds the projects. A new one gets the place of one whose folder is gone.
	maxPins = 2000
)

// version is that of the content of a pin.
const version = 1

// A Pin is what was last in force in one project with a person's knowledge.
type Pin struct {
	Version int    `json:"version"`
	Root    string `json:"root"`   // absolute folder of the project, without links
	Config  *File  `json:"config"` // nil: there was none
	Rules   []File `json:"rules"`  // in the order of their names
	// Known are the digests of states that a person accepted: see [State].
	Known []string `json:"known,omitempty"`
}

// A File is a file as it was.
type File struct {
	Name string `json:"name"` // with slashes, below the folder of the rules
	Data []byte `json:"data"`
}

// Sum names a file's content.
func Sum(data []byte) string { return digest.Hex(data)[:32] }

// State is the digest of a project's configuration and rules: of the sum of the
// configuration, "" for none, and the names and sums of the rule files.
func State(config string, rules []Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q\n", config)
	for i := range rules {
		fmt.Fprintf(&b, "%q %q\n", rules[i].Name, rules[i].Sum)
	}
	return digest.Hex(b.String())[:32]
}

// State is the digest of what the pin holds.
func (p *Pin) State() string {
	config := ""
	if p.Config != nil {
		config = Sum(p.Config.Data)
	}
	rules := make([]Rule, len(p.Rules))
	for i, f := range p.Rules {
		rules[i] = Rule{Name: f.Name, Sum: Sum(f.Data)}
	}
	return State(config, rules)
}

// Accept notes that a person knows these states, the latest last.
func (p *Pin) Accept(states ...string) {
	for _, s := range states {
		p.Known = append(slices.DeleteFunc(p.Known, func(k string) bool { return k == s }), s)
	}
	p.Known = p.Known[max(0, len(p.Known)-maxKnown):]
}

// Knows reports whether a person has accepted the state.
func (p *Pin) Knows(state string) bool { return slices.Contains(p.Known, state) }

// A Store keeps pins in the files of a folder. It may be used concurrently, by many
// processes; of two pins of one project that are saved at once the last one counts.
type Store struct {
	dir    string
	sealed func() state.Sealed
}

// NewStore keeps pins in dir. sealed is called when a pin is read or written.
func NewStore(dir string, sealed func() state.Sealed) *Store { return &Store{dir, sealed} }

// Kind is what pins are sealed as.
const Kind = "pin"

// Errors of a pin that cannot be used. The text is for a person.
var (
	// ErrForeign is a pin that is damaged, or was sealed with another key: the user's key
	// was lost, or the state folder comes from another machine.
	ErrForeign = errors.New("it is damaged, or was sealed with another key")
	// ErrNewer is a pin of a newer version of this program.
	ErrNewer = errors.New("a newer version of this program wrote it")
	// ErrLarge is a folder of rules that is too large to be kept.
	ErrLarge = fmt.Errorf("the rules have more than %d MB", MaxBytes>>20)
	// errFull says that the pins of too many projects are kept.
	errFull = fmt.Errorf("%d projects are pinned already", maxPins)
)

// Path is the file of the project at root, an absolute path without links.
func (s *Store) Path(root string) string { return filepath.Join(s.dir, Name(root)) }

// Name is the name of that file.
func Name(root string) string { return digest.Hex(root)[:32] }

// Names are the files of all pins.
func (s *Store) Names() map[string]bool {
	entries, err := os.ReadDir(s.dir)
	if err != nil || len(entries) == 0 {
		return nil
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	return names
}

// Load returns the pin of the project at root: an error that is fs.ErrNotExist where
// it has no pin.
func (s *Store) Load(root string) (*Pin, error) {
	data, err := s.sealed().Read(s.Path(root))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case errors.Is(err, state.ErrSealVersion):
		return nil, ErrNewer
	case errors.Is(err, state.ErrSeal):
		return nil, ErrForeign
	case err != nil:
		return nil, err
	}
	p := &Pin{}
	if err := json.Unmarshal(data, p); p.Version > version {
		return nil, ErrNewer
	} else if err != nil || p.Root != root {
		return nil, ErrForeign
	}
	return p, nil
}

// Save keeps the pin of the project at p.Root.
func (s *Store) Save(p *Pin) error {
	size := 0
	for i := range p.Rules {
		size += len(p.Rules[i].Data)
	}
	if size > MaxBytes {
		return ErrLarge
	}
	if _, err := os.Lstat(s.Path(p.Root)); errors.Is(err, fs.ErrNotExist) && !s.room() {
		return errFull
	}
	p.Version = version
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return s.sealed().Write(s.Path(p.Root), data)
}

// Remove forgets the pin of the project at root. Without one it does nothing.
func (s *Store) Remove(root string) error {
	err := safefile.Remove(s.Path(root))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// room reports whether there is room for one pin more. Pins of projects that are gone
// make room; those of projects that are there never do, or many new ones could drive
// one out.
func (s *Store) room() bool {
	names := s.Names()
	if len(names) < maxPins {
		return true
	}
	removed := false
	for name := range names {
		data, err := s.sealed().Read(filepath.Join(s.dir, name))
		var p Pin
		if err != nil || json.Unmarshal(data, &p) != nil || Name(p.Root) != name {
			continue
		}
		if _, err := os.Lstat(p.Root); errors.Is(err, fs.ErrNotExist) {
			removed = os.Remove(filepath.Join(s.dir, name)) == nil || removed
		}
	}
	return removed
}
