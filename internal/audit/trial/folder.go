package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/state"
)

// folder keeps what was found and said, each in a file of its own that is named
// by a digest of everything it depends on. What depends on something else by now
// is therefore not found, and asked for again. It is safe for concurrent use.
type folder struct {
	dir  string // "" keeps nothing
	warn func(format string, args ...any)
}

// kept is the content of a file: the value, and what shows that it is whole.
type kept struct {
	Key    string          `json:"key"`
	Digest string          `json:"sha256"` // of Value
	Value  json.RawMessage `json:"value"`
}

var errDamaged = errors.New("it is damaged")

// get reads what was put under a key, and reports whether there was anything.
// A file that is damaged is as good as none, and said.
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
	var k kept
	if err := json.Unmarshal(data, &k); err != nil || k.Key != key || k.Digest != digest(string(k.Value)) {
		return errDamaged
	}
	if json.Unmarshal(k.Value, value) != nil {
		return errDamaged
	}
	return nil
}

// put keeps a value. That it could not be kept harms nobody but a later run.
func (f *folder) put(kind, key string, value any) {
	if f.dir == "" {
		return
	}
	data, err := json.Marshal(value)
	if err == nil {
		data, err = json.Marshal(kept{Key: key, Digest: digest(string(data)), Value: data})
	}
	if err == nil {
		err = state.Write(f.path(kind, key), data)
	}
	if err != nil {
		f.warn("%s cannot be kept for a later run: %v", f.path(kind, key), err)
	}
}

// path is the file of a key, whatever characters it is made of.
func (f *folder) path(kind, key string) string {
	return filepath.Join(f.dir, kind+"-"+digest(key)[:32]+".json")
}

// digest is the sha256 of parts, each told from the next, in hex.
func digest(parts ...string) string {
	h := sha256.New()
	for i, p := range parts {
		if i > 0 || len(parts) > 1 {
			fmt.Fprintf(h, "%d:", len(p))
		}
		h.Write([]byte(p)) // never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}
