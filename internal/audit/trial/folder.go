package trial

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/state"
)

// folder keeps evidence and opinions, each in a file of its own. The name of the
// file is a digest of everything that the content depends on, so that a change of
// that makes a new file. It is safe for concurrent use.
type folder struct {
	dir  string // "" keeps nothing
	warn func(format string, args ...any)
}

// cached is the content of a file: the value, and a digest against damage.
type cached struct {
	Key    string          `json:"key"`
	Digest string          `json:"sha256"` // of Value
	Value  json.RawMessage `json:"value"`
}

var errDamaged = errors.New("it is damaged")

// get reads the value of a key, and reports whether there is one. A damaged file
// counts as none, with a warning.
func (f *folder) get(kind, key string, value any) bool {
	if f.dir == "" {
		return false
	}
	err := read(f.path(kind, key), key, value)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.warn("%s is not used, and made again: %v", f.path(kind, key), err)
	}
	return err == nil
}

func read(path, key string, value any) error {
	data, err := state.Read(path)
	if err != nil {
		return err
	}
	var c cached
	if err := json.Unmarshal(data, &c); err != nil || c.Key != key || c.Digest != digest.Hex(c.Value) {
		return errDamaged
	}
	if json.Unmarshal(c.Value, value) != nil {
		return errDamaged
	}
	return nil
}

// put keeps a value. A failure is only a warning: a later run asks again.
func (f *folder) put(kind, key string, value any) {
	if f.dir == "" {
		return
	}
	data, err := json.Marshal(value)
	if err == nil {
		data, err = json.Marshal(cached{Key: key, Digest: digest.Hex(data), Value: data})
	}
	if err == nil {
		err = state.Write(f.path(kind, key), data)
	}
	if err != nil {
		f.warn("%s cannot be kept for a later run: %v", f.path(kind, key), err)
	}
}

// path returns the file of a key. A key may have any characters.
func (f *folder) path(kind, key string) string {
	return filepath.Join(f.dir, kind+"-"+digest.Hex(key)[:32]+".json")
}
